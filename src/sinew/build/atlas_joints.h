#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/atlas.h"
#include "sinew/body/figure_table.h"

#include <span>
#include <string>
#include <vector>

namespace sinew {

/// x -> scale R x + shift
struct Similarity {
    double scale = 1.0;
    Mat3 R = Mat3::Identity();
    Vec3 shift = Vec3::Zero();

    Vec3 operator()(const Vec3& x) const {
        return scale * (R * x) + shift;
    }
};

/// Lays one surface onto another of about the same shape: sizes from the spread of points about
/// their middle, the long axis turned first, then nearest points of both surfaces brought together
/// [Besl1992], the worst fifth of the pairs left out in every round.
/// @param mean_distance  of the pairs that were used, at the end, m
Similarity fit_surface(const TriangleMesh& from, const TriangleMesh& to, double& mean_distance);

/// How the bones of an atlas hang together.
struct AtlasJoints {
    std::string root;                      ///< bone
    std::vector<BoneJoint> joints = {};    ///< every bone but the root is a child
    std::vector<Landmark> landmarks = {};  ///< of the figure, near the skin
    std::vector<std::string> notes = {};
};

/// Joints of the built-in figure carried over to an atlas: each bone of the figure is laid onto the
/// bones of the atlas that have its name (or an alias, or are covered by it), and takes joints and
/// landmarks along; a joint lies in the middle of where its two bones take it. Bones unknown to the
/// figure hang fixed on the nearest known one.
/// Angles are counted from the atlas's stance, limits stay those of the figure's.
AtlasJoints estimate_joints(std::span<const Bone> bones, const FigureTable& figure,
                            const Progress& progress);

/// The joints that a manifest gives, with the names of bones looked up; bones without a joint hang
/// fixed on the nearest bone that has one.
/// @param root  bone; empty: the one parent that is no child
/// @throws InputError  for unknown bones, or more than one root
AtlasJoints complete_joints(std::span<const Bone> bones, std::span<const BoneJoint> joints,
                            const std::string& root, const std::string& where);

}  // namespace sinew
