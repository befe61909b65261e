#pragma once

#include "sinew/body/body.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// A joint as a person poses it: one of the skeleton, or several that share a rotation (the loins).
struct PosableJoint {
    std::string name;               ///< "shoulder_l", "loins"
    Vec3 centre = Vec3::Zero();     ///< m
    int parent = -1;                ///< posable joint
    int angles = 0;                 ///< 1 to 3
    std::array<Vec3, 3> axes = {};  ///< unit, at rest
    std::array<AngleLimit, 3> limits = {};
    std::array<std::string, 3> motions = {};  ///< "flexion"
    std::vector<Index> joints = {};           ///< of the skeleton
};

/// Those of a human skeleton that exist in this body, parents first.
std::vector<PosableJoint> posable_joints(const Body& body);

/// Angles of posable joints, rad.
using PosedAngles = std::map<std::string, std::array<double, 3>>;

/// Coordinates of the skeleton: joints that share a rotation take equal parts, limits are kept.
/// @throws InputError  with the nearest known name for a joint that is none
Pose pose_from_angles(const Body& body, const std::vector<PosableJoint>& joints,
                      const PosedAngles& angles);

/// The inverse: what the coordinates of a posable joint's own joints add up to. Angles of joints
/// that share a rotation unequally come back as their sum.
PosedAngles angles_from_pose(const Body& body, const std::vector<PosableJoint>& joints,
                             const Pose& pose);

/// Motions that need no file: "wave" and "walk" (on the spot).
std::vector<std::string> built_in_motions();
/// @param time  s; they repeat
PosedAngles built_in_motion(std::string_view name, double time);

}  // namespace sinew
