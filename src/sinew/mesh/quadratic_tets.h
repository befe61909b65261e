#pragma once

#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/tet_mesh.h"

namespace sinew {

/// Tetrahedra with a node in the middle of every edge. Nodes are the points of the linear mesh,
/// then one per edge. Columns of `tets`: the four corners, then the middles of edges
/// 01, 12, 02, 03, 13, 23, as VTK counts them.
struct QuadraticTets {
    Points points = Points(0, 3);
    Eigen::Matrix<Index, Eigen::Dynamic, 10, Eigen::RowMajor> tets;
    Edges edges = Edges(0, 2);  ///< ends of the node `corners + row`, sorted
    Index corners = 0;          ///< points of the linear mesh

    /// The node between two ends of an edge.
    Index middle(Index a, Index b) const;
};
QuadraticTets quadratic_tets(const TetMesh& mesh);

}  // namespace sinew
