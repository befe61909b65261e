#include "sinew/base/units.h"
#include "sinew/motion/wrapping.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>

// Wrapping as MuJoCo defines it: a side point outside of the circle says on which side the path
// passes, one inside that the path is held within the surface (a ring or a pulley's groove). The
// inside case has the equation of a reflection and is solved by Newton's steps with MuJoCo's own
// tolerances and fallback, because models written for it must get its lengths.

namespace sinew::detail {

namespace {

constexpr double kTiny = 1e-15;
constexpr int kInsideSteps = 20;
constexpr double kInsideTolerance = 1e-6;

double cross2(const Vec2& a, const Vec2& b) {
    return a.x() * b.y() - a.y() * b.x();
}

// A path round or inside a circle about the origin.
struct CircleWrap {
    bool wraps = false;
    Vec2 begin = Vec2::Zero();
    Vec2 end = Vec2::Zero();
    double length = 0.0;
};

bool segments_meet(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
    const double det = cross2(b - a, d - c);
    if (std::abs(det) < kTiny) {
        return false;
    }
    const double s = cross2(c - a, d - c) / det;
    const double t = cross2(c - a, b - a) / det;
    return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}

// The nearest point of a segment to the origin.
Vec2 nearest_point(const Vec2& a, const Vec2& b) {
    const Vec2 d = b - a;
    return a + std::clamp(-a.dot(d) / d.squaredNorm(), 0.0, 1.0) * d;
}

// Both ways round; of two that can be, the one whose tangent points lie more to the side.
CircleWrap wrap_outside(const Vec2& a, const Vec2& b, const Vec2& side, double r) {
    if (a.norm() < r || b.norm() < r || (b - a).squaredNorm() < kTiny) {
        return {};
    }
    const Vec2 nearest = nearest_point(a, b);
    if (nearest.norm() > r && side.dot(nearest) >= 0.0) {
        return {};
    }
    CircleWrap best;
    double best_good = -1e9;
    for (const double sense : {1.0, -1.0}) {
        const auto tangent = [&](const Vec2& p, double turn) {
            const double root = std::sqrt(std::max(p.squaredNorm() - r * r, 0.0));
            return Vec2((p * r * r + turn * r * root * Vec2(p.y(), -p.x())) / p.squaredNorm());
        };
        CircleWrap w{true, tangent(a, sense), tangent(b, -sense), 0.0};
        const double good = segments_meet(a, w.begin, b, w.end)
                                ? -1e4
                                : Vec2(w.begin + w.end).normalized().dot(side.normalized());
        if (good > best_good) {
            const double between = std::atan2(cross2(w.begin, w.end), w.begin.dot(w.end));
            const double turned = -sense * between;  // clockwise for +1
            w.length = r * (turned < 0.0 ? turned + 2.0 * kPi : turned);
            best = w;
            best_good = good;
        }
    }
    return best_good < -100.0 ? CircleWrap{} : best;
}

// The point of the circle where a path that is held inside bends: it leaves as it came. With z the
// sine of the angle of incidence, asin(A z) + asin(B z) - 2 asin(z) + G = 0.
CircleWrap wrap_inside(const Vec2& a, const Vec2& b, double r) {
    const double len_a = a.norm();
    const double len_b = b.norm();
    if (len_a <= r || len_b <= r || r < kTiny) {
        return {};
    }
    if ((b - a).squaredNorm() > kTiny && nearest_point(a, b).norm() <= r) {
        return {};
    }
    const double A = r / len_a;
    const double B = r / len_b;
    const double cos_g = std::clamp(a.dot(b) / (len_a * len_b), -1.0, 1.0);
    if (cos_g < -1.0 + kTiny) {
        return {};
    }
    const Vec2 middle = (a + b).normalized() * r;
    CircleWrap out{true, middle, middle, 0.0};
    const double G = std::acos(cos_g);
    const auto f = [&](double z) {
        return std::asin(A * z) + std::asin(B * z) - 2.0 * std::asin(z) + G;
    };
    // Newton's steps from the right; where they fail MuJoCo takes the middle, and so it is here.
    double z = 1.0 - 1e-7;
    if (cos_g > 1.0 - kTiny || f(z) > 0.0) {
        return out;
    }
    int k = 0;
    for (; k < kInsideSteps && std::abs(f(z)) > kInsideTolerance; ++k) {
        const double slope = A / std::max(kTiny, std::sqrt(1.0 - z * z * A * A)) +
                             B / std::max(kTiny, std::sqrt(1.0 - z * z * B * B)) -
                             2.0 / std::max(kTiny, std::sqrt(1.0 - z * z));
        const double next = z - f(z) / slope;
        if (slope > -kTiny || next > z || f(next) > kInsideTolerance) {
            return out;
        }
        z = next;
    }
    if (k == kInsideSteps) {
        return out;
    }
    const bool is_left = cross2(a, b) > 0.0;
    const Vec2 from = (is_left ? a : b).normalized();
    const double angle = std::asin(z) - std::asin((is_left ? A : B) * z);
    out.begin = out.end = r * (Eigen::Rotation2Dd(angle) * from);
    return out;
}

}  // namespace

SurfaceWrap wrap_side_point(const WrapObject& object, const Vec3& p, const Vec3& s) {
    const double r = object.size[0];
    const bool is_sphere = object.kind == WrapKind::Sphere;
    Vec3 x = Vec3::UnitX();
    Vec3 y = Vec3::UnitY();
    if (is_sphere) {
        // The great circle through both.
        x = p.normalized();
        const Vec3 normal = p.cross(s);
        y = normal.norm() < kTiny ? x.unitOrthogonal() : Vec3(normal.normalized().cross(x));
    }
    const Vec2 a(p.dot(x), p.dot(y));
    const Vec2 b(s.dot(x), s.dot(y));
    const Vec2 side(object.side_point.dot(x), object.side_point.dot(y));
    // What counts is the side point in the plane of the circle.
    const bool is_inside = side.norm() < r;
    const CircleWrap w = is_inside ? wrap_inside(a, b, r) : wrap_outside(a, b, side, r);
    if (!w.wraps) {
        return {};
    }
    SurfaceWrap out{.wraps = true, .cuts = nearest_point(a, b).norm() < r};
    out.begin = w.begin.x() * x + w.begin.y() * y;
    out.end = w.end.x() * x + w.end.y() * y;
    out.length = w.length;
    if (!is_sphere) {
        // Height grows with the flat length.
        const double before = (w.begin - a).norm();
        const double flat = before + w.length + (b - w.end).norm();
        const double slope = flat > 0.0 ? (s.z() - p.z()) / flat : 0.0;
        out.begin.z() = p.z() + slope * before;
        out.end.z() = out.begin.z() + slope * w.length;
        out.length = w.length * std::sqrt(1.0 + slope * slope);
    }
    return out;
}

}  // namespace sinew::detail
