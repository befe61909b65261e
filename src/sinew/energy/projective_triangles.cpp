#include "sinew/energy/projective_triangles.h"

#include "sinew/energy/projective_checks.h"
#include "sinew/linalg/svd3.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <cmath>

namespace sinew {
namespace {

struct RestTriangle {
    Eigen::Matrix<double, 2, 3, Eigen::RowMajor> Q;  // F^T = Q X
    double area;
};

RestTriangle rest_triangle(const Points& rest, const Triangles& triangles, Eigen::Index t) {
    const Vec3 a = point(rest, triangles(t, 0));
    const Vec3 e1 = point(rest, triangles(t, 1)) - a;
    const Vec3 e2 = point(rest, triangles(t, 2)) - a;
    const Vec3 normal = e1.cross(e2);
    constexpr double kFlat = 1e-14;  // of the longest edge, squared
    if (!(normal.norm() > kFlat * std::max(e1.squaredNorm(), e2.squaredNorm()))) {
        throw InputError({.where = fmt::format("triangle {} at rest", t),
                          .found = fmt::format("area {} m^2", 0.5 * normal.norm()),
                          .needs = "an area > 0",
                          .remedy = "repair the surface first"});
    }
    // Edges in the triangle's own plane.
    const Vec3 u = e1.normalized();
    const Vec3 v = normal.normalized().cross(u);
    Eigen::Matrix2d D;
    D << e1.dot(u), e2.dot(u), e1.dot(v), e2.dot(v);
    const Eigen::Matrix2d B = D.inverse();  // F = [x1 - x0, x2 - x0] B
    RestTriangle r;
    r.area = 0.5 * normal.norm();
    r.Q << -B.colwise().sum().transpose(), B.transpose();
    return r;
}

// A unit vector across both columns of F, also where they are parallel or zero.
Vec3 across(const Eigen::Matrix<double, 3, 2>& F) {
    const Vec3 n = Vec3(F.col(0)).cross(Vec3(F.col(1)));
    const double size = n.norm();
    if (size > 1e-14 * F.squaredNorm() && size > 0.0) {
        return n / size;
    }
    const Vec3 longer = F.col(0).squaredNorm() > F.col(1).squaredNorm() ? F.col(0) : F.col(1);
    if (longer.norm() == 0.0) {
        return Vec3::UnitZ();
    }
    return longer.unitOrthogonal();
}

}  // namespace

ProjectiveTriangleStrain::ProjectiveTriangleStrain(const Points& rest, const Triangles& triangles,
                                                   std::span<const double> weights)
    : ProjectiveConstraints(2) {
    detail::check_count("weights of triangles", weights.size(), triangles.rows());
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        const RestTriangle r = rest_triangle(rest, triangles, t);
        const auto i = static_cast<std::size_t>(t);
        add({triangles.data() + 3 * t, 3}, {r.Q.data(), 6},
            detail::checked_weight("triangles", i, weights[i]) * r.area);
    }
    finish();
}

void ProjectiveTriangleStrain::project(std::size_t, const Rows& q, Rows& p) const {
    // With a unit normal as third column, the nearest rotation keeps it and its other two columns
    // are the nearest orthonormal pair.
    const Eigen::Matrix<double, 3, 2> F = q.topRows<2>().transpose();
    Mat3 G;
    G << F, across(F);
    p.topRows<2>() = nearest_rotation(G).leftCols<2>().transpose();
}

}  // namespace sinew
