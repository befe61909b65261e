#pragma once

#include "sinew/skinning/skin_on_bones.h"

#include <Eigen/Geometry>

#include <span>
#include <vector>

namespace sinew {

/// Keeps a skin from flickering where it is shown. In deep creases contacts of the simulation come
/// and go from frame to frame, and single vertices are thrown to and fro between two places. Flesh
/// that swings slows down before it turns round; a vertex that turns at full speed is shown where
/// it is in the mean of the last frames, against its bone, until it has stopped. The simulation
/// knows nothing of it.
class SkinSteadying {
public:
    explicit SkinSteadying(const SkinOnBones& skin);

    /// One frame further.
    /// @param skin    in: as it is simulated; out: as it is to be shown, m
    /// @param motion  of each bone since the last frame
    void steady(Points& skin, std::span<const Eigen::Isometry3d> motion);
    /// The next frame starts anew.
    void forget();

private:
    std::vector<Index> bone_of_;
    double edge_;                      // mean length, m
    Points simulated_ = Points(0, 3);  // in the last frame; no rows without
    Points shown_ = Points(0, 3);
    Points step_ = Points(0, 3);        // of the last frame, against the bone, m
    std::vector<double> fastest_ = {};  // step of late, m
    std::vector<double> unrest_ = {};   // in [0, 1]
};

}  // namespace sinew
