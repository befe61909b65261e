#pragma once

#include "sinew/mesh/arrays.h"

#include <span>

namespace sinew {

/// Where the beholder stands. Y is up, +Z the body's front, +X the body's left: the front view
/// looks from +Z, so the body's left is on the picture's right; `Left` shows the body's left side.
enum class View { Front, Back, Left, Right, ThreeQuarter, Top };

/// A pinhole camera; with `field_of_view` 0 the rays are parallel.
struct Camera {
    Vec3 eye = {0, 0, 5};        ///< m; for parallel rays any point on the beholder's side
    Vec3 forward = {0, 0, -1};   ///< unit
    Vec3 right = {1, 0, 0};      ///< unit, towards the picture's right
    Vec3 up = {0, 1, 0};         ///< unit, towards the picture's top
    double field_of_view = 0.2;  ///< vertical, rad, [0, 2.8]
    double half_height = 1.0;    ///< of the picture at distance 1 (perspective) or in m (parallel)

    /// Position in the picture of a point in space: x to the right and y down, in pixels, and the
    /// distance along `forward`.
    Vec3 project(const Vec3& point, int width, int height) const;
};

/// Direction from the body to the beholder.
/// @param azimuth    rad, 0 = front, pi/2 = the body's left
/// @param elevation  rad, pi/2 = from above
Vec3 direction_to_viewer(double azimuth, double elevation);

struct ViewAngles {
    double azimuth = 0.0;    ///< rad
    double elevation = 0.0;  ///< rad
};
ViewAngles angles_of(View view);

/// A camera that looks along the given angles and just holds all points, with `margin` (fraction of
/// the picture's side, [0, 0.45]) left free on every side.
/// @param field_of_view  vertical, rad; 0 = parallel rays
Camera fit_camera(std::span<const Vec3> points, const ViewAngles& angles, double field_of_view,
                  double aspect, double margin);

}  // namespace sinew
