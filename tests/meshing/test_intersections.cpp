#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/meshing/intersections.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/shapes.h"

namespace sinew {

namespace {

// A bar through the lower half of the box's y faces, clear of their diagonals: at both faces its
// four sides of two triangles each cross one triangle of the box.
TriangleMesh bar_through_box() {
    return support::joined(support::box({0, 0, 0}, {1, 1, 1}),
                           support::box({0.6, -0.97, 0.1}, {0.8, 2.03, 0.3}));
}

}  // namespace

TEST(Intersections, BarThroughBoxCrossesSixteenTimes) {
    const Intersections found = find_self_intersections(bar_through_box());
    EXPECT_EQ(found.pairs.size(), 16u);
    EXPECT_TRUE(found.is_complete);
    for (const auto& [a, b] : found.pairs) {
        EXPECT_LT(a, 12);
        EXPECT_GE(b, 12);
    }
}

TEST(Intersections, BetweenTwoMeshesAgreesWithTheirUnion) {
    const TriangleMesh box = support::box({0, 0, 0}, {1, 1, 1});
    const TriangleMesh bar = support::box({0.6, -0.97, 0.1}, {0.8, 2.03, 0.3});
    const auto between = find_intersections(box, bar).pairs;
    const auto within = find_self_intersections(bar_through_box()).pairs;
    ASSERT_EQ(between.size(), within.size());
    for (std::size_t i = 0; i < within.size(); ++i) {
        EXPECT_EQ(between[i].first, within[i].first);
        EXPECT_EQ(between[i].second + 12, within[i].second);
    }
}

TEST(Intersections, HealthyShapesHaveNone) {
    EXPECT_TRUE(find_self_intersections(support::sphere(4, 0.1)).pairs.empty());
    EXPECT_TRUE(find_self_intersections(support::torus(1, 0.3, 20, 40)).pairs.empty());
    EXPECT_TRUE(find_self_intersections(support::cylinder(0.1, 2.0, 16, 8)).pairs.empty());
    EXPECT_TRUE(find_self_intersections(support::open_square(10)).pairs.empty());
    EXPECT_TRUE(find_self_intersections(support::box({0, 0, 0}, {1, 1, 1e-9})).pairs.empty());
    EXPECT_TRUE(find_self_intersections(TriangleMesh{}).pairs.empty());
}

// Two triangles that share an edge overlap only when folded flat onto each other.
TEST(Intersections, FoldedHingeOverlaps) {
    TriangleMesh mesh;
    mesh.points.resize(4, 3);
    mesh.points << 0, 0, 0, 1, 0, 0, 0.2, 1, 0, 0.4, 0.5, 0;
    mesh.triangles.resize(2, 3);
    mesh.triangles << 0, 1, 2, 1, 0, 3;
    EXPECT_EQ(find_self_intersections(mesh).pairs.size(), 1u);
    mesh.points(3, 1) = -0.5;  // unfolded
    EXPECT_TRUE(find_self_intersections(mesh).pairs.empty());
    mesh.points.row(3) << 0.4, 0.5, 1e-18;  // folded, but lifted by a hair
    EXPECT_TRUE(find_self_intersections(mesh).pairs.empty());
}

TEST(Intersections, FanWithOneSharedCornerCrosses) {
    TriangleMesh mesh;
    mesh.points.resize(5, 3);
    mesh.points << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 0.1, 0.3, 0.3, -0.1;
    mesh.triangles.resize(2, 3);
    mesh.triangles << 0, 1, 2, 0, 3, 4;
    EXPECT_EQ(find_self_intersections(mesh).pairs.size(), 1u);
    mesh.points(4, 2) = 0.2;
    EXPECT_TRUE(find_self_intersections(mesh).pairs.empty());
}

// Two boxes corner to corner, with a vertex each: they touch and do not intersect.
TEST(Intersections, CoincidentCornersCountAsShared) {
    const TriangleMesh touching =
        support::joined(support::box({0, 0, 0}, {1, 1, 1}), support::box({1, 1, 1}, {2, 2, 2}));
    EXPECT_TRUE(find_self_intersections(touching).pairs.empty());
    // The corner of one on the face of the other is an intersection.
    const TriangleMesh stuck = support::joined(support::box({0, 0, 0}, {1, 1, 1}),
                                               support::box({0.5, 0.25, 1}, {2, 2, 2}));
    EXPECT_FALSE(find_self_intersections(stuck).pairs.empty());
}

TEST(Intersections, CoplanarTrianglesTouchWhenOneHoldsTheOther) {
    const Vec3 a[3] = {{0, 0, 1}, {4, 0, 1}, {0, 4, 1}};
    const Vec3 inside[3] = {{1, 1, 1}, {1.5, 1, 1}, {1, 1.5, 1}};
    const Vec3 beside[3] = {{3, 3, 1}, {4, 3, 1}, {3, 4, 1}};
    const Vec3 above[3] = {{1, 1, 2}, {1.5, 1, 2}, {1, 1.5, 2}};
    EXPECT_TRUE(triangles_touch(a, inside));
    EXPECT_TRUE(triangles_touch(inside, a));
    EXPECT_FALSE(triangles_touch(a, beside));
    EXPECT_FALSE(triangles_touch(a, above));
}

// All pairs one by one are the truth for the tree.
TEST(Intersections, TreeFindsWhatAllPairsFind) {
    TriangleMesh mesh;
    Random random(Seed{11});
    constexpr int kCount = 300;
    mesh.points.resize(3 * kCount, 3);
    mesh.triangles.resize(kCount, 3);
    for (int t = 0; t < kCount; ++t) {
        const Vec3 at(random.uniform(), random.uniform(), random.uniform());
        for (int k = 0; k < 3; ++k) {
            mesh.points.row(3 * t + k) =
                (at + 0.2 * Vec3(random.normal(), random.normal(), random.normal())).transpose();
            mesh.triangles(t, k) = 3 * t + k;
        }
    }
    std::vector<std::pair<Index, Index>> truth;
    for (Index i = 0; i < kCount; ++i) {
        for (Index j = i + 1; j < kCount; ++j) {
            const Vec3 a[3] = {point(mesh.points, 3 * i), point(mesh.points, 3 * i + 1),
                               point(mesh.points, 3 * i + 2)};
            const Vec3 b[3] = {point(mesh.points, 3 * j), point(mesh.points, 3 * j + 1),
                               point(mesh.points, 3 * j + 2)};
            if (triangles_touch(a, b)) {
                truth.emplace_back(i, j);
            }
        }
    }
    EXPECT_GT(truth.size(), 100u);
    EXPECT_EQ(find_self_intersections(mesh).pairs, truth);
    const ThreadLimit one(1);
    EXPECT_EQ(find_self_intersections(mesh).pairs, truth);
}

TEST(Intersections, ManyOverlappingTrianglesStopAtTheLimit) {
    TriangleMesh mesh;
    constexpr int kCount = 20000;
    mesh.points.resize(3 * kCount, 3);
    mesh.triangles.resize(kCount, 3);
    for (int t = 0; t < kCount; ++t) {
        mesh.points.middleRows(3 * t, 3) << 0, 0, 1e-6 * t, 1, 0, -1e-6 * t, 0, 1, 0;
        mesh.triangles.row(t) << 3 * t, 3 * t + 1, 3 * t + 2;
    }
    const Intersections found = find_self_intersections(mesh, {.max_pairs = 1000});
    EXPECT_FALSE(found.is_complete);
    EXPECT_EQ(found.pairs.size(), 1000u);
}

TEST(Intersections, RefusesWhatIsNotFinite) {
    TriangleMesh mesh = support::box({0, 0, 0}, {1, 1, 1});
    mesh.points(3, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(find_self_intersections(mesh), InputError);
}

}  // namespace sinew
