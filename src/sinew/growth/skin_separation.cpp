#include "sinew/growth/skin_separation.h"

#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/intersections.h"

#include <algorithm>
#include <vector>

// Taking growth back where skin crosses. The displacement from rest is shortened by 3 % a round at
// the corners of crossing triangles and less around them; after 80 rounds 9 % of it is left. Since
// rest does not cross, the path back leads out of every crossing, which a search for the nearest
// way out does not in deep ones.

namespace sinew {

namespace {

constexpr int kSeparationRounds = 80;
constexpr int kSeparationRings = 4;       // edges around that follow
constexpr double kSeparationStep = 0.03;  // of the displacement, in a round

Points skin_at(const TetSurface& skin, const Points& x) {
    Points points(static_cast<Eigen::Index>(skin.tet_vertex.size()), 3);
    for (std::size_t i = 0; i < skin.tet_vertex.size(); ++i) {
        points.row(static_cast<Eigen::Index>(i)) = x.row(skin.tet_vertex[i]);
    }
    return points;
}

// Edges from the nearest of the corners, up to kSeparationRings.
std::vector<std::pair<Index, int>> rings_around(const std::vector<Index>& corners,
                                                const Lists& around) {
    std::vector<std::pair<Index, int>> found;
    std::vector<char> is_found(around.size(), 0);
    for (const Index v : corners) {
        if (is_found[at(v)] == 0) {
            is_found[at(v)] = 1;
            found.emplace_back(v, 0);
        }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto [v, ring] = found[i];
        for (const Index w : around[at(v)]) {
            if (ring + 1 < kSeparationRings && is_found[at(w)] == 0) {
                is_found[at(w)] = 1;
                found.emplace_back(w, ring + 1);
            }
        }
    }
    return found;
}

}  // namespace

SeparatedSkin separate_skin(const Body& rest, const Points& x) {
    SeparatedSkin result{.x = x};
    TriangleMesh skin{.points = skin_at(rest.skin, x), .triangles = rest.skin.mesh.triangles};
    auto pairs = find_self_intersections(skin).pairs;
    result.crossing_before = result.crossing_after = static_cast<long>(pairs.size());
    if (pairs.empty()) {
        return result;
    }
    const Lists around = neighbours_of_vertices(rest.tets.tets, rest.tets.points.rows());
    for (int round = 0; round < kSeparationRounds && !pairs.empty(); ++round) {
        std::vector<Index> corners;
        for (const auto& [a, b] : pairs) {
            for (int k = 0; k < 3; ++k) {
                corners.push_back(rest.skin.tet_vertex[at(skin.triangles(a, k))]);
                corners.push_back(rest.skin.tet_vertex[at(skin.triangles(b, k))]);
            }
        }
        for (const auto& [v, ring] : rings_around(corners, around)) {
            const double part = 1.0 - static_cast<double>(ring) / kSeparationRings;
            result.x.row(v) -= kSeparationStep * part * (result.x.row(v) - rest.tets.points.row(v));
        }
        skin.points = skin_at(rest.skin, result.x);
        pairs = find_self_intersections(skin).pairs;
    }
    result.crossing_after = static_cast<long>(pairs.size());
    result.furthest = (result.x - x).rowwise().norm().maxCoeff();
    return result;
}

}  // namespace sinew
