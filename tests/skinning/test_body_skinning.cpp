#include "sinew/base/error.h"
#include "sinew/contact/tet_contact.h"
#include "sinew/skinning/body_skinning.h"

#include <gtest/gtest.h>

#include "tests/support/limb_body.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

double longest_row(const Points& p) {
    return p.rowwise().norm().maxCoeff();
}

CharacterPose bent(const CharacterSkeleton& skeleton, double angle) {
    JointRotations r;
    r.rotations.assign(skeleton.size(), Eigen::Quaterniond::Identity());
    r.rotations.back() = Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vec3::UnitX()));
    return pose_of(skeleton, r);
}

TEST(BodySkinning, KomaritzanRestAndRigidMotionsCostNothing) {
    const Body limb = support::limb_body();
    BodySkinning skinning(limb);
    for (int frame = 0; frame < 3; ++frame) {
        skinning.step(rest_pose(skinning.skeleton()));
    }
    EXPECT_LT(longest_row(skinning.positions() - limb.tets.points), 1e-6);
    const auto motion = support::rigid_motions(1, Seed{5})[0];
    skinning.reset(CharacterPose(skinning.skeleton().size(), motion));
    EXPECT_LT(longest_row(skinning.positions() - support::moved(limb.tets.points, motion)), 1e-5);
    EXPECT_LT(skinning.attachment_error(), 1e-5);
    skinning.step(CharacterPose(skinning.skeleton().size(), motion));
    EXPECT_LT(longest_row(skinning.positions() - support::moved(limb.tets.points, motion)), 1e-5);
}

TEST(BodySkinning, KomaritzanFleshFollowsTheBonesOfABentLimb) {
    const Body limb = support::limb_body();
    BodySkinning skinning(limb, {.dynamics = false});
    const CharacterSkeleton& skeleton = skinning.skeleton();
    ASSERT_EQ(skeleton.size(), limb.skeleton.joints.size());
    for (int frame = 1; frame <= 20; ++frame) {
        skinning.step(bent(skeleton, 0.05 * frame));
    }
    EXPECT_LT(skinning.attachment_error(), 3e-3);
    EXPECT_NEAR(skinning.volume_ratio(), 1.0, 0.03);
    // The far end is where its bone takes it.
    const Eigen::Isometry3d T = bent(skeleton, 1.0).back();
    double far = 0.0;
    for (Eigen::Index i = 0; i < limb.tets.points.rows(); ++i) {
        if (limb.tets.points(i, 1) > 0.38) {
            far = std::max(
                far, (T * point(limb.tets.points, i) - point(skinning.positions(), i)).norm());
        }
    }
    EXPECT_LT(far, 0.01);
}

// A forearm that folds onto the upper arm stays out of it.
TEST(BodySkinning, KomaritzanSkinKeepsOutOfTheFlesh) {
    const Body limb = support::limb_body();
    double depth[2] = {};
    for (const bool collides : {false, true}) {
        BodySkinning skinning(limb, {.dynamics = false, .collisions = collides});
        TetContacts inside(limb.tets, {.neighbourhood = 0.05});
        for (int frame = 1; frame <= 25; ++frame) {
            skinning.step(bent(skinning.skeleton(), 0.11 * std::min(frame, 22)));
        }
        inside.find(skinning.positions());
        for (const TetContacts::Depth& d : inside.depths(skinning.positions())) {
            depth[collides ? 1 : 0] += d.depth;
        }
        EXPECT_EQ(skinning.contacts() > 0, collides);
        EXPECT_GT(skinning.volume_ratio(), 0.85);
    }
    EXPECT_GT(depth[0], 0.0);
    EXPECT_LT(depth[1], 0.3 * depth[0]);
}

TEST(BodySkinning, FatSwingsMoreThanMuscle) {
    const auto swing = [](double fat) {
        BodySkinningOptions options;
        options.stiffness.fat = fat;
        BodySkinning skinning(support::limb_body({.envelope = 0.5}), options);
        BodySkinning still(support::limb_body({.envelope = 0.5}), {.dynamics = false});
        const CharacterPose pose = bent(skinning.skeleton(), 0.3);
        for (int frame = 0; frame < 8; ++frame) {
            still.step(pose);
        }
        double most = 0.0;
        for (int frame = 0; frame < 10; ++frame) {
            skinning.step(pose);
            most = frame < 2
                       ? 0.0
                       : std::max(most, longest_row(skinning.positions() - still.positions()));
        }
        EXPECT_TRUE(skinning.positions().allFinite());
        return most;
    };
    EXPECT_GT(swing(10.0), swing(200.0));
}

TEST(BodySkinning, RefusesBodiesWithoutFleshAndPosesOfOthers) {
    EXPECT_THROW(BodySkinning(Body{}), InputError);
    BodySkinning skinning(support::limb_body());
    EXPECT_THROW(skinning.step(CharacterPose(1)), InputError);
}

}  // namespace
}  // namespace sinew
