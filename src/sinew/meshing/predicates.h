#pragma once

#include "sinew/mesh/arrays.h"

namespace sinew {

/// Signs that are right for all finite input (unless products of coordinates overflow or
/// underflow): a floating-point filter decides almost always, exact expansions the rest
/// [Shewchuk1997].

/// Sign of det(b-a, c-a, d-a): +1 when d sees a b c clockwise, so that a b c d is a tetrahedron of
/// positive volume; 0 when the four points lie in one plane.
int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Sign of the area of a b c in the plane, +1 for counter-clockwise.
int orientation(const Vec2& a, const Vec2& b, const Vec2& c);

/// True when the three points lie on one line (or coincide).
bool are_collinear(const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace sinew
