#include "sinew/base/units.h"
#include "sinew/motion/wrapping.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>

// Shortest paths over ellipsoids and tori, for which there is no closed form. A path is a strand:
// where it begins on the surface, in which direction, how long. Following a geodesic is an ordinary
// differential equation; it is taut when the straight pieces at both ends continue it without a
// kink: four equations in four unknowns, solved by Newton's method.
//
// A long ellipsoid has several taut paths. Plane sections all round give starts, and the shortest
// that can be tightened is taken.

namespace sinew::detail {

namespace {

// Steps along a geodesic per length of the surface's size: the fourth-order error stays below 1e-9
// of that size.
constexpr double kStepsPerSize = 30.0;
constexpr int kFewestSteps = 8;
constexpr int kMostSteps = 300;
constexpr int kNewtonSteps = 40;

// F(x) = 0 with its gradient and the second derivative along a direction.
struct Ellipsoid {
    Vec3 inverse_square;

    double value(const Vec3& x) const {
        return x.cwiseProduct(x).dot(inverse_square) - 1.0;
    }
    Vec3 gradient(const Vec3& x) const {
        return 2.0 * x.cwiseProduct(inverse_square);
    }
    double bend(const Vec3&, const Vec3& t) const {
        return 2.0 * t.cwiseProduct(t).dot(inverse_square);
    }
};

// F = (rho - R)^2 + z^2 - r^2 with rho = |(x, y)|.
// The path is led through the hole, on the inner side of the ring.
struct Torus {
    double tube;
    double ring;

