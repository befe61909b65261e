#pragma once

#include "sinew/body/atlas.h"
#include "sinew/body/figure_table.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Joints of both sides of a figure, parents first.
std::vector<BoneJoint> joints_of(const FigureTable& table);

/// Segments of bones that move as one, and which bone belongs to which.
struct JointTree {
    Skeleton skeleton = {};
    std::map<std::string, Index> segment_of = {};  ///< of each bone
};

/// Bones that hang on each other by fixed joints become one segment; the root can move freely,
/// about the middle of the hips where there are joints hip_l and hip_r, else about `root_centre`.
/// @throws InputError  naming `where`: a bone with two joints above it, or joints that do not hang
///                     together from the root (a circle, or a parent without joint)
JointTree build_joint_tree(const std::string& root, std::span<const BoneJoint> joints,
                           std::string_view where, const Vec3& root_centre = Vec3::Zero());

}  // namespace sinew
