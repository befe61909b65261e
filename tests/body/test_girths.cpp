#include "sinew/body/girths.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/limb_body.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

// A sphere cut at height h has a circle of radius sqrt(r^2 - h^2).
TEST(Girths, OfASphereAreThoseOfItsCircles) {
    const TriangleMesh sphere = support::sphere(4, 0.3);
    for (const double h : {0.0, 0.1, 0.2}) {
        const Vec3 normal(1.0, 2.0, 0.5);
        const Vec3 centre = h * normal.normalized();
        const double expected = 2.0 * M_PI * std::sqrt(0.09 - h * h);
        EXPECT_NEAR(tape_girth(sphere.points, sphere.triangles, centre, normal), expected,
                    0.005 * expected);
    }
    EXPECT_EQ(tape_girth(sphere.points, sphere.triangles, Vec3(0.0, 0.5, 0.0), Vec3::UnitY()), 0.0);
}

TEST(Girths, TheTapeGoesRoundTheLimbThatIsMeant) {
    TriangleMesh two = support::sphere(4, 0.1);
    const TriangleMesh trunk = support::sphere(4, 0.3);
    const Eigen::Index n = two.points.rows();
    two.points.rowwise() += Eigen::RowVector3d(0.5, 0.0, 0.0);
    two.points.conservativeResize(n + trunk.points.rows(), 3);
    two.points.bottomRows(trunk.points.rows()) = trunk.points;
    const Eigen::Index t = two.triangles.rows();
    two.triangles.conservativeResize(t + trunk.triangles.rows(), 3);
    two.triangles.bottomRows(trunk.triangles.rows()) =
        trunk.triangles.array() + static_cast<Index>(n);
    const Vec3 up = Vec3::UnitY();
    EXPECT_NEAR(tape_girth(two.points, two.triangles, Vec3(0.5, 0.0, 0.0), up), 0.2 * M_PI, 0.005);
    EXPECT_NEAR(tape_girth(two.points, two.triangles, Vec3::Zero(), up), 0.6 * M_PI, 0.01);
    // Outside of both: the nearer one.
    EXPECT_NEAR(tape_girth(two.points, two.triangles, Vec3(0.65, 0.0, 0.0), up), 0.2 * M_PI, 0.005);
}

TEST(Girths, TheTapeSpansHollows) {
    // A star-shaped prism: the tape touches the tips of its five arms only.
    TriangleMesh star;
    star.points.resize(20, 3);
    star.triangles.resize(20, 3);
    for (int i = 0; i < 10; ++i) {
        const double angle = M_PI * i / 5.0;
        const double radius = i % 2 == 0 ? 1.0 : 0.3;
        for (int top = 0; top < 2; ++top) {
            star.points.row(i + 10 * top) << radius * std::cos(angle), top - 0.5,
                radius * std::sin(angle);
        }
        const int j = (i + 1) % 10;
        star.triangles.row(2 * i) << i, i + 10, j;
        star.triangles.row(2 * i + 1) << j, i + 10, j + 10;
    }
    const double pentagon = 5.0 * 2.0 * std::sin(M_PI / 5.0);
    EXPECT_NEAR(tape_girth(star.points, star.triangles, Vec3(0.0, 0.01, 0.0), Vec3::UnitY()),
                pentagon, 1e-9);
}

TEST(Girths, WhatTheSkeletonLacksIsLeftOut) {
    EXPECT_TRUE(girths(support::limb_body({.along = 6, .across = 10})).empty());
}

}  // namespace
}  // namespace sinew
