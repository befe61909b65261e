#pragma once

#include "sinew/body/body.h"

#include <vector>

namespace sinew {

/// The plane that parts the flesh beyond a joint from the flesh before it.
struct SegmentCut {
    Index joint = 0;             ///< of the skeleton
    Vec3 at = Vec3::Zero();      ///< m
    Vec3 normal = Vec3::Zero();  ///< unit, towards the child
    double reach = 0.0;          ///< flesh further than this from the joint is not concerned, m
};

/// Planes as segments are cut in [deLeva1996] after Zatsiorsky, for the joints that the skeleton
/// has of hip, knee, ankle, shoulder, elbow, wrist and the root of the neck: through the joint's
/// centre, halfway between across the limb before it and across the limb beyond it, with these
/// exceptions. The arm is cut by a sagittal plane, the hand at the tip of the radius (stylion), the
/// shank at the top of the tibia, the foot across the shank, the head with the neck across the
/// neck. The thigh is cut in the groin: by a plane through the anterior superior iliac spine
/// (landmark "asis_l", "asis_r"; else through the joint) at 37 degrees to the sagittal plane.
std::vector<SegmentCut> segment_cuts(const Body& body);

/// For every segment the last cut on the way from the root to it; -1 before the first. The segments
/// with the same are one region: head, trunk, upper arm, ...
std::vector<Index> cut_regions(const Skeleton& skeleton, const std::vector<SegmentCut>& cuts);

/// Moves flesh to the side of the cuts that it lies on.
/// @param segment  of every tetrahedron, by its nearest bone
void apply_cuts(const Body& body, const std::vector<SegmentCut>& cuts, std::vector<Index>& segment);

}  // namespace sinew
