#include "sinew/base/error.h"
#include "sinew/body/motion_clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/small_body.h"

namespace sinew {

// A knee bent by 90 degrees about X takes a shin that hung down to the back, by the
// right-hand rule: R_x(90) (0,-1,0) = (0, 0, -1).
TEST(MotionClip, AQuarterTurnOfTheKneeLiftsTheFoot) {
    MotionClip clip;
    clip.joints = {{.name = "hip", .parent = -1, .offset = {0, 1, 0}, .channels = {}},
                   {.name = "knee",
                    .parent = 0,
                    .offset = {0, -0.5, 0},
                    .channels = {Channel::XRotation},
                    .has_end = true,
                    .end_offset = {0, -0.4, 0}}};
    clip.frame_count = 1;
    clip.values = {std::numbers::pi / 2};
    require_valid(clip, "clip");
    const auto T = forward_kinematics(clip, 0);
    EXPECT_LT((T[1].translation() - Vec3(0, 0.5, 0)).norm(), 1e-15);
    EXPECT_LT((T[1] * clip.joints[1].end_offset - Vec3(0, 0.5, -0.4)).norm(), 1e-15);
    EXPECT_LT((offset_pose(clip)[1] * clip.joints[1].end_offset - Vec3(0, 0.1, 0)).norm(), 1e-15);
}

// Channels ZXY: R = Rz Rx Ry.
TEST(MotionClip, RotationsMultiplyInChannelOrder) {
    const MotionClip clip = support::small_motion();
    const double* v = clip.values.data();
    const Mat3 R = (Eigen::AngleAxisd(v[3], Vec3::UnitZ()) *
                    Eigen::AngleAxisd(v[4], Vec3::UnitX()) * Eigen::AngleAxisd(v[5], Vec3::UnitY()))
                       .toRotationMatrix();
    const auto T = forward_kinematics(clip, 0);
    EXPECT_LT((T[0].linear() - R).norm(), 1e-14);
    EXPECT_EQ(T[0].translation(), Vec3(v[0], v[1], v[2]));
    EXPECT_LT((T[2].translation() - (T[0].translation() + R * clip.joints[2].offset)).norm(),
              1e-14);
}

TEST(MotionClip, CountsMustMatch) {
    const MotionClip good = support::small_motion();
    EXPECT_EQ(channel_count(good), 10u);
    EXPECT_DOUBLE_EQ(duration(good), 0.1);
    EXPECT_NO_THROW(require_valid(good, "m"));
    MotionClip bad = good;
    bad.values.pop_back();
    EXPECT_THROW(require_valid(bad, "m"), InputError);
    bad = good;
    bad.joints[1].parent = 2;
    EXPECT_THROW(require_valid(bad, "m"), InputError);
    bad = good;
    bad.values[3] = std::nan("");
    EXPECT_THROW(require_valid(bad, "m"), InputError);
    bad = good;
    bad.frame_time = 0;
    EXPECT_THROW(require_valid(bad, "m"), InputError);
}

}  // namespace sinew
