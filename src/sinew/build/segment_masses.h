#pragma once

#include "sinew/body/body.h"

#include <string>
#include <vector>

namespace sinew {

/// The segment of the skeleton that each tetrahedron's flesh moves with: that of the nearest bone,
/// measured through the tetrahedra (a finger's flesh never belongs to the thigh it hangs beside).
/// Tetrahedra that hold bone belong to the bone with the largest fraction. At the large joints the
/// planes of segment_cuts decide instead.
/// Needs tets, shares, bones and skeleton. -1 everywhere when no tetrahedron holds bone.
std::vector<Index> segments_of_tets(const Body& body);

/// The skeleton's segments with mass, centre of mass and inertia: every fraction of every
/// tetrahedron weighs fraction * volume * density of its material. Bone counts to its own segment
/// unless a plane of segment_cuts lies between, all else to that of segments_of_tets; a tetrahedron
/// without one counts to segment 0.
///
///   m = sum m_t,   c = sum m_t c_t / m,
///   I = sum m_t (|r|^2 E - r r^T) + I_t,   r = c_t - c,   I_t that of a homogeneous tetrahedron
std::vector<Segment> weigh_segments(const Body& body);

/// Share of the body's mass of one part of it, mean of left and right, beside the published one.
struct SegmentShare {
    std::string name;
    double share = 0.0;
    double published = 0.0;  ///< [deLeva1996, table 4]; of men where the sex is not known
};

/// Head with neck, trunk, upper arm, forearm, hand, thigh, shank and foot of a body that has been
/// weighed. Empty where the skeleton lacks a joint of segment_cuts or has no mass.
std::vector<SegmentShare> compare_segments(const Body& body);

}  // namespace sinew
