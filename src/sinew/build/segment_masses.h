#pragma once

#include "sinew/body/body.h"

#include <vector>

namespace sinew {

/// The segment of the skeleton that each tetrahedron's flesh moves with: that of the nearest bone,
/// measured through the tetrahedra (a finger's flesh never belongs to the thigh it hangs beside).
/// Tetrahedra that hold bone belong to the bone with the largest share.
/// Needs tets, shares, bones and skeleton. -1 everywhere when no tetrahedron holds bone.
std::vector<Index> segments_of_tets(const Body& body);

/// The skeleton's segments with mass, centre of mass and inertia: every share of every tetrahedron
/// weighs share * volume * density of its material. Bone counts to its own segment, all else to
/// that of segments_of_tets; a tetrahedron without one counts to segment 0.
///
///   m = sum m_t,   c = sum m_t c_t / m,
///   I = sum m_t (|r|^2 E - r r^T) + I_t,   r = c_t - c,   I_t that of a homogeneous tetrahedron
std::vector<Segment> weigh_segments(const Body& body);

}  // namespace sinew
