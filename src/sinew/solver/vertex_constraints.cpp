#include "sinew/solver/vertex_constraints.h"

#include "sinew/base/error.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <cmath>

namespace sinew {

namespace {

/// Normals that differ by less than this (as unit vectors) count as one.
constexpr double kSameDirection = 1e-9;
/// Contradicting planes closer than this share of their distance to the origin count as one.
constexpr double kSamePlace = 1e-9;

Vec3 unit(const Vec3& direction, Index v) {
    const double length = direction.norm();
    if (!(length > 0.0) || !std::isfinite(length)) {
        throw InputError({.where = fmt::format("constraint of vertex {}", v),
                          .found = "a direction without length",
                          .needs = "a vector other than zero",
                          .remedy = "give e.g. 0 1 0 for the plane y = constant"});
    }
    return direction / length;
}

}  // namespace

void VertexConstraints::fix(Index v, const Vec3& position) {
    freedoms_.insert_or_assign(v, Freedom{position, Mat3::Identity(), 0});
}

void VertexConstraints::keep_in_plane(Index v, const Vec3& origin, const Vec3& normal) {
    const Vec3 n = unit(normal, v);
    const auto [it, is_new] = freedoms_.try_emplace(v, Freedom{origin, Mat3::Identity(), 3});
    Freedom& f = it->second;

    // What of the normal lies in the directions still free.
    const int k = f.dimension;
    const Vec3 q = f.basis.leftCols(k) * (f.basis.leftCols(k).transpose() * n);
    const double miss = n.dot(origin - f.origin);
    if (q.norm() < kSameDirection) {
        if (std::abs(miss) > kSamePlace * (1.0 + origin.norm())) {
            throw InputError({.where = fmt::format("constraints of vertex {}", v),
                              .found = fmt::format("places {} m apart", std::abs(miss)),
                              .needs = "constraints that have a point in common",
                              .remedy = "remove one of them"});
        }
        return;
    }
    f.origin += q * (miss / q.squaredNorm());

    // A new orthonormal basis of the free space without q.
    const Vec3 away = q.normalized();
    Mat3 basis;
    int filled = 0;
    for (int c = 0; c < k && filled < k - 1; ++c) {
        Vec3 candidate = f.basis.col(c) - away * away.dot(f.basis.col(c));
        for (int d = 0; d < filled; ++d) {
            candidate -= basis.col(d) * basis.col(d).dot(candidate);
        }
        if (candidate.norm() > 0.3) {  // at least k - 1 of k candidates stay this long
            basis.col(filled++) = candidate.normalized();
        }
    }
    SINEW_ASSERT(filled == k - 1, "free directions {} of {}", filled, k - 1);
    f.basis.leftCols(filled) = basis.leftCols(filled);
    f.dimension = k - 1;
}

void VertexConstraints::keep_on_line(Index v, const Vec3& origin, const Vec3& direction) {
    const Vec3 along = unit(direction, v);
    const Vec3 across = along.unitOrthogonal();
    keep_in_plane(v, origin, across);
    keep_in_plane(v, origin, along.cross(across));
}

void VertexConstraints::apply(Points& x) const {
    for (const auto& [v, f] : freedoms_) {
        const auto free = f.basis.leftCols(f.dimension);
        const Vec3 offset = point(x, v) - f.origin;
        x.row(v) = (f.origin + free * (free.transpose() * offset)).transpose();
    }
}

void VertexConstraints::project(Points& vectors) const {
    for (const auto& [v, f] : freedoms_) {
        const auto free = f.basis.leftCols(f.dimension);
        vectors.row(v) = (free * (free.transpose() * point(vectors, v))).transpose().eval();
    }
}

}  // namespace sinew
