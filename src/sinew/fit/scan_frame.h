#pragma once

#include "sinew/fit/pose_rig.h"
#include "sinew/fit/registration.h"
#include "sinew/fit/scan.h"
#include "sinew/fit/surface_icp.h"

#include <vector>

namespace sinew {

/// A scan with other units: all positions times `unit`.
Scan in_metres(const Scan& scan, double unit);

/// How everything comes from the scan's axes to those of the body. Heading and tilt of the pelvis
/// are part of the pose, so only whole quarter turns of `up` and the heading count.
/// @param posed  the skin in the frame of the scan, m
ScanPlacement placement_of(const RigState& state, double unit, const Points& posed);

/// The same rig in the frame of the body.
RigState placed_by(const RigState& state, const ScanPlacement& placement);

/// Where named points are on a skin, with where the scan says they are: those that both know.
std::vector<LandmarkPair> landmark_pairs(const TriangleMesh& skin, const std::vector<Landmark>& own,
                                         const std::vector<ScanLandmark>& given);

}  // namespace sinew
