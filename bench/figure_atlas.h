#pragma once

#include "sinew/body/figure_table.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::bench {

// The built-in figure in its measured stance against the atlas it was measured on: a folder with an
// atlas.json and its meshes.

struct VolumesAgainstAtlas {
    std::size_t muscles = 0;
    double median_error = 0.0;  ///< of muscles, relative
    double within_tenth = 0.0;  ///< share of the muscles over 5 ml that are off by less than 10 %
    double muscle_ratio = 0.0;  ///< all muscles together, figure to atlas
    double bone_ratio = 0.0;
    double skull_ratio = 0.0;
};
/// Parts are meshed as a preview would. The sheets of the abdominal wall are compared beside rectus
/// abdominis: before and behind it the atlas has their aponeuroses, which the figure leaves out.
VolumesAgainstAtlas compare_volumes(const FigureTable& table, const std::filesystem::path& atlas);

struct SkinAgainstAtlas {
    double mean = 0.0;          ///< distance of the atlas's skin from the figure's, m
    double most = 0.0;          ///< 95 % are nearer, m
    double volume_ratio = 0.0;  ///< figure to atlas
};
/// Genitals and the joined armpits are left out. @param cell  grid of the figure's skin, m
SkinAgainstAtlas compare_skin(const FigureTable& table, const std::filesystem::path& atlas,
                              double cell = 0.004);

/// A joint's centre as the shapes of the atlas's bones tell it.
struct JointAgainstAtlas {
    std::string name;
    std::string method;          ///< "femoral head", "disc", ...
    Vec3 centre = Vec3::Zero();  ///< in the atlas, m
    double distance = 0.0;       ///< m; of a hinge from its axis
};
/// All joints of the left side and the midline that move. Centres are found from the meshes alone:
/// least-squares spheres of heads and condyles, ends of bones, centroids of discs, and elsewhere
/// the middle of where two bones are nearest.
std::vector<JointAgainstAtlas> compare_joints(const FigureTable& table,
                                              const std::filesystem::path& atlas);

}  // namespace sinew::bench
