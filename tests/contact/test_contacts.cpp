#include "sinew/base/parallel.h"
#include "sinew/contact/distance.h"
#include "sinew/contact/surface_contact.h"
#include "sinew/contact/tet_contact.h"
#include "sinew/geometry/simplex.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

// Two pieces of one mesh.
TetMesh both(const TetMesh& a, const TetMesh& b) {
    TetMesh all;
    all.points.resize(a.points.rows() + b.points.rows(), 3);
    all.points << a.points, b.points;
    all.tets.resize(a.tets.rows() + b.tets.rows(), 4);
    all.tets << a.tets, (b.tets.array() + static_cast<Index>(a.points.rows())).matrix();
    return all;
}

// A bar along x, bent into an almost closed ring so that its ends meet or overlap.
Points bent(const Points& rest, double length, double turns) {
    Points x = rest;
    const double radius = length / (2 * M_PI);
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
        const double angle = 2 * M_PI * turns * rest(i, 0) / length;
        const double r = radius + rest(i, 1);
        x(i, 0) = r * std::sin(angle);
        x(i, 1) = r * std::cos(angle);
    }
    return x;
}

bool contains(const Tets& tets, const Points& x, Index t, const Vec3& p) {
    const Vec4 w = tet_barycentric(p, point(x, tets(t, 0)), point(x, tets(t, 1)),
                                   point(x, tets(t, 2)), point(x, tets(t, 3)));
    return w.allFinite() && w.minCoeff() >= 0.0;
}

TEST(TetContacts, FindsTheVerticesThatTestingAllTetrahedraFinds) {
    const TetMesh bar = support::box_of_tets({30, 3, 3}, Vec3(4.0, 0.4, 0.4));
    const Points x = bent(bar.points, 4.0, 1.08);
    constexpr double kNear = 0.15;
    TetContacts contacts(bar, {.neighbourhood = kNear});
    std::set<Index> found;
    for (const PointTriangleContact& c : contacts.find(x)) {
        EXPECT_TRUE(found.empty() || *found.rbegin() < c.vertex);
        found.insert(c.vertex);
    }
    std::set<Index> surface;
    const Triangles boundary = boundary_triangles(bar.tets);
    surface.insert(boundary.data(), boundary.data() + boundary.size());
    std::set<Index> expected;
    for (const Index v : surface) {
        for (Index t = 0; t < bar.tets.rows(); ++t) {
            const Vec3 p = point(x, v);
            const auto c = bar.tets.row(t);
            if (!contains(bar.tets, x, t, p)) {
                continue;
            }
            const double rest = closest_on_tet(point(bar.points, v), point(bar.points, c[0]),
                                               point(bar.points, c[1]), point(bar.points, c[2]),
                                               point(bar.points, c[3]))
                                    .squared_distance;
            if (rest > kNear * kNear) {
                expected.insert(v);
            }
        }
    }
    EXPECT_GT(expected.size(), 30u);
    EXPECT_EQ(found, expected);
    // At rest there is nothing.
    contacts.forget();
    EXPECT_TRUE(contacts.find(bar.points).empty());
}

TEST(TetContacts, WhoeverIsKnownToBeOutsideNeedsNotBeAsked) {
    const TetMesh bar = support::box_of_tets({30, 3, 3}, Vec3(4.0, 0.4, 0.4));
    const TetContactOptions options{.neighbourhood = 0.15, .retain = 0.05};
    TetContacts all(bar, options);
    TetContacts among(bar, options);
    std::size_t most = 0;
    for (const double turns : {1.08, 1.03, 1.0, 0.99, 0.9}) {
        const Points x = bent(bar.points, 4.0, turns);
        const std::vector<PointTriangleContact> expected = all.find(x);
        std::vector<Index> inside;
        TetContacts without_memory(bar, options);
        for (const PointTriangleContact& c : without_memory.find(x)) {
            inside.push_back(c.vertex);
        }
        const std::vector<PointTriangleContact> found = among.find_among(x, inside);
        ASSERT_EQ(found.size(), expected.size()) << turns;
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].vertex, expected[i].vertex);
            EXPECT_EQ(found[i].triangle, expected[i].triangle);
        }
        most = std::max(most, found.size());
    }
    EXPECT_GT(most, 30u);
}

TEST(TetContacts, TheWayOutOfABlockIsItsNearestFace) {
    const TetMesh low = support::cube_of_tets(4);
    TetMesh high = support::cube_of_tets(3);
    high.points.col(1).array() += 1.1;
    high.points.col(0).array() += 0.01;
    high.points.col(2).array() += 0.02;
    const TetMesh apart = both(low, high);
    TetContacts finder(apart);
    Points x = apart.points;
    x.bottomRows(high.points.rows()).col(1).array() -= 0.2;
    int seen = 0;
    for (const PointTriangleContact& c : finder.find(x)) {
        if (c.vertex >= low.points.rows() && std::abs(x(c.vertex, 0) - 0.34) < 0.1 &&
            std::abs(x(c.vertex, 2) - 0.35) < 0.1) {
            for (const Index corner : c.triangle) {
                EXPECT_EQ(x(corner, 1), 1.0);  // top of the low block
            }
            ++seen;
        }
    }
    EXPECT_EQ(seen, 1);
    for (const TetContacts::Depth& d : finder.depths(x)) {
        EXPECT_LE(d.depth, 0.11);
    }
}

