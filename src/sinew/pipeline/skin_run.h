#pragma once

#include "sinew/mesh/arrays.h"
#include "sinew/skinning/skin_enclosure.h"

#include <vector>

namespace sinew {

/// What a run of frames gave, of a character or a body.
struct SkinRun {
    std::vector<double> times = {};   ///< s
    std::vector<Points> frames = {};  ///< of the character's mesh, unless they went elsewhere
    Eigen::Index simulated_vertices = 0;
    Eigen::Index tets = 0;
    double fps = 0.0;           ///< of the simulation alone
    double shown_fps = 0.0;     ///< with what makes the skin that is shown of it
    double preprocess_s = 0.0;  ///< flesh, system, and coarse skin
    double upsampling_s = 0.0;  ///< of a finer skin that is shown: weights and the like, once
    // How far the skin that is shown is in itself, by all of its vertices:
    double max_penetration = 0.0;    ///< m, deepest in any frame
    double mean_penetration = 0.0;   ///< m, of vertices inside, over all frames
    double enclosed_vertices = 0.0;  ///< vertices inside, per frame
    double volume_ratio_min = 1.0;
};

/// What the frames of a run add up to.
class RunTotals {
public:
    /// @param seconds        of the simulation
    /// @param seconds_shown  of what is shown, on top
    void add(double seconds, double seconds_shown, double volume_ratio,
             const SkinPenetration& inside);
    void write_to(SkinRun& run) const;

private:
    double frames_ = 0.0;
    double seconds_ = 0.0;
    double seconds_shown_ = 0.0;
    double volume_ratio_min_ = 1.0;
    double vertices_ = 0.0;  // inside, in all of them
    double depth_ = 0.0;     // of these, m
    double deepest_ = 0.0;
};

/// Times of frames, s from the start of a motion.
/// @param frames  0: as many as the motion has
/// @throws InputError  when there would be more than a million
std::vector<double> frame_times(double seconds, double rate, int frames);

}  // namespace sinew
