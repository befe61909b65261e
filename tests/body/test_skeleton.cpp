#include "sinew/base/error.h"
#include "sinew/body/skeleton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/small_body.h"

namespace sinew {

TEST(Skeleton, TheRestPoseMovesNothing) {
    const Skeleton skeleton = support::small_body(1).skeleton;
    EXPECT_EQ(coordinate_count(skeleton), 7);
    for (const auto& T : segment_motions(skeleton, rest_pose(skeleton))) {
        EXPECT_TRUE(T.isApprox(Eigen::Isometry3d::Identity()));
    }
}

// A hinge along X at c turns a point above it forward: R_x(90) (0,h,0) = (0,0,h).
TEST(Skeleton, AHingeTurnsAboutItsCentreAndFollowsItsParent) {
    const Skeleton skeleton = support::small_body(1).skeleton;
    Pose pose = rest_pose(skeleton);
    pose.coordinates[6] = std::numbers::pi / 2;
    const Vec3 c = skeleton.joints[1].centre;
    auto T = segment_motions(skeleton, pose);
    EXPECT_LT((T[1] * c - c).norm(), 1e-15);
    EXPECT_LT((T[1] * (c + Vec3(0, 0.5, 0)) - (c + Vec3(0, 0, 0.5))).norm(), 1e-15);
    // The root's shift and turn carry the child.
    pose.coordinates = {1, 2, 3, 0, std::numbers::pi, 0, 0};
    T = segment_motions(skeleton, pose);
    EXPECT_TRUE(T[1].isApprox(T[0]));
    EXPECT_LT((T[0] * Vec3(1, 0, 0) - Vec3(0, 2, 3)).norm(), 1e-14);
}

TEST(Skeleton, PosesOfAnotherSkeletonAreRefused) {
    const Skeleton skeleton = support::small_body(1).skeleton;
    EXPECT_THROW(segment_motions(skeleton, Pose{{0, 0}}), InputError);
    Pose pose = rest_pose(skeleton);
    pose.coordinates[2] = std::nan("");
    EXPECT_THROW(segment_motions(skeleton, pose), InputError);
}

TEST(Skeleton, JointsFormOneTree) {
    const Skeleton good = support::small_body(1).skeleton;
    EXPECT_NO_THROW(require_valid(good, "s"));
    Skeleton bad = good;
    bad.joints[1].child = 0;
    EXPECT_THROW(require_valid(bad, "s"), InputError);
    bad = good;
    bad.joints[1].parent = 1;
    EXPECT_THROW(require_valid(bad, "s"), InputError);
    bad = good;
    bad.joints[1].parent = -1;
    EXPECT_THROW(require_valid(bad, "s"), InputError);
    bad = good;
    bad.segments.push_back({"tail"});
    EXPECT_THROW(require_valid(bad, "s"), InputError);
    bad = good;
    bad.joints[1].limits[0] = {1, -1};
    EXPECT_THROW(require_valid(bad, "s"), InputError);
}

TEST(Skeleton, JointTypesKnowTheirNames) {
    for (const JointType type : {JointType::Free, JointType::Ball, JointType::Universal,
                                 JointType::Hinge, JointType::Fixed}) {
        EXPECT_EQ(joint_type_from_name(name_of(type)), type);
    }
    EXPECT_EQ(joint_type_from_name("Weld"), JointType::Fixed);
    EXPECT_EQ(joint_type_from_name("revolute"), JointType::Hinge);
    EXPECT_THROW(joint_type_from_name("slider"), InputError);
}

}  // namespace sinew
