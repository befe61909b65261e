#pragma once

#include "sinew/body/character_skeleton.h"
#include "sinew/mesh/triangle_mesh.h"

#include "tests/support/shapes.h"

namespace sinew::support {

/// A closed tube along +Y of radius 5 cm and length 60 cm.
inline TriangleMesh tube() {
    return cylinder(0.05, 0.6, 20, 30);
}

/// Shoulder at 5 cm, elbow in the middle, hand at 55 cm.
inline CharacterSkeleton two_bones() {
    CharacterSkeleton skeleton;
    skeleton.joints = {{.name = "shoulder", .parent = -1, .position = Vec3(0, 0.05, 0)},
                       {.name = "elbow", .parent = 0, .position = Vec3(0, 0.3, 0)},
                       {.name = "hand", .parent = 1, .position = Vec3(0, 0.55, 0)}};
    return skeleton;
}

/// The elbow bent by an angle about X.
inline CharacterPose bent(const CharacterSkeleton& skeleton, double angle) {
    JointRotations r;
    r.rotations.assign(skeleton.size(), Eigen::Quaterniond::Identity());
    r.rotations[1] = Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vec3::UnitX()));
    return pose_of(skeleton, r);
}

}  // namespace sinew::support
