#pragma once

#include "sinew/geometry/uv_atlas.h"
#include "sinew/mesh/triangle_mesh.h"

#include <optional>
#include <vector>

namespace sinew {

// Texture coordinates at corners (kCornerUv) as formats want them that have one pair per point:
// points on seams stand in the file again, after all others.

struct SeamPoints {
    std::vector<Index> again = {};          ///< which point each of those after the mesh's own is
    Triangles triangles = Triangles(0, 3);  ///< with these
    std::vector<double> uv = {};            ///< two per point, v upwards
};

/// Nothing for meshes without texture coordinates at corners.
std::optional<SeamPoints> seam_points(const TriangleMesh& mesh);

/// The rows of the mesh's own points, and those again.
template <class Rows>
Rows with_seams(const Rows& rows, const std::vector<Index>& again) {
    Rows all(rows.rows() + static_cast<Eigen::Index>(again.size()), rows.cols());
    all.topRows(rows.rows()) = rows;
    for (std::size_t i = 0; i < again.size(); ++i) {
        all.row(rows.rows() + static_cast<Eigen::Index>(i)) = rows.row(again[i]);
    }
    return all;
}

}  // namespace sinew
