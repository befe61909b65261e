#include "sinew/contact/distance.h"

#include "sinew/geometry/simplex.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>

namespace sinew {
namespace {

// Sines below this count as parallel: the nearest points of parallel edges are not unique, and a
// corner is always among them.
constexpr double kParallel = 1e-10;

void add_freedom(PairDistance& d, const Vec4& direction) {
    d.free_directions.col(d.freedom++) = direction;
}

void finish(PairDistance& d, const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3) {
    d.between = d.coefficients[0] * x0 + d.coefficients[1] * x1 + d.coefficients[2] * x2 +
                d.coefficients[3] * x3;
    d.squared = d.between.squaredNorm();
}

// Nearest point of the edge from a to b, as a share of the way.
double along_edge(const Vec3& p, const Vec3& a, const Vec3& b) {
    const double length2 = (b - a).squaredNorm();
    return length2 > 0.0 ? std::clamp((p - a).dot(b - a) / length2, 0.0, 1.0) : 0.0;
}

}  // namespace

PairDistance point_triangle_distance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const OnTriangle on = closest_on_triangle(p, a, b, c);
    PairDistance d;
    d.coefficients << 1.0, -on.barycentric;
    // Corners that take part may share their weights in other ways; the rest stay at zero.
    int first = -1;
    for (int k = 0; k < 3; ++k) {
        if (on.barycentric[k] > 0.0) {
            if (first < 0) {
                first = k;
            } else {
                Vec4 direction = Vec4::Zero();
                direction[1 + first] = 1.0;
                direction[1 + k] = -1.0;
                add_freedom(d, direction);
            }
        }
    }
    finish(d, p, a, b, c);
    return d;
}

PairDistance edge_edge_distance(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
    const Vec3 u = a1 - a0;
    const Vec3 v = b1 - b0;
    const Vec3 w = a0 - b0;
    const double uu = u.squaredNorm();
    const double vv = v.squaredNorm();
    const double cross2 = u.cross(v).squaredNorm();

    double s = 0.0;
    double t = 0.0;
    bool is_inside = false;
    if (cross2 > kParallel * kParallel * uu * vv) {
        // Nearest points of the two lines.
        const double uv = u.dot(v);
        s = (uv * v.dot(w) - vv * u.dot(w)) / cross2;
        t = (uu * v.dot(w) - uv * u.dot(w)) / cross2;
        is_inside = s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0;
    }
    if (!is_inside) {
        // One of the four corners is nearest to the other edge.
        double best = -1.0;
        const auto offer = [&](double s_new, double t_new) {
            const double squared = (w + s_new * u - t_new * v).squaredNorm();
            if (best < 0.0 || squared < best) {
                best = squared;
                s = s_new;
                t = t_new;
            }
        };
        offer(0.0, along_edge(a0, b0, b1));
        offer(1.0, along_edge(a1, b0, b1));
        offer(along_edge(b0, a0, a1), 0.0);
        offer(along_edge(b1, a0, a1), 1.0);
    }

    PairDistance d;
    d.coefficients = Vec4(1.0 - s, s, t - 1.0, -t);
    if (s > 0.0 && s < 1.0) {
        add_freedom(d, Vec4(-1, 1, 0, 0));
    }
    if (t > 0.0 && t < 1.0) {
        add_freedom(d, Vec4(0, 0, 1, -1));
    }
    // Parallel edges: both ways of sliding are the same one.
    if (d.freedom == 2 && !is_inside) {
        d.freedom = 1;
    }
    finish(d, a0, a1, b0, b1);
    return d;
}

PairDistance::Gradient squared_distance_gradient(const PairDistance& d) {
    // The coefficients minimise |r|^2, so their own change does not show in the first derivative.
    PairDistance::Gradient g;
    for (int k = 0; k < 4; ++k) {
        g.segment<3>(3 * k) = 2.0 * d.coefficients[k] * d.between;
    }
    return g;
}

PairDistance::Hessian squared_distance_hessian(const PairDistance& d, const Vec3& x0,
                                               const Vec3& x1, const Vec3& x2, const Vec3& x3) {
    // f(x) = min over beta of F(x, beta) = |r|^2 has  f_xx = F_xx - F_xb F_bb^-1 F_bx.
    // r is bilinear in x and beta:  F_xx = 2 c c^T I,  F_xb = 2 (dc/db r + c dr/db),
    // F_bb = 2 dr/db . dr/db.
    PairDistance::Hessian H = PairDistance::Hessian::Zero();
    for (int k = 0; k < 4; ++k) {
        for (int l = 0; l < 4; ++l) {
            H.block<3, 3>(3 * k, 3 * l)
                .diagonal()
                .setConstant(2.0 * d.coefficients[k] * d.coefficients[l]);
        }
    }
    if (d.freedom == 0) {
        return H;
    }
    Eigen::Matrix<double, 12, 2> F_xb = Eigen::Matrix<double, 12, 2>::Zero();
    Eigen::Matrix<double, 3, 2> dr = Eigen::Matrix<double, 3, 2>::Zero();
    for (int i = 0; i < d.freedom; ++i) {
        const Vec4 way = d.free_directions.col(i);
        dr.col(i) = way[0] * x0 + way[1] * x1 + way[2] * x2 + way[3] * x3;
        for (int k = 0; k < 4; ++k) {
            F_xb.block<3, 1>(3 * k, i) = 2.0 * (way[k] * d.between + d.coefficients[k] * dr.col(i));
        }
    }
    Eigen::Matrix2d F_bb = 2.0 * dr.transpose() * dr;
    if (d.freedom == 1) {
        F_bb(1, 1) = 1.0;
    }
    if (F_bb.determinant() > 0.0) {
        H -= F_xb * F_bb.inverse() * F_xb.transpose();
    }
    return H;
}

}  // namespace sinew