    double value(const Vec3& x) const {
        const double rho = std::hypot(x.x(), x.y()) - ring;
        return rho * rho + x.z() * x.z() - tube * tube;
    }
    Vec3 gradient(const Vec3& x) const {
        const double rho = std::hypot(x.x(), x.y());
        const double k = 2.0 * (rho - ring) / rho;
        return {k * x.x(), k * x.y(), 2.0 * x.z()};
    }
    double bend(const Vec3& x, const Vec3& t) const {
        const double rho = std::hypot(x.x(), x.y());
        const double along = (x.x() * t.x() + x.y() * t.y()) / rho;
        const double across2 = t.x() * t.x() + t.y() * t.y() - along * along;
        return 2.0 * (along * along + t.z() * t.z() + (rho - ring) / rho * across2);
    }
};

template <class Surface>
Vec3 project(const Surface& surface, Vec3 x) {
    for (int i = 0; i < 20; ++i) {
        const Vec3 g = surface.gradient(x);
        const Vec3 step = surface.value(x) / g.squaredNorm() * g;
        x -= step;
        if (step.squaredNorm() < 1e-30 * x.squaredNorm()) {
            break;
        }
    }
    return x;
}

// A path over the surface: start, unit direction there, length.
struct Strand {
    Vec3 start;
    Vec3 direction;
    double length;
};

struct StrandEnd {
    Vec3 x;
    Vec3 t;
};

// x'' = -(t' H t) / |grad F|^2 grad F, by the classical Runge-Kutta method.
template <class Surface>
StrandEnd follow(const Surface& surface, const Strand& strand, int steps) {
    const double h = strand.length / steps;
    Vec3 x = strand.start;
    Vec3 t = strand.direction;
    const auto turn = [&](const Vec3& at, const Vec3& along) -> Vec3 {
        const Vec3 g = surface.gradient(at);
        return -(surface.bend(at, along) / g.squaredNorm()) * g;
    };
    for (int i = 0; i < steps; ++i) {
        const Vec3 k1 = turn(x, t);
        const Vec3 t2 = t + 0.5 * h * k1;
        const Vec3 k2 = turn(x + 0.5 * h * t, t2);
        const Vec3 t3 = t + 0.5 * h * k2;
        const Vec3 k3 = turn(x + 0.5 * h * t2, t3);
        const Vec3 t4 = t + h * k3;
        const Vec3 k4 = turn(x + h * t3, t4);
        x += h / 6.0 * (t + 2.0 * t2 + 2.0 * t3 + t4);
        t += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return {x, t};
}

// 0 when both straight pieces continue the strand: their parts along the normal and across.
template <class Surface>
Vec4 residual(const Surface& surface, const Strand& strand, const StrandEnd& end, const Vec3& p,
              const Vec3& s) {
    const Vec3 n0 = surface.gradient(strand.start).normalized();
    const Vec3 n1 = surface.gradient(end.x).normalized();
    const Vec3 in = strand.start - p;
    const Vec3 out = s - end.x;
    return {n0.dot(in), n0.cross(strand.direction).dot(in), n1.dot(out), n1.cross(end.t).dot(out)};
}

// Moves the start in its tangent plane, turns the direction, lengthens the strand.
template <class Surface>
Strand displaced(const Surface& surface, const Strand& strand, const Vec4& by) {
    const Vec3 n = surface.gradient(strand.start).normalized();
    const Vec3 across = n.cross(strand.direction);
    Strand moved{project(surface, strand.start + by[0] * strand.direction + by[1] * across),
                 strand.direction + by[2] * across, strand.length + by[3]};
    const Vec3 normal = surface.gradient(moved.start).normalized();
    moved.direction = (moved.direction - moved.direction.dot(normal) * normal).normalized();
    return moved;
}

// Fixed steps per length: a path that moves a little changes its number of steps seldom, so
// differences for Newton's method are taken with one number.
int steps_for(double length, double size) {
    return std::clamp(static_cast<int>(std::abs(length) / size * kStepsPerSize), kFewestSteps,
                      kMostSteps);
}

// Newton's method in four unknowns with derivatives by central differences; `size` is a length of
// the surface. Moves `strand`; false where it does not become taut.
template <class Surface>
bool tighten(const Surface& surface, Strand& strand, const Vec3& p, const Vec3& s, double size) {
    // Central differences of a fourth-order integrator: steps of 1e-5 of the size balance
    // truncation and rounding.
    const double shift = 1e-5 * size;
    const Vec4 widths(shift, shift, 1e-5, shift);
    double left = 0.0;
    for (int i = 0; i < kNewtonSteps; ++i) {
        const int n = steps_for(strand.length, size);
        const auto miss = [&](const Strand& x) {
            return residual(surface, x, follow(surface, x, n), p, s);
        };
        const Vec4 r = miss(strand);
        left = r.norm();
        if (left < 1e-13 * size) {
            break;
        }
        Eigen::Matrix4d J;
        for (int k = 0; k < 4; ++k) {
            J.col(k) = (miss(displaced(surface, strand, Vec4::Unit(k) * widths[k])) -
                        miss(displaced(surface, strand, Vec4::Unit(k) * -widths[k]))) /
                       (2.0 * widths[k]);
        }
        Vec4 step = -J.fullPivLu().solve(r);
        const double reach = std::max({std::abs(step[0]), std::abs(step[1]), std::abs(step[3])});
        step *= std::min(1.0, std::min(0.5 * size / std::max(reach, 1e-300),
                                       0.5 / std::max(std::abs(step[2]), 1e-300)));
        bool is_better = false;
        for (int half = 0; half < 8 && !is_better; ++half) {
            const Strand next = displaced(surface, strand, step);
            is_better = miss(next).norm() < left;
            if (is_better) {
                strand = next;
            }
            step *= 0.5;
        }
        if (!is_better) {
            break;
        }
    }
    const StrandEnd end = follow(surface, strand, steps_for(strand.length, size));
    return left < 1e-9 * size && strand.length > 0.0 &&
           strand.direction.dot(strand.start - p) >= -1e-9 * size &&
           end.t.dot(s - end.x) >= -1e-9 * size;
}

template <class Surface>
SurfaceWrap wrap_of(const Surface& surface, const Strand& strand, double size) {
    const StrandEnd end = follow(surface, strand, steps_for(strand.length, size));
    return {true, true, strand.start, end.x, strand.length};
}

// Where the tangent from a point at distance `far` touches a circle: the angle from the direction
// to the point.
double tangent_angle(double r, double far) {
    return std::acos(std::min(1.0, r / far));
}

// The path from p to s in the plane that holds the line and `out`, round the ellipsoid on that
// side. Coordinates are divided by the radii: the plane cuts the unit sphere in a circle.
struct PlanarPath {
    Strand strand;
    double total = 0.0;  // with the straight pieces
};

PlanarPath planar_path(const Vec3& p1, const Vec3& s1, const Vec3& radii, const Vec3& out) {
    const Vec3 e1 = (s1 - p1).normalized();
    const Vec3 normal = e1.cross(out);
    const Vec3 centre = p1.dot(normal) * normal;
    const double r = std::sqrt(std::max(1e-12, 1.0 - centre.squaredNorm()));
    const Vec3 p = p1 - centre;
    const Vec3 s = s1 - centre;
    // Angles from e1 towards `out`; the path turns clockwise from p over the top to s.
    const double from = std::atan2(p.dot(out), p.dot(e1)) - tangent_angle(r, p.norm());
    const double to = std::atan2(s.dot(out), s.dot(e1)) + tangent_angle(r, s.norm());
    const double sweep = std::remainder(from - to - kPi, 2.0 * kPi) + kPi;
    const auto at = [&](double angle) -> Vec3 {
        return (centre + r * (std::cos(angle) * e1 + std::sin(angle) * out)).cwiseProduct(radii);
    };
    constexpr int kChords = 12;
    const Vec3 begin = at(from);
    Vec3 last = begin;
    double length = 0.0;
    for (int i = 1; i <= kChords; ++i) {
        const Vec3 next = at(from - sweep * i / kChords);
        length += (next - last).norm();
        last = next;
    }
    const Vec3 along = std::sin(from) * e1 - std::cos(from) * out;
    const double straight =
        (begin - p1.cwiseProduct(radii)).norm() + (s1.cwiseProduct(radii) - last).norm();
    return {{begin, along.cwiseProduct(radii).normalized(), length}, straight + length};
}

// The shortest taut path. A long ellipsoid has several: muscles slide off its tips. Planes through
// the line, all round, show where the short ones are; each is then tightened over the surface.
SurfaceWrap shortest_wrap(const Vec3& p1, const Vec3& s1, const Vec3& radii,
                          const WrapObject& object) {
    const Vec3 e1 = (s1 - p1).normalized();
    const Vec3 e2 = e1.unitOrthogonal();
    const Vec3 e3 = e1.cross(e2);
    constexpr int kPlanes = 24;
    std::array<PlanarPath, kPlanes> planar;
    std::array<bool, kPlanes> is_allowed = {};
    for (int i = 0; i < kPlanes; ++i) {
        const double angle = 2.0 * kPi * i / kPlanes;
        const Vec3 out = std::cos(angle) * e2 + std::sin(angle) * e3;
        const auto k = static_cast<std::size_t>(i);
        planar[k] = planar_path(p1, s1, radii, out);
        is_allowed[k] = object.side_sign == 0 || out[object.side_axis] * object.side_sign >= 0.0;
    }
    const double size = radii.mean();
    const Ellipsoid surface{radii.cwiseProduct(radii).cwiseInverse()};
    const Vec3 p = p1.cwiseProduct(radii);
    const Vec3 s = s1.cwiseProduct(radii);
    SurfaceWrap best;
    double least = 0.0;
    for (std::size_t k = 0; k < kPlanes; ++k) {
        const std::size_t before = (k + kPlanes - 1) % kPlanes;
        const std::size_t after = (k + 1) % kPlanes;
        const auto is_longer = [&](std::size_t other) {
            return !is_allowed[other] || planar[other].total >= planar[k].total;
        };
        Strand strand = planar[k].strand;
        if (!is_allowed[k] || !is_longer(before) || !is_longer(after) ||
            !tighten(surface, strand, p, s, size)) {
            continue;
        }
        const SurfaceWrap wrap = wrap_of(surface, strand, size);
        const double total = (wrap.begin - p).norm() + wrap.length + (s - wrap.end).norm();
        if (!best.wraps || total < least) {
            best = wrap;
            least = total;
        }
    }
    return best;
}

}  // namespace

SurfaceWrap wrap_ellipsoid(const WrapObject& object, const Vec3& p, const Vec3& s) {
    const Vec3 radii = object.size;
    // In coordinates divided by the radii the surface is a unit sphere; lines, planes and tangency
    // stay what they are.
    const Vec3 p1 = p.cwiseQuotient(radii);
    const Vec3 s1 = s.cwiseQuotient(radii);
    if (p1.squaredNorm() < 1.0 || s1.squaredNorm() < 1.0) {
        return {};
    }
    const Vec3 d = s1 - p1;
    const double t = d.squaredNorm() > 0.0 ? -p1.dot(d) / d.squaredNorm() : 0.0;
    if (!(t > 0.0 && t < 1.0) || (p1 + t * d).squaredNorm() >= 1.0) {
        return {};
    }
    return shortest_wrap(p1, s1, radii, object);
}

SurfaceWrap wrap_torus(const WrapObject& object, const Vec3& p, const Vec3& s) {
    const Torus surface{object.size[0], object.size[1]};
    const Vec3 d = s - p;
    if (surface.value(p) < 0.0 || surface.value(s) < 0.0 || p.z() * s.z() >= 0.0 ||
        surface.ring <= surface.tube) {
        return {};
    }
    // The line passes the plane of the ring here; inside the hole's free part nothing touches.
    const double t = p.z() / (p.z() - s.z());
    const Vec3 crossing = p + t * d;
    const double rho = std::hypot(crossing.x(), crossing.y());
    const Vec3 outward =
        rho > 1e-12 ? Vec3(crossing.x() / rho, crossing.y() / rho, 0.0) : Vec3::UnitX();
    const Vec3 on_ring = surface.ring * outward;
    const double along = std::clamp((on_ring - p).dot(d) / d.squaredNorm(), 0.0, 1.0);
    const Vec3 near = p + along * d - on_ring;
    if (rho < surface.ring && near.norm() > surface.tube) {
        return {};
    }
    const Vec3 start = project(surface, Vec3((surface.ring - surface.tube) * outward));
    const Vec3 n = surface.gradient(start).normalized();
    Vec3 direction = d - d.dot(n) * n;
    if (direction.norm() < 1e-12) {
        return {};
    }
    Strand strand{start, direction.normalized(), 0.5 * surface.tube};
    return tighten(surface, strand, p, s, surface.tube) ? wrap_of(surface, strand, surface.tube)
                                                        : SurfaceWrap{};
}

}  // namespace sinew::detail
