#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <span>

namespace sinew {

class SignedDistance;

/// A surface that goes with another of the same triangulation as flesh goes with its skin: the
/// offset of every vertex rotates as the skin around it did, and grows and shrinks with it.
/// @param outer  the skin before, `inner` what lay under it; `now` the skin afterwards
Points carried_under(const Points& outer, const Points& inner, const Points& now,
                     const Triangles& triangles);

/// Puts vertices of `inner` that are outside the closed surface `outer` back: towards their own
/// vertex of it, halving, and at last `under` (m) below that vertex.
/// @param is_held  vertices that stay whatever they are; empty: none
/// @returns how many moved
Eigen::Index put_inside(const Points& outer, const Triangles& triangles, double under,
                        std::span<const char> is_held, Points& inner);

/// For every row, in parallel, the signed distance to a closed surface where it is more than
/// `level`, and else something between it and `level`. A point that lies deeper answers for all
/// around it: where few come out this takes a tenth of the time.
/// @param level  m, <= 0
Eigen::VectorXd distances_above(const SignedDistance& surface, const Points& points, double level);

}  // namespace sinew
