#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/body/posable_joints.h"
#include "sinew/fit/layer_fit.h"
#include "sinew/io/archive.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/body_in_motion.h"
#include "sinew/pipeline/fit_pose.h"
#include "sinew/pipeline/make_body.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

const Body& posed_man() {
    static const Body man = [] {
        MakeBodyOptions options;
        options.body.resolution = BodyResolution::Preview;
        options.cache = SINEW_TEST_CACHE;
        return make_body(options).body;
    }();
    return man;
}

std::string path_of(const std::filesystem::path& path) {
    return path.string();
}

// The truth is a pose that was put in: flesh and all, moved by the one simulator.
TEST(FitPose, ThePoseThatMovedTheFleshIsFoundAgain) {
    const Body& man = posed_man();
    const std::vector<PosableJoint> joints = posable_joints(man);
    const PosedAngles truth = {{"shoulder_l", {0.6, 0.5, 0.0}},
                               {"elbow_l", {1.2, 0.0, 0.0}},
                               {"hip_r", {0.7, 0.1, 0.0}},
                               {"knee_r", {0.9, 0.0, 0.0}}};
    BodySkinning flesh(man, {.dynamics = false});
    flesh.reset(joint_motions(man.skeleton, pose_from_angles(man, joints, truth)), 30);
    const support::TemporaryFolder folder;
    write_archive(folder / "man.sinew", man);
    const std::vector<MeshPart> scan = {
        {.name = "scan", .mesh = {.points = flesh.skin(), .triangles = man.skin.mesh.triangles}}};
    write_surface(folder / "scan.ply", scan);

    const FittedScan fitted = fit_pose(
        {.scan = path_of(folder / "scan.ply"), .pose_only = path_of(folder / "man.sinew")});
    EXPECT_LT(fitted.skin.report.skin_to_scan.mean, 1e-3);
    EXPECT_LT(fitted.skin.report.skin_to_scan.mean, fitted.blend_distance->mean);
    const PosedAngles found = angles_from_pose(man, joints, fitted.skin.pose);
    for (const auto& [name, angles] : truth) {
        EXPECT_NEAR(found.at(name)[0], angles[0], 3.0 * kDegree) << name;
    }
    EXPECT_NEAR(found.at("knee_l")[0], 0.0, 3.0 * kDegree);
}

TEST(FitPose, WhatIsNotThePersonIsRefused) {
    const support::TemporaryFolder folder;
    write_archive(folder / "man.sinew", posed_man());
    const std::vector<MeshPart> ball = {{.name = "ball", .mesh = support::sphere(5, 0.5)}};
    write_surface(folder / "ball.ply", ball);
    try {
        fit_pose(
            {.scan = path_of(folder / "ball.ply"), .pose_only = path_of(folder / "man.sinew")});
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_EQ(error.parts().where, "ball.ply");
    }
}

// The crotch is a crease that is open in one person and closed in another: hips stay apart.
TEST(ScaledLayers, AClosedCrotchDrawsNoHipAside) {
    const Body& man = posed_man();
    const LayeredTemplate layers = build_layers(man);
    Points skin = layers.skin;
    const std::vector<Vec3> before = scale_layers(man, layers, skin, 0.0, {}).joints;
    const auto is_hip = [&](const Vec3& p) {
        return std::any_of(
            man.skeleton.joints.begin(), man.skeleton.joints.end(), [&](const Joint& joint) {
                return joint.name.starts_with("hip_") && (joint.centre - p).norm() < 5e-3;
            });
    };
    double hip_height = 0.0;
    for (const Vec3& joint : before) {
        hip_height = is_hip(joint) ? joint.y() : hip_height;
    }
    ASSERT_GT(hip_height, 0.5);
    int closed = 0;
    for (Eigen::Index i = 0; i < skin.rows(); ++i) {
        if (std::abs(skin(i, 0)) < 0.02 && std::abs(skin(i, 2)) < 0.1 && skin(i, 1) < hip_height &&
            skin(i, 1) > hip_height - 0.1) {
            skin(i, 0) *= 0.1;
            ++closed;
        }
    }
    ASSERT_GT(closed, 10);
    const std::vector<Vec3> after = scale_layers(man, layers, skin, 0.0, {}).joints;
    int hips = 0;
    for (std::size_t j = 0; j < before.size(); ++j) {
        if (is_hip(before[j])) {
            EXPECT_LT((after[j] - before[j]).norm(), 0.006) << before[j].transpose();
            ++hips;
        }
    }
    EXPECT_EQ(hips, 2);
}

}  // namespace
}  // namespace sinew
