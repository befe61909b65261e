#pragma once

#include "sinew/mesh/arrays.h"

namespace sinew {

// Distances and barycentric coordinates of single triangles and tetrahedra, also degenerate ones.

/// The point of a triangle nearest to p.
struct OnTriangle {
    Vec3 point;
    Vec3 barycentric;  ///< >= 0, sum 1
    double squared_distance;
};
OnTriangle closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

/// Where p lies relative to a tetrahedron of any orientation.
/// @return coordinates that sum to 1 and reproduce p, negative ones outside; not finite where the
///         volume is zero
Vec4 tet_barycentric(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// The point of a solid tetrahedron nearest to p: p itself inside.
struct OnTet {
    Vec3 point;
    Vec4 barycentric;  ///< >= 0, sum 1
    double squared_distance;
};
OnTet closest_on_tet(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Solid angle of a triangle seen from p, in [-2 pi, 2 pi], positive when p is behind it (the
/// triangle turns its back). 0 when p lies in its plane.
double solid_angle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace sinew
