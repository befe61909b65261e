#pragma once

#include "sinew/mesh/arrays.h"

#include <span>
#include <vector>

namespace sinew {

// Parts of build_uv_atlas; users include uv_atlas.h.

using FlatPoints = Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::RowMajor>;

/// A disk of triangles.
struct UvChart {
    std::vector<Index> rows = {};           ///< of the surface's triangles, ascending
    Triangles triangles = Triangles(0, 3);  ///< the same, by vertices of the chart
    std::vector<Index> vertex = {};         ///< of the surface, of each vertex of the chart
};

/// Disks by labels, opened where cuts are cheap. @throws InputError for closed pieces
std::vector<UvChart> cut_charts(const Triangles& triangles, std::span<const Index> label,
                                std::span<const double> cut_cost);

/// The plane coordinates of a chart's vertices, m.
/// @throws InputError  for triangles without area
FlatPoints flatten(const UvChart& chart, const Points& points, int iterations);

/// Of each triangle: the larger of sigma_1 and 1 / sigma_2 of its map into the plane.
std::vector<double> stretches(const UvChart& chart, const Points& points, const FlatPoints& flat);

}  // namespace sinew
