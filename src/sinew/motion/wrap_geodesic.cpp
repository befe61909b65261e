#include "sinew/motion/wrapping.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinew::detail {

namespace {

// Steps along a geodesic: the fourth-order error is then below 1e-9 of the surface's size.
constexpr int kSteps = 40;
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
StrandEnd follow(const Surface& surface, const Strand& strand) {
    const double h = strand.length / kSteps;
    Vec3 x = strand.start;
    Vec3 t = strand.direction;
    const auto turn = [&](const Vec3& at, const Vec3& along) -> Vec3 {
        const Vec3 g = surface.gradient(at);
        return -(surface.bend(at, along) / g.squaredNorm()) * g;
    };
    for (int i = 0; i < kSteps; ++i) {
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

// Newton's method in four unknowns with derivatives by central differences; `size` is a length of
// the surface. Returns no wrap where it finds no strand of positive length.
template <class Surface>
SurfaceWrap solve(const Surface& surface, Strand strand, const Vec3& p, const Vec3& s,
                  double size) {
    const double shift = 1e-5 * size;
    const Vec4 steps(shift, shift, 1e-5, shift);
    StrandEnd end = follow(surface, strand);
    Vec4 r = residual(surface, strand, end, p, s);
    for (int i = 0; i < kNewtonSteps && r.norm() > 1e-13 * size; ++i) {
        Eigen::Matrix4d J;
        for (int k = 0; k < 4; ++k) {
            const Strand up = displaced(surface, strand, Vec4::Unit(k) * steps[k]);
            const Strand down = displaced(surface, strand, Vec4::Unit(k) * -steps[k]);
            J.col(k) = (residual(surface, up, follow(surface, up), p, s) -
                        residual(surface, down, follow(surface, down), p, s)) /
                       (2.0 * steps[k]);
        }
        Vec4 step = -J.fullPivLu().solve(r);
        const double reach = std::max({std::abs(step[0]), std::abs(step[1]), std::abs(step[3])});
        const double limit = std::min(1.0, std::min(0.5 * size / std::max(reach, 1e-300),
                                                    0.5 / std::max(std::abs(step[2]), 1e-300)));
        step *= limit;
        bool is_better = false;
        for (int half = 0; half < 12 && !is_better; ++half) {
            const Strand next = displaced(surface, strand, step);
            const StrandEnd next_end = follow(surface, next);
            const Vec4 next_r = residual(surface, next, next_end, p, s);
            if (next_r.norm() < r.norm()) {
                strand = next;
                end = next_end;
                r = next_r;
                is_better = true;
            }
            step *= 0.5;
        }
        if (!is_better) {
            break;
        }
    }
    const bool is_taut = r.norm() < 1e-9 * size && strand.length > 0.0 &&
                         strand.direction.dot(strand.start - p) >= 0.0 &&
                         end.t.dot(s - end.x) >= 0.0;
    if (!is_taut) {
        return {};
    }
    return {true, true, strand.start, end.x, strand.length};
}

// Tangent point from p to the circle (centre k, radius r, plane spanned by e1, e2), on the side
// towards `side`.
Vec3 tangent_point(const Vec3& p, const Vec3& centre, double r, const Vec3& e1, const Vec3& e2,
                   const Vec3& side) {
    const Vec3 d = p - centre;
    const double x = d.dot(e1);
    const double y = d.dot(e2);
    const double angle = std::atan2(y, x);
    const double half = std::acos(std::min(1.0, r / std::hypot(x, y)));
    const auto at = [&](double a) {
        return Vec3(centre + r * (std::cos(a) * e1 + std::sin(a) * e2));
    };
    const Vec3 first = at(angle + half);
    const Vec3 second = at(angle - half);
    return (first - side).squaredNorm() < (second - side).squaredNorm() ? first : second;
}

double total(const SurfaceWrap& wrap, const Vec3& p, const Vec3& s) {
    return (wrap.begin - p).norm() + wrap.length + (s - wrap.end).norm();
}

// The geodesic on the side of the line to which `out` points (in coordinates divided by the radii).
SurfaceWrap pushed_out(const Vec3& p, const Vec3& s, const Vec3& radii, const Vec3& out) {
    // First guess: the plane through the line and `out` cuts the sphere in a circle.
    const Vec3 p1 = p.cwiseQuotient(radii);
    const Vec3 s1 = s.cwiseQuotient(radii);
    const Vec3 e1 = (s1 - p1).normalized();
    const Vec3 normal = e1.cross(out);
    const Vec3 centre = p1.dot(normal) * normal;
    const double r = std::sqrt(std::max(1e-12, 1.0 - centre.squaredNorm()));
    const Vec3 top = centre + r * out;
    const Vec3 a = tangent_point(p1, centre, r, e1, out, top).cwiseProduct(radii);
    const Vec3 b = tangent_point(s1, centre, r, e1, out, top).cwiseProduct(radii);
    const Ellipsoid surface{radii.cwiseProduct(radii).cwiseInverse()};
    const Vec3 n = surface.gradient(a).normalized();
    Vec3 direction = a - p;
    direction = direction.norm() > 1e-12 ? direction : Vec3(b - a);
    direction -= direction.dot(n) * n;
    // Length of the circle's arc from a over the top to b, mapped back; chords keep it short, so
    // that Newton's method does not overshoot where the strand leaves the surface.
    const auto angle_of = [&](const Vec3& x) {
        const Vec3 d = x.cwiseQuotient(radii) - centre;
        return std::atan2(d.dot(out), d.dot(e1));
    };
    const double from = angle_of(a);
    const double sweep =
        std::fmod(from - angle_of(b) + 4.0 * std::numbers::pi, 2.0 * std::numbers::pi);
    double guess = 0.0;
    Vec3 last = a;
    for (int i = 1; i <= 16; ++i) {
        const double angle = from - sweep * i / 16.0;
        const Vec3 next =
            (centre + r * (std::cos(angle) * e1 + std::sin(angle) * out)).cwiseProduct(radii);
        guess += (next - last).norm();
        last = next;
    }
    return solve(surface, Strand{a, direction.normalized(), guess}, p, s, radii.mean());
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
    const Vec3 nearest = p1 + t * d;
    if (!(t > 0.0 && t < 1.0) || nearest.squaredNorm() >= 1.0) {
        return {};
    }
    // Towards which side the line is pushed out.
    Vec3 out = nearest;
    if (object.side_sign != 0) {
        const int axis = object.side_axis;
        if (out[axis] * object.side_sign < 0.0) {
            out[axis] = -out[axis];
        }
        out -= out.dot(d) / d.squaredNorm() * d;
    }
    if (out.norm() < 1e-9) {
        out = object.side_sign != 0 ? Vec3(object.side_sign * Vec3::Unit(object.side_axis))
                                    : d.unitOrthogonal();
        out -= out.dot(d) / d.squaredNorm() * d;
    }
    out.normalize();
    const SurfaceWrap wrap = pushed_out(p, s, radii, out);
    // On a flat ellipsoid the way round the other side may be shorter.
    if (object.side_sign == 0) {
        const SurfaceWrap other = pushed_out(p, s, radii, -out);
        if (other.wraps && (!wrap.wraps || total(other, p, s) < total(wrap, p, s))) {
            return other;
        }
    }
    return wrap;
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
    return solve(surface, Strand{start, direction.normalized(), 0.5 * surface.tube}, p, s,
                 surface.tube);
}

}  // namespace sinew::detail
