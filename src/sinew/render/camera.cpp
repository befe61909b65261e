#include "sinew/render/camera.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    void add(double x) {
        low = std::min(low, x);
        high = std::max(high, x);
    }
    double middle() const {
        return 0.5 * (low + high);
    }
    double half() const {
        return 0.5 * (high - low);
    }
};

/// Puts a perspective eye so that all points lie within the tangents `tx`, `ty`.
/// A point at (x, y), z towards the eye, fits when |x - cx| <= tx (D - z), so D >= z + |x - cx|/tx.
void place_eye(Camera& camera, std::span<const Vec3> points, double tx, double ty) {
    Vec3 target = camera.eye;
    double distance = 1.0;
    for (int round = 0; round < 3; ++round) {
        distance = 0.0;
        for (const Vec3& p : points) {
            const Vec3 d = p - target;
            const double z = -d.dot(camera.forward);
            distance = std::max({distance, z + std::abs(d.dot(camera.right)) / tx,
                                 z + std::abs(d.dot(camera.up)) / ty});
        }
        // Perspective shifts the outline a little; move the target to its middle and fit again.
        Extent x;
        Extent y;
        for (const Vec3& p : points) {
            const Vec3 d = p - target;
            const double depth = std::max(distance + d.dot(camera.forward), 1e-9 * distance);
            x.add(d.dot(camera.right) / depth);
            y.add(d.dot(camera.up) / depth);
        }
        if (distance <= 0.0) {
            distance = 1.0;
            break;
        }
        if (round < 2) {
            target += distance * (x.middle() * camera.right + y.middle() * camera.up);
        }
    }
    camera.eye = target - distance * camera.forward;
}

}  // namespace

Vec3 Camera::project(const Vec3& point, int width, int height) const {
    const Vec3 d = point - eye;
    const double depth = d.dot(forward);
    const double scale = 0.5 * height / (half_height * (field_of_view > 0.0 ? depth : 1.0));
    return {0.5 * width + scale * d.dot(right), 0.5 * height - scale * d.dot(up), depth};
}

Vec3 direction_to_viewer(double azimuth, double elevation) {
    const double c = std::cos(elevation);
    return {c * std::sin(azimuth), std::sin(elevation), c * std::cos(azimuth)};
}

ViewAngles angles_of(View view) {
    switch (view) {
        case View::Back:
            return {kPi, 0.0};
        case View::Left:
            return {kPi / 2, 0.0};
        case View::Right:
            return {-kPi / 2, 0.0};
        case View::ThreeQuarter:
            return {kPi / 5, kPi / 20};
        case View::Top:
            return {0.0, kPi / 2};
        case View::Front:
            break;
    }
    return {0.0, 0.0};
}

Camera fit_camera(std::span<const Vec3> points, const ViewAngles& angles, double field_of_view,
                  double aspect, double margin) {
    Camera camera;
    camera.field_of_view = field_of_view;
    camera.forward = -direction_to_viewer(angles.azimuth, angles.elevation);
    camera.right = Vec3(std::cos(angles.azimuth), 0.0, -std::sin(angles.azimuth));
    camera.up = camera.right.cross(camera.forward);

    // Middle of the outline and of the depth, seen along the view direction.
    Extent x;
    Extent y;
    Extent z;
    for (const Vec3& p : points) {
        x.add(p.dot(camera.right));
        y.add(p.dot(camera.up));
        z.add(p.dot(camera.forward));
    }
    if (points.empty()) {
        x.add(0.0);
        y.add(0.0);
        z.add(0.0);
    }
    camera.eye = x.middle() * camera.right + y.middle() * camera.up + z.middle() * camera.forward;
    const double use = 1.0 - 2.0 * margin;
    const double size = std::max({x.half() / aspect, y.half(), z.half()});
    const double least = size > 0.0 ? 1e-3 * size : 1.0;  // a point or a line still gives a picture
    if (field_of_view <= 0.0) {
        camera.half_height = std::max({x.half() / aspect, y.half(), least}) / use;
        camera.eye -= camera.forward * (2.0 * z.half() + 4.0 * camera.half_height);
        return camera;
    }
    camera.half_height = std::tan(0.5 * field_of_view);
    if (size <= 0.0) {
        camera.eye -= camera.forward / camera.half_height;
        return camera;
    }
    place_eye(camera, points, use * camera.half_height * aspect, use * camera.half_height);
    return camera;
}

}  // namespace sinew
