#pragma once

#include "sinew/body/musculoskeletal.h"
#include "sinew/io/read_options.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// A model as MuJoCo's XML, and what MuJoCo cannot express of it.
struct MjcfText {
    std::string text = {};
    std::vector<std::string> notes = {};
};

struct MjcfOptions {
    UpAxis up = UpAxis::Y;    ///< of the file's world; the model's own is Y
    std::string meshes = {};  ///< folder of the shapes' files, seen from the written file; empty:
                              ///< shapes are left out
};

/// Bodies, hinges and slides with the model's coordinates (joint values are the coordinates
/// themselves), spatial tendons through sites, spheres and cylinders to wrap over, muscle actuators
/// whose lengths are the model's fibre and tendon lengths, boxes that touch a ground plane. Bodies
/// are written in the pose of rest and joints' references are its values, so MuJoCo starts there
/// with every equality met. Functions of coordinates other than q and -q become extra joints held
/// by polynomials of fourth degree; blended points stay on the body of the greatest weight, moving
/// points where they are at rest, conditional points only if they count at rest; ellipsoids become
/// cylinders along their longest axes or spheres, tori points in their middles. Moving bodies
/// without mass get 1 g, inertias that no solid has the nearest that one has. Each of these is
/// named in the notes; compare_lengths (motion/length_difference.h) says what it costs. Sides of
/// wrap surfaces: with_side_points (motion/side_points.h) first.
/// @throws InputError when the model is not valid
MjcfText format_mjcf(const MusculoskeletalModel& model, const MjcfOptions& options = {});
/// @returns the notes
std::vector<std::string> write_mjcf(const std::filesystem::path& path,
                                    const MusculoskeletalModel& model,
                                    const MjcfOptions& options = {});

/// Reads MuJoCo's XML: bodies, joints of every type (rotations of ball and free joints as angles
/// about x, y, z), inertias given or of simple shapes, defaults, joints that follow others, spatial
/// tendons over sites, spheres and cylinders (side sites as MuJoCo means them), and muscle
/// actuators, <general> ones too; files that others include. What else is there is left out and
/// counted in the notes. The file's axes stay.
/// @throws InputError  naming the element and its line
MusculoskeletalModel read_mjcf(const std::filesystem::path& path);
MusculoskeletalModel parse_mjcf(const std::string& text, std::string name);

}  // namespace sinew
