#include "sinew/render/camera.h"

#include <gtest/gtest.h>

#include <numbers>

namespace sinew {

namespace {

std::vector<Vec3> corners(const Vec3& low, const Vec3& high) {
    std::vector<Vec3> points;
    for (int i = 0; i < 8; ++i) {
        points.emplace_back(i & 1 ? high.x() : low.x(), i & 2 ? high.y() : low.y(),
                            i & 4 ? high.z() : low.z());
    }
    return points;
}

Camera looking(View view, double fov = 0.25) {
    const std::vector<Vec3> body = corners({-0.3, 0.0, -0.15}, {0.3, 1.7, 0.15});
    return fit_camera(body, angles_of(view), fov, 0.75, 0.05);
}

}  // namespace

// +X is the body's left; the beholder of the front view stands before the body and sees it on the
// right.
TEST(Camera, FrontViewShowsTheBodysLeftOnThePicturesRight) {
    const Camera camera = looking(View::Front);
    EXPECT_GT(camera.eye.z(), 1.0);
    EXPECT_GT(camera.project({0.3, 0.85, 0.0}, 300, 400).x(), 200.0);
    EXPECT_LT(camera.project({-0.3, 0.85, 0.0}, 300, 400).x(), 100.0);
    EXPECT_LT(camera.project({0.0, 1.7, 0.0}, 300, 400).y(), 40.0);  // the head is above
}

TEST(Camera, EachViewLooksFromItsSide) {
    EXPECT_LT(looking(View::Back).eye.z(), -1.0);
    EXPECT_GT(looking(View::Left).eye.x(), 1.0);
    EXPECT_LT(looking(View::Right).eye.x(), -1.0);
    EXPECT_GT(looking(View::Top).eye.y(), 2.0);
    const Camera quarter = looking(View::ThreeQuarter);
    EXPECT_GT(quarter.eye.x(), 0.5);
    EXPECT_GT(quarter.eye.z(), 0.5);
    // From the left, the front (+Z) is on the picture's left; from above it is at the bottom.
    EXPECT_LT(looking(View::Left).project({0, 0.85, 0.15}, 300, 400).x(), 150.0);
    EXPECT_GT(looking(View::Top).project({0, 0.85, 0.15}, 300, 400).y(), 200.0);
}

TEST(Camera, AxesAreUnitAndRightHandedForAllViews) {
    for (const View view :
         {View::Front, View::Back, View::Left, View::Right, View::ThreeQuarter, View::Top}) {
        const Camera c = looking(view);
        EXPECT_NEAR(c.forward.norm(), 1.0, 1e-12);
        EXPECT_NEAR(c.right.dot(c.forward), 0.0, 1e-12);
        EXPECT_TRUE(c.right.cross(c.forward).isApprox(c.up, 1e-12));
    }
}

TEST(Camera, FitKeepsTheMarginAndTouchesItSomewhere) {
    const std::vector<Vec3> body = corners({-0.3, 0.0, -0.15}, {0.5, 1.7, 0.4});
    for (const double fov : {0.0, 0.2, 1.0}) {
        for (const View view : {View::Front, View::Left, View::ThreeQuarter, View::Top}) {
            const Camera camera = fit_camera(body, angles_of(view), fov, 0.75, 0.05);
            double least = 1.0;
            for (const Vec3& p : body) {
                const Vec3 at = camera.project(p, 300, 400);
                EXPECT_GT(at.z(), 0.0);
                least = std::min(
                    {least, at.x() / 300, 1.0 - at.x() / 300, at.y() / 400, 1.0 - at.y() / 400});
            }
            EXPECT_NEAR(least, 0.05, 0.004) << "fov " << fov;
        }
    }
}

TEST(Camera, NothingAndASinglePointStillGiveACamera) {
    EXPECT_TRUE(fit_camera({}, {}, 0.2, 1.0, 0.05).eye.allFinite());
    const std::vector<Vec3> one = {{1, 2, 3}};
    for (const double fov : {0.0, 0.2}) {
        const Vec3 at = fit_camera(one, {}, fov, 1.0, 0.05).project(one[0], 100, 100);
        EXPECT_NEAR(at.x(), 50.0, 1e-9);
        EXPECT_NEAR(at.y(), 50.0, 1e-9);
        EXPECT_GT(at.z(), 0.0);
    }
}

}  // namespace sinew
