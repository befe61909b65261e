#pragma once

#include "sinew/body/body.h"

namespace sinew {

struct SeparatedSkin {
    Points x;
    long crossing_before = 0;  ///< pairs of skin triangles
    long crossing_after = 0;
    double furthest = 0.0;  ///< that a point moved, m
};

/// Moves skin that has grown through other skin back on its path, until no triangles cross:
/// displacements at corners of crossing triangles are shortened by a few per cent in every round,
/// those of points around, inside as well, by less the more edges away they are. At rest nothing
/// crosses, so every path leads back out. Positions without crossings come back as they are.
/// @param rest  tets and skin before; its skin does not cross itself
/// @param x     points of its tets after
SeparatedSkin separate_skin(const Body& rest, const Points& x);

}  // namespace sinew
