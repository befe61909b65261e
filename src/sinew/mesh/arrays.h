#pragma once

#include <Eigen/Core>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace sinew {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Mat3 = Eigen::Matrix3d;

/// Indices of vertices and elements. 32 bits: a body has some 10^5 of either.
using Index = std::int32_t;

/// One row per point: x y z in metres.
using Points = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
/// One row per triangle: three rows of Points, counter-clockwise seen from outside.
using Triangles = Eigen::Matrix<Index, Eigen::Dynamic, 3, Eigen::RowMajor>;
/// One row per tetrahedron a b c d with det(b-a, c-a, d-a) > 0.
using Tets = Eigen::Matrix<Index, Eigen::Dynamic, 4, Eigen::RowMajor>;

/// An index as the standard containers take it.
template <std::signed_integral Signed>
constexpr std::size_t at(Signed i) {
    return static_cast<std::size_t>(i);
}

inline Vec3 point(const Points& points, Eigen::Index i) {
    return points.row(i).transpose();
}

}  // namespace sinew
