#include "sinew/energy/projective_bending.h"

#include "sinew/energy/projective_checks.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/mesh/connectivity.h"

namespace sinew {

ProjectiveBending::ProjectiveBending(const Points& rest, const Triangles& triangles,
                                     std::span<const double> weights)
    : ProjectiveConstraints(1) {
    detail::check_count("weights of bending", weights.size(), rest.rows());
    const Eigen::SparseMatrix<double> L = cotangent_laplacian(rest, triangles);
    const Eigen::VectorXd area = voronoi_mass(rest, triangles);
    std::vector<bool> is_skipped(static_cast<std::size_t>(rest.rows()), false);
    for (const auto& loop : boundary_loops(triangles)) {
        for (const Index v : loop) {
            is_skipped[at(v)] = true;
        }
    }
    std::vector<Index> vertices;
    std::vector<double> row;
    for (Eigen::Index i = 0; i < rest.rows(); ++i) {
        if (is_skipped[at(i)] || !(area[i] > 0.0)) {
            continue;
        }
        // Lap = -L / A, by columns as L is symmetric.
        vertices.clear();
        row.clear();
        Vec3 laplacian = Vec3::Zero();
        for (Eigen::SparseMatrix<double>::InnerIterator e(L, i); e; ++e) {
            vertices.push_back(static_cast<Index>(e.row()));
            row.push_back(-e.value() / area[i]);
            laplacian += row.back() * point(rest, e.row());
        }
        const auto k = static_cast<std::size_t>(i);
        add(vertices, row, detail::checked_weight("bending", k, weights[k]) * area[i]);
        rest_laplacian_.push_back(laplacian);
    }
    finish();
}

void ProjectiveBending::project(std::size_t i, const Rows& q, Rows& p) const {
    const double length = q.row(0).norm();
    const Vec3& rest = rest_laplacian_[i];
    p.row(0) = length > 0.0 ? Eigen::RowVector3d(q.row(0) * (rest.norm() / length))
                            : Eigen::RowVector3d(rest.transpose());
}

// As that of a spring whose length is that of the rest Laplacian.
void ProjectiveBending::derivative(std::size_t i, const Rows& q, RowsDerivative& D) const {
    const double length = q.row(0).norm();
    if (length > 0.0) {
        const Eigen::RowVector3d n = q.row(0) / length;
        D.topLeftCorner<3, 3>() =
            rest_laplacian_[i].norm() / length * (Mat3::Identity() - n.transpose() * n);
    }
}

}  // namespace sinew
