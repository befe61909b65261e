#pragma once

#include "sinew/base/arrays.h"

namespace sinew {

/// One row per point: x y z in metres.
using Points = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
/// One row per triangle: three rows of Points, counter-clockwise seen from outside.
using Triangles = Eigen::Matrix<Index, Eigen::Dynamic, 3, Eigen::RowMajor>;
/// One row per tetrahedron a b c d with det(b-a, c-a, d-a) > 0.
using Tets = Eigen::Matrix<Index, Eigen::Dynamic, 4, Eigen::RowMajor>;

inline Vec3 point(const Points& points, Eigen::Index i) {
    return points.row(i).transpose();
}

}  // namespace sinew
