#include "sinew/io/polygon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "tests/support/trials.h"

namespace sinew {

namespace {

// Signed areas along z of the triangles; their sum is the polygon's area whatever the cut, so the
// smallest tells whether one is turned over.
std::pair<double, double> sum_and_least_area(const Points& points, const std::vector<Index>& tri) {
    double sum = 0;
    double least = 1e300;
    for (std::size_t t = 0; t < tri.size(); t += 3) {
        const Vec3 a = point(points, tri[t]);
        const Vec3 b = point(points, tri[t + 1]);
        const Vec3 c = point(points, tri[t + 2]);
        const double area = 0.5 * (b - a).cross(c - a).z();
        sum += area;
        least = std::min(least, area);
    }
    return {sum, least};
}

std::vector<Index> cut(const Points& points, std::vector<Index> corners = {}) {
    if (corners.empty()) {
        corners.resize(static_cast<std::size_t>(points.rows()));
        std::iota(corners.begin(), corners.end(), 0);
    }
    std::vector<Index> triangles;
    add_triangulated(points, corners, triangles);
    EXPECT_EQ(triangles.size(), 3 * (corners.size() - 2));
    return triangles;
}

Points star(int spikes) {
    Points p(2 * spikes, 3);
    for (int i = 0; i < 2 * spikes; ++i) {
        const double r = i % 2 == 0 ? 1.0 : 0.3;
        const double angle = std::numbers::pi * i / spikes;
        p.row(i) << r * std::cos(angle), r * std::sin(angle), 0;
    }
    return p;
}

}  // namespace

TEST(Polygon, AConvexQuadIsAFan) {
    Points p(4, 3);
    p << 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0;
    EXPECT_EQ(cut(p), (std::vector<Index>{0, 1, 2, 0, 2, 3}));
}

TEST(Polygon, ADartIsCutAlongItsInnerDiagonalWhereverItStarts) {
    Points p(4, 3);
    p << 0, 0, 0, 2, -1, 0, 0.5, 0, 0, 2, 1, 0;  // reflex at corner 2
    for (Index shift = 0; shift < 4; ++shift) {
        const auto triangles = cut(p, {shift, (shift + 1) % 4, (shift + 2) % 4, (shift + 3) % 4});
        EXPECT_GT(sum_and_least_area(p, triangles).second, 0.0) << shift;
    }
}

TEST(Polygon, StarsAndCombsAreCutWithoutTurnedTriangles) {
    for (const int spikes : {3, 5, 50, 400}) {
        const Points p = star(spikes);
        const auto [sum, least] = sum_and_least_area(p, cut(p));
        EXPECT_GT(least, 0.0) << spikes;
        const double exact = spikes * 0.3 * std::sin(std::numbers::pi / spikes);
        EXPECT_NEAR(sum, exact, 1e-12);
    }
    Points comb(402, 3);
    for (int i = 0; i < 400; ++i) {
        comb.row(i) << 399 - i, i % 2 == 0 ? 1.0 : 10.0, 0;
    }
    comb.row(400) << 0, 0, 0;
    comb.row(401) << 399, 0, 0;
    EXPECT_GE(sum_and_least_area(comb, cut(comb)).second, 0.0);
}

TEST(Polygon, TheSenseOfAnyPlaneIsKept) {
    Points p(4, 3);
    p << 0, 0, 0, 0, -1, 2, 0, 0, 0.5, 0, 1, 2;  // a dart in the plane x = 0
    for (const bool is_reversed : {false, true}) {
        std::vector<Index> corners = {0, 1, 2, 3};
        if (is_reversed) {
            corners = {3, 2, 1, 0};
        }
        const auto t = cut(p, corners);
        const double first =
            (point(p, t[1]) - point(p, t[0])).cross(point(p, t[2]) - point(p, t[0])).x();
        const double second =
            (point(p, t[4]) - point(p, t[3])).cross(point(p, t[5]) - point(p, t[3])).x();
        EXPECT_GT(first * second, 0.0);
        EXPECT_EQ(first < 0, !is_reversed);
    }
}

TEST(Polygon, WhatHasNoAreaOrCrossesItselfStillGivesTriangles) {
    cut(Points::Zero(6, 3));
    Points bow(4, 3);
    bow << 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0;
    cut(bow);
    Points huge = star(20) * 1e200;
    cut(huge);
}

TEST(Polygon, ALargeSpiralEndsSoon) {
    const int n = support::trials(2000);
    Points p(2 * n, 3);
    for (int i = 0; i < n; ++i) {
        const double angle = 0.01 * i;
        const double r = 1.0 + 0.05 * angle;
        p.row(i) << r * std::cos(angle), r * std::sin(angle), 0;
        p.row(2 * n - 1 - i) << 1.01 * r * std::cos(angle), 1.01 * r * std::sin(angle), 0;
    }
    cut(p);
}

}  // namespace sinew
