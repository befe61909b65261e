#pragma once

#include "sinew/fit/landmarks.h"
#include "sinew/fit/pose_rig.h"
#include "sinew/fit/registration.h"
#include "sinew/fit/scan_index.h"
#include "sinew/fit/surface_icp.h"

#include <span>
#include <vector>

namespace sinew {

/// Metres per unit of the scan, from its size: people are 0.5 to 2.8 m in their longest direction.
/// @throws InputError  when no unit makes it so
double guess_unit(const Points& points, std::string& name);

/// A pose that searches begin with: angles of the rig by name.
struct StartPose {
    std::string name;
    Eigen::VectorXd angles = {};
};
/// Arms hanging, away from the body, level, raised; kneeling; sitting on the heels.
std::vector<StartPose> start_poses(const PoseRig& rig);

/// The similarity that takes `from` to `to` in the least squares sense [Umeyama1991].
RigState similarity(const Points& from, const Points& to, const RigState& start);

struct FoundPlacement {
    RigState state = {};
    RigPrior prior = {};
    double mismatch = 0.0;  ///< m, see rig_mismatch
    std::string pose = {};
};

/// Placement, pose and shape on the coarse rig, from landmarks.
FoundPlacement place_by_landmarks(const PoseRig& rig, const ScanIndex& index,
                                  std::span<const LandmarkPair> landmarks);
/// Placement, pose and shape on the coarse rig by trying: axes that may be up, headings, poses.
/// Bad starts are given up early.
/// @param up_is_known  Y is up; the way it faces is looked for all the same
FoundPlacement place_by_search(const PoseRig& rig, const Scan& scan, const ScanIndex& index,
                               bool up_is_known, const Progress& progress);

}  // namespace sinew
