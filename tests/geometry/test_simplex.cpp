#include "sinew/base/random.h"
#include "sinew/geometry/simplex.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

// The seven regions around a right triangle in the plane z = 0, each solved by hand.
TEST(ClosestOnTriangle, FindsFaceEdgesAndCorners) {
    const Vec3 a(0, 0, 0), b(2, 0, 0), c(0, 2, 0);
    const std::pair<Vec3, Vec3> cases[] = {{{0.5, 0.5, 3}, {0.5, 0.5, 0}}, {{1, -1, 1}, {1, 0, 0}},
                                           {{-1, 1, 1}, {0, 1, 0}},        {{2, 2, -1}, {1, 1, 0}},
                                           {{-1, -1, 1}, {0, 0, 0}},       {{5, -1, 0}, {2, 0, 0}},
                                           {{-1, 5, 0}, {0, 2, 0}}};
    for (const auto& [p, expected] : cases) {
        const OnTriangle on = closest_on_triangle(p, a, b, c);
        EXPECT_LT((on.point - expected).norm(), 1e-15) << p.transpose();
        EXPECT_NEAR(on.squared_distance, (p - expected).squaredNorm(), 1e-14);
        const Vec3& w = on.barycentric;
        EXPECT_LT((w[0] * a + w[1] * b + w[2] * c - expected).norm(), 1e-15);
        EXPECT_GE(w.minCoeff(), 0.0);
    }
}

TEST(ClosestOnTriangle, TreatsTrianglesWithoutAreaAsSegmentsAndPoints) {
    const Vec3 p(0.5, 1, 0);
    const OnTriangle segment = closest_on_triangle(p, {0, 0, 0}, {2, 0, 0}, {1, 0, 0});
    EXPECT_LT((segment.point - Vec3(0.5, 0, 0)).norm(), 1e-15);
    const OnTriangle dot = closest_on_triangle(p, {3, 1, 0}, {3, 1, 0}, {3, 1, 0});
    EXPECT_EQ(dot.point, Vec3(3, 1, 0));
    EXPECT_DOUBLE_EQ(dot.squared_distance, 6.25);
    EXPECT_TRUE(dot.barycentric.allFinite());
}

// No point of the triangle is nearer than the one returned.
TEST(ClosestOnTriangle, BeatsEverySampleAlsoInSlivers) {
    Random random(Seed{4});
    for (int trial = 0; trial < 300; ++trial) {
        const Vec3 a = support::random_point(random), b = support::random_point(random);
        const double height = trial % 3 == 0 ? 1e-9 : 1.0;
        const Vec3 c = 0.5 * (a + b) + height * support::random_point(random);
        const Vec3 p = support::random_point(random);
        const OnTriangle on = closest_on_triangle(p, a, b, c);
        const Vec3& w = on.barycentric;
        EXPECT_LT((w[0] * a + w[1] * b + w[2] * c - on.point).norm(), 1e-14);
        EXPECT_NEAR((p - on.point).squaredNorm(), on.squared_distance, 1e-14);
        for (int i = 0; i <= 20; ++i) {
            for (int j = 0; i + j <= 20; ++j) {
                const Vec3 q = (i * a + j * b + (20 - i - j) * c) / 20.0;
                EXPECT_LE(on.squared_distance, (p - q).squaredNorm() + 1e-14);
            }
        }
    }
}

TEST(TetBarycentric, ReproducesPointsInsideOutsideAndInInvertedTets) {
    Random random(Seed{5});
    for (int trial = 0; trial < 200; ++trial) {
        const Vec3 a = support::random_point(random), b = support::random_point(random),
                   c = support::random_point(random), d = support::random_point(random),
                   p = support::random_point(random);
        const Vec4 w = tet_barycentric(p, a, b, c, d);
        const double condition = w.cwiseAbs().maxCoeff();
        EXPECT_NEAR(w.sum(), 1.0, 1e-14 * condition);
        EXPECT_LT((w[0] * a + w[1] * b + w[2] * c + w[3] * d - p).norm(), 1e-12 * condition);
        const Vec4 swapped = tet_barycentric(p, b, a, c, d);
        EXPECT_LT((Vec4(w[1], w[0], w[2], w[3]) - swapped).norm(), 1e-12 * condition * condition);
    }
    EXPECT_FALSE(
        tet_barycentric({0, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}).allFinite());
}

TEST(ClosestOnTet, IsThePointItselfInsideAndOnTheFaceOutside) {
    const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0), d(0, 0, 1);
    EXPECT_EQ(closest_on_tet({0.2, 0.2, 0.2}, a, b, c, d).squared_distance, 0.0);
    const OnTet on = closest_on_tet({0.2, 0.3, -0.5}, a, b, c, d);
    EXPECT_LT((on.point - Vec3(0.2, 0.3, 0)).norm(), 1e-15);
    EXPECT_LT((on.barycentric - Vec4(0.5, 0.2, 0.3, 0)).norm(), 1e-15);
    const OnTet far = closest_on_tet({1, 1, 1}, a, b, c, d);
    EXPECT_LT((far.point - Vec3::Constant(1.0 / 3)).norm(), 1e-15);
}

TEST(ClosestOnTet, WorksWithoutVolume) {
    const OnTet on = closest_on_tet({0.2, 0.3, 2}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0.5, 0});
    EXPECT_LT((on.point - Vec3(0.2, 0.3, 0)).norm(), 1e-15);
    EXPECT_NEAR(on.squared_distance, 4.0, 1e-15);
    EXPECT_TRUE(on.barycentric.allFinite());
}

// From the centre of a cube each face covers 4 pi / 6; from a corner the three far faces cover
// pi / 2.
TEST(SolidAngle, VanOosterom1983CubeFacesShareTheSphere) {
    const Vec3 a(1, -1, -1), b(1, 1, -1), c(1, 1, 1), d(1, -1, 1);
    const double face = solid_angle(Vec3::Zero(), a, b, c) + solid_angle(Vec3::Zero(), a, c, d);
    EXPECT_NEAR(face, 4.0 * std::numbers::pi / 6.0, 1e-14);
    const Vec3 corner(-1, -1, -1);
    EXPECT_NEAR(solid_angle(corner, a, b, c) + solid_angle(corner, a, c, d), std::numbers::pi / 6.0,
                1e-14);
    EXPECT_DOUBLE_EQ(solid_angle(Vec3::Zero(), a, c, b), -solid_angle(Vec3::Zero(), a, b, c));
    EXPECT_EQ(solid_angle({1, 5, 5}, a, b, c), 0.0);
}

}  // namespace
}  // namespace sinew
