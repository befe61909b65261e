#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/skinning/body_flesh.h"
#include "sinew/skinning/body_skinning.h"

#include <gtest/gtest.h>

#include <algorithm>

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

TEST(BodySkinning, FramesReportHowFarFromEquilibriumTheyEnd) {
    const Body limb = support::limb_body({.along = 12, .across = 6, .bone = 0.34});
    double last = 1.0;
    for (const int iterations : {4, 40, 400}) {
        BodySkinning skinning(limb, {.iterations = iterations, .dynamics = false});
        const BodyFrameReport report = skinning.step(bent(skinning.skeleton(), 0.3));
        EXPECT_EQ(report.iterations, iterations);
        EXPECT_GT(report.residual, 0.0);
        EXPECT_LT(report.residual, last);
        EXPECT_EQ(report.is_converged, report.residual <= StepRule().tolerance);
        last = report.residual;
    }
    EXPECT_LT(last, StepRule().tolerance);
}

// A limb that folds by 2.4 rad in 22 frames and stays so.
BodyFrameReport fold(BodySkinning& skinning, int frames) {
    BodyFrameReport report;
    for (int frame = 1; frame <= frames; ++frame) {
        report = skinning.step(bent(skinning.skeleton(), 0.11 * std::min(frame, 22)));
    }
    return report;
}

// A forearm that folds onto the upper arm stays out of it, creases included.
TEST(BodySkinning, KomaritzanSkinKeepsOutOfTheFlesh) {
    const Body limb = support::limb_body();
    BodySkinning through(limb);
    EXPECT_EQ(fold(through, 25).contacts, 0);
    EXPECT_GT(through.penetration().vertices, 20);
    EXPECT_GT(through.penetration().mean, 5e-3);
    BodySkinning apart(limb, {.collisions = true});
    EXPECT_GT(fold(apart, 25).contacts, 0);
    EXPECT_LT(apart.penetration().vertices, 0.1 * through.penetration().vertices);
    EXPECT_LT(apart.penetration().mean, 1e-3);
    EXPECT_GT(apart.volume_ratio(), 0.85);
}

TEST(BodySkinning, WhatTouchesInAHeldPoseLiesStill) {
    BodySkinning skinning(support::limb_body(), {.collisions = true});
    fold(skinning, 36);
    for (int frame = 0; frame < 4; ++frame) {
        const Points before = skinning.skin();
        EXPECT_GT(skinning.step(bent(skinning.skeleton(), 0.11 * 22)).contacts, 0);
        const Eigen::VectorXd way = (skinning.skin() - before).rowwise().norm();
        EXPECT_LE((way.array() > 2e-3).count(), 15);
        EXPECT_LE((way.array() > 1e-2).count(), 4);
    }
}

// What is shown is what the tetrahedra are told, and does not depend on the number of threads.
TEST(BodySkinning, TheSkinThatIsShownIsThatOfTheTetrahedra) {
    const Body limb = support::limb_body({.along = 16});
    BodySkinning skinning(limb, {.collisions = true});
    fold(skinning, 22);
    Points skin(limb.skin.mesh.points.rows(), 3);
    for (Eigen::Index i = 0; i < skin.rows(); ++i) {
        skin.row(i) = skinning.positions().row(limb.skin.tet_vertex[at(i)]);
    }
    EXPECT_EQ(skin, skinning.skin());
    const ThreadLimit one(1);
    BodySkinning alone(limb, {.collisions = true});
    fold(alone, 22);
    EXPECT_EQ(alone.positions(), skinning.positions());
}

TEST(BodySkinning, BonesThatJumpTakeTheirFleshAlongWithoutASwing) {
    const Body limb = support::limb_body();
    BodySkinning skinning(limb);
    const Eigen::Isometry3d far(Eigen::Translation3d(2.0, 0.0, 0.0));
    for (int frame = 0; frame < 3; ++frame) {
        skinning.step(CharacterPose(skinning.skeleton().size(), far));
        EXPECT_LT(longest_row(skinning.positions() - support::moved(limb.tets.points, far)), 1e-5);
    }
}

TEST(BodyFlesh, VerticesOfTheSkinComeFirstAndKnowTheMiddleOfTheirLimb) {
    Body limb = support::limb_body({.radius = 0.04});
    // The same body with its vertices in the opposite order.
    const Eigen::Index n = limb.tets.points.rows();
    limb.tets.points = limb.tets.points.colwise().reverse().eval();
    const auto turned = [&](Index i) { return static_cast<Index>(n) - 1 - i; };
    limb.tets.tets = limb.tets.tets.unaryExpr(turned).eval();
    std::transform(limb.skin.tet_vertex.begin(), limb.skin.tet_vertex.end(),
                   limb.skin.tet_vertex.begin(), turned);
    const BodyFlesh flesh = build_body_flesh(limb, 0.02);
    for (Eigen::Index i = 0; i < n; ++i) {
        EXPECT_EQ(flesh.mesh.points.row(flesh.number[at(i)]), limb.tets.points.row(i));
    }
    EXPECT_EQ(flesh.skin.points, limb.skin.mesh.points);
    for (Eigen::Index i = 0; i < flesh.skin.points.rows(); ++i) {
        const Vec3 p = point(flesh.skin.points, i);
        if (p.y() > 0.05 && p.y() < 0.35) {
            EXPECT_NEAR((p - point(flesh.skin.base_points, i)).norm(), 0.04, 0.008);
        }
    }
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
