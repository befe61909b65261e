#include "sinew/base/random.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/edge_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/shapes.h"

namespace sinew {

// Vertices in any order, one with many edges, and numbers far apart, which are not counted.
TEST(EdgeSort, IsAStableSort) {
    struct Entry {
        std::uint64_t key;
        int place;
        bool operator==(const Entry&) const = default;
    };
    Random random(Seed{3});
    for (const double vertices : {1.0, 40.0, 1e9}) {
        std::vector<Entry> entries;
        for (int i = 0; i < 500; ++i) {
            const auto low =
                i % 4 == 0 ? 0 : static_cast<std::uint64_t>(vertices * random.uniform());
            const auto high = static_cast<std::uint64_t>(30.0 * random.uniform());
            entries.push_back({low << 32u | high, i});
        }
        std::vector<Entry> expected = entries;
        std::stable_sort(expected.begin(), expected.end(),
                         [](const Entry& a, const Entry& b) { return a.key < b.key; });
        stable_sort_by_edge(entries);
        EXPECT_EQ(entries, expected) << vertices;
    }
    std::vector<Entry> none;
    stable_sort_by_edge(none);
    EXPECT_TRUE(none.empty());
}

// V - E + F = 2 for a sphere, 0 for a torus (Euler).
TEST(Connectivity, EdgesSatisfyEulersFormula) {
    const TriangleMesh s = support::sphere(2, 1.0);
    EXPECT_EQ(s.points.rows() - unique_edges(s.triangles).rows() + s.triangles.rows(), 2);
    const TriangleMesh t = support::torus(1.0, 0.3, 12, 24);
    EXPECT_EQ(t.points.rows() - unique_edges(t.triangles).rows() + t.triangles.rows(), 0);
}

TEST(Connectivity, NeighboursAreMutualAndAscending) {
    const TriangleMesh s = support::sphere(2, 1.0);
    const Lists ring = neighbours_of_vertices(s.triangles, s.points.rows());
    for (std::size_t v = 0; v < ring.size(); ++v) {
        EXPECT_TRUE(std::is_sorted(ring[v].begin(), ring[v].end()));
        for (const Index w : ring[v]) {
            const auto back = ring[static_cast<std::size_t>(w)];
            EXPECT_TRUE(std::binary_search(back.begin(), back.end(), static_cast<Index>(v)));
        }
    }
}

TEST(Connectivity, ClosedMeshHasNoBorder) {
    const TriangleMesh s = support::sphere(1, 1.0);
    EXPECT_TRUE(boundary_loops(s.triangles).empty());
    EXPECT_EQ((triangle_neighbours(s.triangles).array() < 0).count(), 0);
}

TEST(Connectivity, HoleGivesOneLoop) {
    TriangleMesh s = support::sphere(2, 1.0);
    const Triangles kept = s.triangles.topRows(s.triangles.rows() - 1);
    const auto loops = boundary_loops(kept);
    ASSERT_EQ(loops.size(), 1u);
    EXPECT_EQ(loops[0].size(), 3u);
    EXPECT_EQ(boundary_loops(support::open_square(4).triangles).at(0).size(), 16u);
}

// Two holes that share one vertex are two loops of three.
TEST(Connectivity, TouchingHolesStaySeparate) {
    const TriangleMesh s = support::sphere(2, 1.0);
    const Lists around = triangles_of_vertices(s.triangles, s.points.rows());
    // A vertex of valence six: drop its first triangle and the one across.
    std::size_t v = 0;
    while (around[v].size() != 6) {
        ++v;
    }
    const Index first = around[v][0];
    Index second = -1;
    for (const Index t : around[v]) {
        int shared = 0;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                shared += s.triangles(first, i) == s.triangles(t, j) ? 1 : 0;
            }
        }
        if (shared == 1) {
            second = t;
        }
    }
    ASSERT_GE(second, 0);
    Triangles kept(s.triangles.rows() - 2, 3);
    Eigen::Index row = 0;
    for (Eigen::Index t = 0; t < s.triangles.rows(); ++t) {
        if (t != first && t != second) {
            kept.row(row++) = s.triangles.row(t);
        }
    }
    const auto loops = boundary_loops(kept);
    ASSERT_EQ(loops.size(), 2u);
    EXPECT_EQ(loops[0].size(), 3u);
    EXPECT_EQ(loops[1].size(), 3u);
}

TEST(Connectivity, BoundaryOfACubeOfTetsIsClosedAndOutward) {
    const TetMesh cube = support::cube_of_tets(3);
    const Triangles skin = boundary_triangles(cube.tets);
    EXPECT_EQ(skin.rows(), 6 * 9 * 2);
    EXPECT_TRUE(boundary_loops(skin).empty());
    // Divergence theorem: volume of the unit cube.
    double volume = 0;
    for (Eigen::Index t = 0; t < skin.rows(); ++t) {
        volume += point(cube.points, skin(t, 0))
                      .dot(point(cube.points, skin(t, 1)).cross(point(cube.points, skin(t, 2)))) /
                  6;
    }
    EXPECT_NEAR(volume, 1.0, 1e-12);
}

TEST(Connectivity, TetNeighboursAreMutual) {
    const TetMesh cube = support::cube_of_tets(2);
    const Tets n = tet_neighbours(cube.tets);
    EXPECT_EQ((n.array() < 0).count(), boundary_triangles(cube.tets).rows());
    for (Eigen::Index t = 0; t < n.rows(); ++t) {
        for (int k = 0; k < 4; ++k) {
            if (n(t, k) >= 0) {
                EXPECT_TRUE((n.row(n(t, k)).array() == t).any());
            }
        }
    }
}

TEST(Connectivity, PiecesAreCounted) {
    const TriangleMesh a = support::sphere(1, 1.0);
    Triangles two(2 * a.triangles.rows(), 3);
    two << a.triangles, (a.triangles.array() + static_cast<Index>(a.points.rows())).matrix();
    EXPECT_EQ(connected_components(two, 2 * a.points.rows()).count, 2);
}

TEST(Connectivity, UnusedPointsAreDropped) {
    const TriangleMesh a = support::sphere(1, 1.0);
    const Compacted c = without_unused_points(a.points, a.triangles.topRows(1));
    EXPECT_EQ(c.points.rows(), 3);
    for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(c.points.row(c.triangles(0, k)), a.points.row(a.triangles(0, k)));
    }
}

}  // namespace sinew
