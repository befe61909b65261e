#include "sinew/skinning/skin_steadying.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

// A ball on one bone that turns and moves; edges are about 12 cm long.
struct Ball {
    Ball() {
        const TriangleMesh mesh = support::sphere(2, 0.4);
        skin.points = mesh.points;
        skin.triangles = mesh.triangles;
        skin.bone.assign(static_cast<std::size_t>(mesh.points.rows()), 0);
        skin.base_points = mesh.points;
    }
    static Eigen::Isometry3d bone(int frame) {
        return Eigen::Translation3d(0.02 * frame, 0.0, 0.0) *
               Eigen::AngleAxisd(0.1 * frame, Vec3(0.6, 0.8, 0.0));
    }
    // The ball in a frame, its first vertex moved along its normal by a way on its bone.
    Points at_frame(int frame, double way) const {
        Points x(skin.points.rows(), 3);
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            const Vec3 p = point(skin.points, i);
            x.row(i) = (bone(frame) * Vec3(p + (i == 0 ? way : 0.0) * p.normalized())).transpose();
        }
        return x;
    }
    SkinOnBones skin;
};

// How far the first vertex moves per frame at the most, on its bone, as it is shown, in the second
// half of 40 frames.
double largest_step(const Ball& ball, const std::function<double(int)>& way) {
    SkinSteadying steadying(ball.skin);
    double largest = 0.0;
    Vec3 before = Vec3::Zero();
    for (int frame = 0; frame < 40; ++frame) {
        Points x = ball.at_frame(frame, way(frame));
        const Points simulated = x;
        const Eigen::Isometry3d motion = Ball::bone(frame) * Ball::bone(frame - 1).inverse();
        steadying.steady(x, std::span(&motion, 1));
        const Vec3 now = Ball::bone(frame).inverse() * point(x, 0);
        largest = frame > 20 ? std::max(largest, (now - before).norm()) : 0.0;
        before = now;
        // All that rides on the bone stays where it is.
        EXPECT_EQ(x.bottomRows(x.rows() - 1), simulated.bottomRows(x.rows() - 1));
    }
    return largest;
}

TEST(SkinSteadying, WhatIsThrownToAndFroComesToRest) {
    const Ball ball;
    EXPECT_LT(largest_step(ball, [](int f) { return f % 2 == 0 ? 0.0 : 0.05; }), 0.01);
    // Every other frame nothing happens.
    EXPECT_LT(largest_step(ball, [](int f) { return f % 4 == 0 ? 0.0 : 0.05; }), 0.02);
}

TEST(SkinSteadying, FleshThatSwingsGoesOnSwinging) {
    const Ball ball;
    for (const int period : {6, 8, 12, 30}) {
        const double d = 2.0 * std::numbers::pi / period;
        const double largest =
            largest_step(ball, [&](int f) { return 0.05 * std::cos(d * f + 0.3); });
        const double expected = 0.05 * 2.0 * std::sin(0.5 * d);
        EXPECT_NEAR(largest, expected, 0.05 * expected) << "period " << period;
    }
}

TEST(SkinSteadying, AnewItShowsWhatIsSimulated) {
    const Ball ball;
    SkinSteadying steadying(ball.skin);
    const Eigen::Isometry3d still = Eigen::Isometry3d::Identity();
    for (int frame = 0; frame < 9; ++frame) {
        Points x = ball.at_frame(0, frame % 2 == 0 ? 0.0 : 0.05);
        steadying.steady(x, std::span(&still, 1));
    }
    steadying.forget();
    Points x = ball.at_frame(0, 0.05);
    steadying.steady(x, std::span(&still, 1));
    EXPECT_EQ(x, ball.at_frame(0, 0.05));
}

}  // namespace
}  // namespace sinew
