#include "sinew/mesh/quadratic_tets.h"

#include "sinew/base/error.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sinew {

Index QuadraticTets::middle(Index a, Index b) const {
    const std::array<Index, 2> wanted = {std::min(a, b), std::max(a, b)};
    Index low = 0;
    auto high = static_cast<Index>(edges.rows());
    while (low < high) {
        const Index k = low + (high - low) / 2;
        if (std::array<Index, 2>{edges(k, 0), edges(k, 1)} < wanted) {
            low = k + 1;
        } else {
            high = k;
        }
    }
    SINEW_ASSERT(low < edges.rows() && edges(low, 0) == wanted[0] && edges(low, 1) == wanted[1],
                 "{} and {} are no edge", a, b);
    return corners + low;
}

QuadraticTets quadratic_tets(const TetMesh& mesh) {
    constexpr std::pair<int, int> kEnds[6] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    QuadraticTets q;
    q.corners = static_cast<Index>(mesh.points.rows());
    q.edges = unique_edges(mesh.tets);
    q.points.resize(q.corners + q.edges.rows(), 3);
    q.points.topRows(q.corners) = mesh.points;
    for (Eigen::Index e = 0; e < q.edges.rows(); ++e) {
        q.points.row(q.corners + e) =
            0.5 * (mesh.points.row(q.edges(e, 0)) + mesh.points.row(q.edges(e, 1)));
    }
    q.tets.resize(mesh.tets.rows(), 10);
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        q.tets.block<1, 4>(t, 0) = mesh.tets.row(t);
        for (int k = 0; k < 6; ++k) {
            q.tets(t, 4 + k) =
                q.middle(mesh.tets(t, kEnds[k].first), mesh.tets(t, kEnds[k].second));
        }
    }
    return q;
}

}  // namespace sinew
