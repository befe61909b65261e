#include "sinew/base/error.h"
#include "sinew/solver/vertex_constraints.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

Points one(const Vec3& p) {
    Points x(1, 3);
    x.row(0) = p.transpose();
    return x;
}

TEST(VertexConstraints, FixedVertexGoesToItsPlace) {
    VertexConstraints c;
    c.fix(0, {1, 2, 3});
    Points x = one({9, 9, 9});
    c.apply(x);
    EXPECT_EQ(point(x, 0), Vec3(1, 2, 3));
    Points v = one({1, 1, 1});
    c.project(v);
    EXPECT_EQ(v.norm(), 0.0);
}

TEST(VertexConstraints, PlaneTakesAwayItsNormalOnly) {
    VertexConstraints c;
    c.keep_in_plane(0, {0, 0, 2}, {0, 0, -5});
    Points x = one({3, 4, 7});
    c.apply(x);
    EXPECT_LT((point(x, 0) - Vec3(3, 4, 2)).norm(), 1e-15);
    Points v = one({1, 2, 3});
    c.project(v);
    EXPECT_LT((point(v, 0) - Vec3(1, 2, 0)).norm(), 1e-15);
    EXPECT_EQ(c.freedoms().at(0).dimension, 2);
}

// x + y = 1 and z = 2 meet in a line with direction (1, -1, 0); x = 3 cuts it at (3, -2, 2).
TEST(VertexConstraints, PlanesMeetInALineAndThenInAPoint) {
    VertexConstraints c;
    c.keep_in_plane(0, {1, 0, 0}, {1, 1, 0});
    c.keep_in_plane(0, {0, 0, 2}, {0, 0, 1});
    EXPECT_EQ(c.freedoms().at(0).dimension, 1);
    Points v = one({1, 0, 0});
    c.project(v);
    EXPECT_LT((point(v, 0) - Vec3(0.5, -0.5, 0)).norm(), 1e-15);
    c.keep_in_plane(0, {3, 0, 0}, {1, 0, 0});
    EXPECT_EQ(c.freedoms().at(0).dimension, 0);
    Points x = one({9, 9, 9});
    c.apply(x);
    EXPECT_LT((point(x, 0) - Vec3(3, -2, 2)).norm(), 1e-14);
}

TEST(VertexConstraints, LineIsKept) {
    VertexConstraints c;
    c.keep_on_line(4, {0, 1, 0}, {1, 0, 0});
    EXPECT_EQ(c.freedoms().at(4).dimension, 1);
    Points x = Points::Constant(5, 3, 7.0);
    c.apply(x);
    EXPECT_LT((point(x, 4) - Vec3(7, 1, 0)).norm(), 1e-14);
    EXPECT_EQ(point(x, 3), Vec3(7, 7, 7));
}

TEST(VertexConstraints, TheSamePlaneTwiceIsOnePlane) {
    VertexConstraints c;
    c.keep_in_plane(0, {0, 0, 2}, {0, 0, 1});
    c.keep_in_plane(0, {5, 5, 2}, {0, 0, -3});
    EXPECT_EQ(c.freedoms().at(0).dimension, 2);
}

TEST(VertexConstraints, ContradictionsAndMissingDirectionsAreRefused) {
    VertexConstraints c;
    c.keep_in_plane(0, {0, 0, 2}, {0, 0, 1});
    EXPECT_THROW(c.keep_in_plane(0, {0, 0, 3}, {0, 0, 1}), InputError);
    EXPECT_THROW(c.keep_in_plane(1, {0, 0, 3}, {0, 0, 0}), InputError);
    EXPECT_THROW(c.keep_on_line(1, {0, 0, 3}, {0, 0, 0}), InputError);
}

}  // namespace
}  // namespace sinew
