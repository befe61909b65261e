#include "sinew/energy/projective_polyhedron.h"

#include "sinew/energy/projective_checks.h"
#include "sinew/linalg/svd3.h"

#include <Eigen/LU>

#include <algorithm>

namespace sinew {

ProjectivePolyhedron::ProjectivePolyhedron(const Points& rest, const Lists& corners,
                                           const Points& directions,
                                           std::span<const double> weights,
                                           const StretchLimits& limits)
    : ProjectiveConstraints(3), limits_(limits) {
    detail::check_count("directions of polyhedra", directions.rows(), corners.size());
    detail::check_count("weights of polyhedra", weights.size(), corners.size());
    if (!(limits.low > 0.0) || !(limits.high >= limits.low)) {
        throw InputError({.where = "stretch limits of polyhedra",
                          .found = fmt::format("{} to {}", limits.low, limits.high),
                          .needs = "0 < low <= high",
                          .remedy = "swap them or raise the lower one"});
    }
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const auto list = corners[i];
        const auto count = static_cast<Eigen::Index>(list.size());
        Eigen::Matrix3Xd E(3, count);
        for (Eigen::Index k = 0; k < count; ++k) {
            E.col(k) = point(rest, list[static_cast<std::size_t>(k)]);
        }
        E.colwise() -= E.rowwise().mean().eval();
        // F^T = (E E^T)^-1 E X: the rows of Q. They sum to zero because E is centred.
        const Mat3 moments = E * E.transpose();
        const double size = moments.trace();
        constexpr double kFlat = 1e-12;  // of the cube of the trace
        const Vec3 direction = point(directions, static_cast<Eigen::Index>(i));
        if (!(moments.determinant() > kFlat * size * size * size) || !(direction.norm() > 0.0)) {
            throw InputError({.where = fmt::format("polyhedron {}", i),
                              .found = "corners in a plane, or no direction",
                              .needs = "corners around a volume and a direction with a length",
                              .remedy = "keep the two surfaces apart"});
        }
        const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> Q = moments.inverse() * E;
        direction_.push_back(direction.normalized());
        add(list, {Q.data(), 3 * list.size()}, detail::checked_weight("polyhedra", i, weights[i]));
    }
}

void ProjectivePolyhedron::project(std::size_t i, const Rows& q, Rows& p) const {
    // B diag(1, 1, a) B^T = I + (a - 1) d d^T with d the free direction.
    const Mat3 F = q.transpose();
    const Vec3& d = direction_[i];
    Mat3 R = nearest_rotation(F);
    double a = std::clamp((R * d).dot(F * d), limits_.low, limits_.high);
    constexpr int kMaxTurns = 50;
    for (int turn = 0; turn < kMaxTurns; ++turn) {
        R = nearest_rotation(F + (a - 1.0) * (F * d) * d.transpose());
        const double next = std::clamp((R * d).dot(F * d), limits_.low, limits_.high);
        const bool is_same = std::abs(next - a) < 1e-14;
        a = next;
        if (is_same) {
            break;
        }
    }
    p = (R + (a - 1.0) * (R * d) * d.transpose()).transpose();
}

}  // namespace sinew
