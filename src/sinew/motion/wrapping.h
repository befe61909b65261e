#pragma once

#include "sinew/body/musculoskeletal.h"

namespace sinew {

/// How a straight piece of a path lies over a surface, in the surface's frame.
struct SurfaceWrap {
    bool wraps = false;
    bool cuts = false;          ///< the straight line goes through the surface
    Vec3 begin = Vec3::Zero();  ///< where the path meets the surface, m
    Vec3 end = Vec3::Zero();    ///< where it leaves it, m
    double length = 0.0;        ///< of the geodesic in between, m
};

/// The taut path from p to s over the surface: straight to a tangent point, along a geodesic, and
/// straight on. All three join with a common tangent, so the length is stationary and its
/// derivative is that of the straight pieces alone, with the tangent points held on the body.
///
/// No wrap where an end lies inside, or where the straight line passes clear of the surface. With a
/// side given, cylinders and spheres also hold lines that pass on the wrong side: the path goes
/// round the side that counts. A line that misses a torus's hole is led through it.
/// Spheres and cylinders are closed forms (a cylinder's geodesic is a helix; it counts only if one
/// of the tangent points lies within its length); ellipsoids and tori are solved by Newton's method
/// to rounding.
SurfaceWrap wrap_segment(const WrapObject& object, const Vec3& p, const Vec3& s);

namespace detail {
/// The geodesic solver behind ellipsoids and tori.
SurfaceWrap wrap_ellipsoid(const WrapObject& object, const Vec3& p, const Vec3& s);
/// Spheres and cylinders with a side point, as MuJoCo's engine has them.
SurfaceWrap wrap_side_point(const WrapObject& object, const Vec3& p, const Vec3& s);
SurfaceWrap wrap_torus(const WrapObject& object, const Vec3& p, const Vec3& s);
}  // namespace detail

}  // namespace sinew
