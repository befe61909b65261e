#include "sinew/skinning/skin_on_bones.h"

#include "sinew/mesh/connectivity.h"

#include <algorithm>

// A skin as contacts see it: vertices, triangles, the bone of each vertex and its base point on it.
// Characters and bodies both become this, so contacts and untangling exist once.

namespace sinew {

SkinOnBones::SkinOnBones(const FleshPrisms& flesh)
    : points(flesh.points.topRows(flesh.skin_vertices)),
      triangles(flesh.triangles),
      bone(flesh.bone),
      base_points(flesh.base_points) {}

double mean_edge(const SkinOnBones& skin) {
    const Edges edges = unique_edges(skin.triangles);
    double sum = 0.0;
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        sum += (skin.points.row(edges(e, 0)) - skin.points.row(edges(e, 1))).norm();
    }
    return sum / static_cast<double>(std::max<Eigen::Index>(1, edges.rows()));
}

}  // namespace sinew
