#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <span>
#include <string_view>
#include <vector>

namespace sinew {

/// Texture coordinates at corners are the triangle data of this name: u and v of the three corners,
/// six numbers in [0, 1] (v upwards). Corners of one vertex differ along seams.
inline constexpr std::string_view kCornerUv = "uv";

struct UvAtlasOptions {
    int iterations = 80;    ///< of the flattening of each chart, >= 1
    double margin = 0.004;  ///< free around charts, of the picture's side, [0, 0.05]
};

/// A surface cut into flat charts that do not overlap each other.
struct UvAtlas {
    Attribute uv = {};                 ///< kCornerUv
    std::vector<Index> chart = {};     ///< of each triangle, numbered from 0
    std::vector<double> stretch = {};  ///< of each triangle: the larger of sigma_1 and 1 / sigma_2
};

/// Flattens a surface. Triangles of one label that hang together become one chart; a chart that is
/// no disk is opened by cuts where vertices are cheap to cut through: the dual graph's spanning
/// tree crosses dear edges first, and what it does not cross is cut unless it ends blindly.
///
/// Charts start from the convex embedding [Tutte1963] and lower the symmetric Dirichlet energy
///
///   E = sum_t A_t (|J_t|^2 + |J_t^-1|^2)
///
/// by reweighted local/global steps [Rabinovich2017], whose lines end before any triangle turns
/// over: no triangle of a chart is flipped. All charts have the scale of the surface.
/// @param label       of each triangle, >= 0
/// @param cut_cost    of each vertex, >= 0
/// @throws InputError  for sizes that disagree, a triangle without area, or a closed piece of one
///                     label, which has no border to start from
UvAtlas build_uv_atlas(const Points& points, const Triangles& triangles,
                       std::span<const Index> label, std::span<const double> cut_cost,
                       const UvAtlasOptions& options = {});

}  // namespace sinew