TEST(TetContacts, RestingContactsAreKeptWithinTheirThreshold) {
    const TetMesh low = support::cube_of_tets(3);
    TetMesh high = support::cube_of_tets(2);
    high.points *= 0.5;
    high.points.rowwise() += Eigen::RowVector3d(0.21, 2.0, 0.22);
    const TetMesh body = both(low, high);
    TetContacts contacts(body, {.neighbourhood = 0.0, .retain = 0.05});
    Points x = body.points;
    const auto shift = [&](double by) {
        x.col(1) = body.points.col(1);
        x.bottomRows(high.points.rows()).col(1).array() += by - 1.0;
    };
    shift(0.01);
    EXPECT_TRUE(contacts.find(x).empty());  // not yet touched
    shift(-0.02);
    const std::size_t touching = contacts.find(x).size();
    EXPECT_EQ(touching, 9u + 4u);
    shift(0.01);
    EXPECT_EQ(contacts.find(x).size(), touching);  // apart, but kept
    shift(0.06);
    EXPECT_TRUE(contacts.find(x).empty());
    shift(0.01);
    EXPECT_TRUE(contacts.find(x).empty());  // and then forgotten
}

TEST(SurfaceContacts, FindsThePairsThatTestingAllFinds) {
    const TetMesh bar = support::box_of_tets({24, 2, 2}, Vec3(4.0, 0.3, 0.3));
    const Triangles skin = boundary_triangles(bar.tets);
    const TriangleMesh surface{.points = bar.points, .triangles = skin};
    const Points x = bent(bar.points, 4.0, 0.99);
    constexpr double kReach = 0.08;
    SurfaceContacts finder(surface, kReach);
    const SurfacePairs pairs = finder.find(x);

    std::vector<PointTriangleContact> points;
    const auto near_triangle = [&](const Points& at, Index v, Index t) {
        return closest_on_triangle(point(at, v), point(at, skin(t, 0)), point(at, skin(t, 1)),
                                   point(at, skin(t, 2)))
                   .squared_distance < kReach * kReach;
    };
    std::set<Index> used(skin.data(), skin.data() + skin.size());
    for (const Index v : used) {
        for (Index t = 0; t < skin.rows(); ++t) {
            const auto c = skin.row(t);
            if (c[0] != v && c[1] != v && c[2] != v && near_triangle(x, v, t) &&
                !near_triangle(bar.points, v, t)) {
                points.push_back({v, {c[0], c[1], c[2]}});
            }
        }
    }
    EXPECT_GT(points.size(), 10u);
    EXPECT_EQ(pairs.point_triangle, points);

    const Edges edges = unique_edges(skin);
    const auto near_edge = [&](const Points& at, Index e, Index f) {
        return edge_edge_distance(point(at, edges(e, 0)), point(at, edges(e, 1)),
                                  point(at, edges(f, 0)), point(at, edges(f, 1)))
                   .squared < kReach * kReach;
    };
    std::vector<EdgeEdgeContact> expected;
    for (Index e = 0; e < edges.rows(); ++e) {
        for (Index f = e + 1; f < edges.rows(); ++f) {
            const std::set<Index> corners = {edges(e, 0), edges(e, 1), edges(f, 0), edges(f, 1)};
            if (corners.size() == 4 && near_edge(x, e, f) && !near_edge(bar.points, e, f)) {
                expected.push_back({{edges(e, 0), edges(e, 1)}, {edges(f, 0), edges(f, 1)}});
            }
        }
    }
    EXPECT_GT(expected.size(), 10u);
    EXPECT_EQ(pairs.edge_edge, expected);
}

TEST(Contacts, AreTheSameOnAnyNumberOfThreads) {
    const TetMesh bar = support::box_of_tets({60, 6, 6}, Vec3(4.0, 0.4, 0.4));
    const TriangleMesh surface{.points = bar.points, .triangles = boundary_triangles(bar.tets)};
    const Points x = bent(bar.points, 4.0, 1.08);
    std::vector<std::vector<PointTriangleContact>> inside;
    std::vector<SurfacePairs> near;
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        inside.push_back(TetContacts(bar, {.neighbourhood = 0.15}).find(x));
        near.push_back(SurfaceContacts(surface, 0.05).find(x));
    }
    EXPECT_FALSE(inside[0].empty());
    EXPECT_EQ(inside[0], inside[1]);
    EXPECT_FALSE(near[0].edge_edge.empty());
    EXPECT_EQ(near[0].point_triangle, near[1].point_triangle);
    EXPECT_EQ(near[0].edge_edge, near[1].edge_edge);
}

}  // namespace
}  // namespace sinew
