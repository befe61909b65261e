#include "sinew/base/error.h"
#include "sinew/body/posable_joints.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

// A body whose lumbar joints share a rotation: only what posable joints need.
Body spine_body() {
    Body body;
    body.skeleton.segments = {{.name = "sacrum"}, {.name = "l5"}, {.name = "l4"}};
    body.skeleton.joints = {{.name = "root", .child = 0, .type = JointType::Free},
                            {.name = "lumbar_l5_s1",
                             .parent = 0,
                             .child = 1,
                             .type = JointType::Ball,
                             .limits = {AngleLimit{-0.2, 0.4}, {-0.2, 0.2}, {-0.1, 0.1}}},
                            {.name = "lumbar_l4_l5",
                             .parent = 1,
                             .child = 2,
                             .type = JointType::Ball,
                             .limits = {AngleLimit{-0.2, 0.4}, {-0.2, 0.2}, {-0.1, 0.1}}}};
    return body;
}

TEST(PosableJoints, KeepTheirLimitsAndRefuseStrangers) {
    Body body = support::limb_body({.along = 6});
    body.skeleton.joints[1].limits[0] = {-0.1, 2.0};
    const std::vector<PosableJoint> joints = posable_joints(body);
    ASSERT_EQ(joints.size(), 1u);
    EXPECT_EQ(joints[0].name, "elbow_l");
    const Pose pose = pose_from_angles(body, joints, {{"elbow_l", {9.0, 0.0, 0.0}}});
    EXPECT_DOUBLE_EQ(pose.coordinates[6], 2.0);
    EXPECT_THROW(pose_from_angles(body, joints, {{"elbow", {1.0, 0.0, 0.0}}}), InputError);
}

TEST(PosableJoints, AnglesBecomeAPoseAndComeBack) {
    const Body body = spine_body();
    const std::vector<PosableJoint> joints = posable_joints(body);
    ASSERT_EQ(joints.size(), 1u);
    const PosedAngles angles = {{"loins", {0.5, -0.3, 0.1}}};
    const Pose pose = pose_from_angles(body, joints, angles);
    EXPECT_DOUBLE_EQ(pose.coordinates[6], 0.25);
    EXPECT_DOUBLE_EQ(pose.coordinates[9], 0.25);
    const PosedAngles back = angles_from_pose(body, joints, pose);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(back.at("loins")[k], angles.at("loins")[k], 1e-15);
    }
    // Beyond the limits the sum of what is allowed comes back.
    const Pose far = pose_from_angles(body, joints, {{"loins", {9.0, 0.0, 0.0}}});
    EXPECT_NEAR(angles_from_pose(body, joints, far).at("loins")[0], 0.8, 1e-15);
}

TEST(BuiltInMotions, BeginAtRestAndMoveSoftly) {
    for (const std::string& name : built_in_motions()) {
        for (const auto& [joint, angles] : built_in_motion(name, 0.0)) {
            EXPECT_EQ(angles, (std::array<double, 3>{0.0, 0.0, 0.0})) << name << " " << joint;
        }
        for (double t = 0.0; t < 5.0; t += 0.1) {
            const PosedAngles now = built_in_motion(name, t);
            for (const auto& [joint, angles] : built_in_motion(name, t + 0.01)) {
                for (std::size_t k = 0; k < 3; ++k) {
                    EXPECT_LT(std::abs(angles[k] - now.at(joint)[k]), 0.1) << name << " " << joint;
                }
            }
        }
    }
}

}  // namespace
}  // namespace sinew
