#include "sinew/motion/wrapping.h"

#include "sinew/base/units.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

// Wrapping of one straight piece over one surface. Spheres and cylinders have closed forms:
// tangents to a circle, an arc between, and on a cylinder a helix, since the unrolled path is
// straight. Which side a path passes on is the object's rule (side_axis, side_sign), as in OpenSim;
// objects of MuJoCo name a side point instead (wrap_side.cpp).
//
// `hits` means that the straight line cuts the surface; on the forbidden side a path must wrap even
// where it does not.

namespace sinew {

namespace {

constexpr double kTurn = 2.0 * kPi;

int sign_of(double x) {
    return x < 0.0 ? -1 : 1;
}

// Whether a path may be off its straight line. `nearest` is the point of the line nearest to the
// surface's axis or centre, `hits` whether the line cuts the surface.
bool must_wrap(const WrapObject& object, const Vec3& p, const Vec3& s, const Vec3& nearest,
               bool hits) {
    if (object.side_sign == 0 || hits) {
        return hits;
    }
    const int axis = object.side_axis;
    const bool p_is_on_side = sign_of(p[axis]) == object.side_sign;
    const bool s_is_on_side = sign_of(s[axis]) == object.side_sign;
    if (p_is_on_side && s_is_on_side) {
        return false;
    }
    if (p_is_on_side || s_is_on_side) {
        return sign_of(nearest[axis]) != object.side_sign;
    }
    return true;
}

// An angle brought to [0, 2 pi); angles a rounding error below a full turn count as 0.
// Angles a hair below a full turn come from rounding of tangents that coincide.
double full_turn(double angle) {
    angle = std::fmod(angle, kTurn);
    if (angle < 0.0) {
        angle += kTurn;
    }
    return angle > kTurn - 1e-9 ? 0.0 : angle;
}

// Counter-clockwise or clockwise round the cylinder, seen from +z.
struct Winding {
    double begin = 0.0;  // angle of the first tangent point
    double angle = 0.0;  // turned between the tangent points, >= 0
};

// Tangent points lie at acos(r / distance) beside the direction to each end.
Winding winding(const Vec3& p, const Vec3& s, double r, double sense) {
    const double half_p = std::acos(std::min(1.0, r / std::hypot(p.x(), p.y())));
    const double half_s = std::acos(std::min(1.0, r / std::hypot(s.x(), s.y())));
    const double begin = std::atan2(p.y(), p.x()) + sense * half_p;
    const double end = std::atan2(s.y(), s.x()) - sense * half_s;
    return {begin, full_turn(sense * (end - begin))};
}

// Which way round a cylinder the path goes: the shorter, or the one on the side that counts.
double choose_sense(const WrapObject& object, const Vec3& p, const Vec3& s, double r) {
    const Winding left = winding(p, s, r, 1.0);
    const Winding right = winding(p, s, r, -1.0);
    const double shorter = left.angle <= right.angle ? 1.0 : -1.0;
    if (object.side_sign == 0 || object.side_axis == 2) {
        return shorter;
    }
    const auto is_on_side = [&](double angle) {
        const double x = object.side_axis == 0 ? std::cos(angle) : std::sin(angle);
        return sign_of(x) == object.side_sign;
    };
    // The tangent points near p decide, then those near s.
    const bool left_begin = is_on_side(left.begin);
    const bool right_begin = is_on_side(right.begin);
    if (left_begin != right_begin) {
        return left_begin ? 1.0 : -1.0;
    }
    const bool left_end = is_on_side(left.begin + left.angle);
    const bool right_end = is_on_side(right.begin - right.angle);
    if (left_end != right_end) {
        return left_end ? 1.0 : -1.0;
    }
    return shorter;
}

SurfaceWrap wrap_cylinder(const WrapObject& object, const Vec3& p, const Vec3& s) {
    const double r = object.size[0];
    const double p_flat = std::hypot(p.x(), p.y());
    const double s_flat = std::hypot(s.x(), s.y());
    if (p_flat < r || s_flat < r) {
        return {};
    }
    const Vec3 d = s - p;
    const double d2 = d.x() * d.x() + d.y() * d.y();
    const double t = d2 > 0.0 ? -(p.x() * d.x() + p.y() * d.y()) / d2 : 0.0;
    const Vec3 nearest = p + t * d;
    const bool hits = t > 0.0 && t < 1.0 && std::hypot(nearest.x(), nearest.y()) < r;
    if (!must_wrap(object, p, s, nearest, hits)) {
        return {};
    }
    const double sense = choose_sense(object, p, s, r);
    const Winding w = winding(p, s, r, sense);
    // Unrolled, the path is one straight line: height grows with the flat length.
    const double before = std::sqrt(p_flat * p_flat - r * r);
    const double after = std::sqrt(s_flat * s_flat - r * r);
    const double on_surface = r * w.angle;
    const double flat = before + on_surface + after;
    const double slope = flat > 0.0 ? d.z() / flat : 0.0;
    SurfaceWrap wrap{.wraps = true, .cuts = hits};
    const double end = w.begin + sense * w.angle;
    wrap.begin = Vec3(r * std::cos(w.begin), r * std::sin(w.begin), p.z() + slope * before);
    wrap.end = Vec3(r * std::cos(end), r * std::sin(end), s.z() - slope * after);
    const double half = 0.5 * object.size[1];
    if (std::abs(wrap.begin.z()) > half && std::abs(wrap.end.z()) > half) {
        return {};
    }
    wrap.length = on_surface * std::sqrt(1.0 + slope * slope);
    return wrap;
}

SurfaceWrap wrap_sphere(const WrapObject& object, const Vec3& p, const Vec3& s) {
    const double r = object.size[0];
    const double p_far = p.norm();
    const double s_far = s.norm();
    if (p_far < r || s_far < r) {
        return {};
    }
    const Vec3 d = s - p;
    const double t = d.squaredNorm() > 0.0 ? -p.dot(d) / d.squaredNorm() : 0.0;
    const Vec3 nearest = p + t * d;
    const bool hits = t > 0.0 && t < 1.0 && nearest.norm() < r;
    if (!must_wrap(object, p, s, nearest, hits)) {
        return {};
    }
    // The great circle through p and s; where both are in line with the centre, towards the side.
    const Vec3 e1 = p / p_far;
    Vec3 e2 = s - s.dot(e1) * e1;
    if (e2.norm() < 1e-12 * s_far) {
        e2 = object.side_sign != 0 ? Vec3(object.side_sign * Vec3::Unit(object.side_axis))
                                   : e1.unitOrthogonal();
        e2 -= e2.dot(e1) * e1;
    }
    e2.normalize();
    const double between = std::atan2(s.dot(e2), s.dot(e1));
    const double half_p = std::acos(r / p_far);
    const double half_s = std::acos(r / s_far);
    double sense = 1.0;
    const double short_middle = 0.5 * (half_p + between - half_s);
    const Vec3 middle = std::cos(short_middle) * e1 + std::sin(short_middle) * e2;
    if (object.side_sign != 0 && sign_of(middle[object.side_axis]) != object.side_sign) {
        sense = -1.0;
    }
    const double angle = full_turn((sense > 0.0 ? between : kTurn - between) - half_p - half_s);
    const auto on_circle = [&](double a) {
        return Vec3(r * (std::cos(a) * e1 + sense * std::sin(a) * e2));
    };
    return {true, hits, on_circle(half_p), on_circle(half_p + angle), r * angle};
}

}  // namespace

SurfaceWrap wrap_segment(const WrapObject& object, const Vec3& p, const Vec3& s) {
    if (object.has_side_point) {
        return detail::wrap_side_point(object, p, s);
    }
    switch (object.kind) {
        case WrapKind::Sphere:
            return wrap_sphere(object, p, s);
        case WrapKind::Cylinder:
            return wrap_cylinder(object, p, s);
        case WrapKind::Ellipsoid:
            return detail::wrap_ellipsoid(object, p, s);
        case WrapKind::Torus:
            return detail::wrap_torus(object, p, s);
    }
    return {};
}

}  // namespace sinew
