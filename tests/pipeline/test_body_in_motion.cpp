#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/body_in_motion.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/limb_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

constexpr std::array kBodyLayers = {DisplayLayer::Skin, DisplayLayer::Muscles, DisplayLayer::Bones};

// The elbow bends by an angle, rad, within half a second.
PoseTrack bend(const Body& limb, double angle) {
    CharacterMotion motion;
    motion.times = {0.0, 0.5};
    motion.keys.resize(2);
    for (JointRotations& key : motion.keys) {
        key.rotations.assign(limb.skeleton.joints.size(), Eigen::Quaterniond::Identity());
    }
    motion.keys[1].rotations.back() = Eigen::AngleAxisd(angle, Vec3::UnitX());
    return pose_track(limb, motion);
}

BodyMotionJob bending(const Body& limb, double angle) {
    return {.poses = bend(limb, angle), .options = {.frames = 20, .settle = 1}};
}

MotionTable table(std::vector<std::string> columns, double first, double last) {
    MotionTable made{.columns = std::move(columns), .times = {0.0, 0.3}};
    made.values.assign(made.columns.size(), first);
    made.values.insert(made.values.end(), made.columns.size(), last);
    return made;
}

double furthest(const Points& a, const Points& b) {
    return (a - b).cwiseAbs().maxCoeff();
}

TEST(BodyMotion, ABodyMovesByItsOwnBones) {
    const Body limb = support::limb_body();
    const Points& rest = limb.skin.mesh.points;
    const BodyRun run = run_body_motion(limb, bending(limb, 1.0));
    ASSERT_EQ(run.frames.size(), 20u);
    EXPECT_EQ(run.numbers.tets, limb.tets.tets.rows());
    EXPECT_LT(furthest(run.frames[0].points.at(DisplayLayer::Skin), rest), 1e-4);
    EXPECT_GT(furthest(run.frames[19].points.at(DisplayLayer::Skin), rest), 0.1);
    EXPECT_GT(run.numbers.volume_ratio_min, 0.95);
    // Folded, with the forearm kept out of the upper arm.
    BodyMotionJob job = bending(limb, 2.4);
    const BodyRun through = run_body_motion(limb, job);
    job.options.collisions = true;
    const BodyRun apart = run_body_motion(limb, job);
    EXPECT_GT(through.numbers.mean_penetration, 4e-3);
    EXPECT_LT(apart.numbers.mean_penetration, 1e-3);
}

// Bones go with their segments, muscles with the flesh around them.
TEST(BodyMotion, EveryLayerComesAlong) {
    const Body limb = support::limb_body({.along = 10});
    BodyMotionJob job = bending(limb, 1.0);
    job.layers = {kBodyLayers.begin(), kBodyLayers.end()};
    const BodyRun run = run_body_motion(limb, job);
    const Frame& last = run.frames.back();
    const Eigen::Isometry3d T = job.poses.at(0.6).back();
    const DisplayMesh bones = display_mesh(limb, DisplayLayer::Bones);
    const DisplayPart& forearm = bones.parts.back();
    for (Eigen::Index i = 0; i < forearm.point_count; ++i) {
        const Eigen::Index row = forearm.first_point + i;
        EXPECT_LT(
            (T * point(bones.points, row) - point(last.points.at(DisplayLayer::Bones), row)).norm(),
            1e-9);
    }
    EXPECT_GT(furthest(last.points.at(DisplayLayer::Muscles),
                       display_mesh(limb, DisplayLayer::Muscles).points),
              0.05);
    EXPECT_TRUE(last.points.at(DisplayLayer::Muscles).allFinite());
}

TEST(BodyMotion, OneAndTwoThreadsGiveTheSameBytes) {
    const Body limb = support::limb_body({.along = 12});
    BodyMotionJob job = bending(limb, 2.2);
    job.layers = {kBodyLayers.begin(), kBodyLayers.end()};
    job.options.collisions = true;
    job.options.gravity = true;
    job.activations = ActivationTrack(limb, table({"biceps_brachii_l"}, 0.0, 1.0), "a.sto");
    const auto frames_with = [&](int threads) {
        const ThreadLimit limit(threads);
        return run_body_motion(limb, job).frames;
    };
    const std::vector<Frame> one = frames_with(1);
    const std::vector<Frame> two = frames_with(2);
    ASSERT_EQ(one.size(), two.size());
    for (std::size_t f = 0; f < one.size(); ++f) {
        for (const DisplayLayer layer : kBodyLayers) {
            EXPECT_EQ(one[f].points.at(layer), two[f].points.at(layer)) << f;
        }
    }
}

// The middle of the active muscle moves away from the bone.
TEST(BodyMotion, AnActiveMuscleThickensWhileTheLimbBends) {
    const Body limb = support::limb_body();
    BodyMotionJob job = bending(limb, 0.6);
    const Points relaxed = run_body_motion(limb, job).frames.back().points.at(DisplayLayer::Skin);
    job.activations = ActivationTrack(limb, table({"biceps"}, 0.0, 1.0), "a.sto");
    const Points active = run_body_motion(limb, job).frames.back().points.at(DisplayLayer::Skin);
    double most = 0.0;
    double other = 0.0;
    for (Eigen::Index i = 0; i < active.rows(); ++i) {
        const Vec3 p = point(limb.skin.mesh.points, i);
        const bool is_middle = p.y() > 0.15 && p.y() < 0.25;
        const double out = active(i, 0) - relaxed(i, 0);
        most = std::max(most, is_middle && p.x() > 0.04 ? out : 0.0);
        other = std::max(other, is_middle && p.x() < -0.04 ? std::abs(out) : 0.0);
    }
    EXPECT_GT(most, 2e-3);
    EXPECT_LT(other, 0.5 * most);
}

TEST(BodyMotion, FleshHangsWhereGravityIsAskedFor) {
    const Body limb = support::limb_body({.envelope = 0.5});
    BodyMotionJob job = bending(limb, 0.0);
    job.options.settle = 20;
    const Points free = run_body_motion(limb, job).frames.back().points.at(DisplayLayer::Skin);
    job.options.gravity = true;
    const Points hangs = run_body_motion(limb, job).frames.back().points.at(DisplayLayer::Skin);
    EXPECT_LT((hangs - free).col(1).mean(), -1e-5);
    EXPECT_LT(furthest(free, limb.skin.mesh.points), 1e-4);
}

TEST(ActivationTrack, TheColumnThatMeansFewestMusclesCounts) {
    const Body limb = support::limb_body({.along = 6});
    ASSERT_EQ(limb.muscles[0].name, "biceps_brachii_l");
    MotionTable both = table({"biceps", "biceps_brachii_l", "tail"}, 0.0, 1.0);
    both.values = {0.2, 0.0, 0.0, 0.2, 1.0, 0.0};
    const ActivationTrack track(limb, both, "a.sto");
    EXPECT_EQ(track.unknown(), std::vector<std::string>{"tail"});
    // The group means this one muscle too, and came first.
    EXPECT_NEAR(track.at(0.15).values[0], 0.2, 1e-12);
    EXPECT_EQ(track.at(0.15).values[1], 0.0);
    const ActivationTrack alone(limb, table({"biceps_brachii_l"}, 0.0, 1.0), "a.sto");
    EXPECT_NEAR(alone.at(0.15).values[0], 0.5, 1e-12);
    EXPECT_EQ(alone.at(9.0).values[0], 1.0);
    EXPECT_TRUE(ActivationTrack().at(1.0).values.empty());
    EXPECT_THROW(ActivationTrack(limb, table({"tail"}, 0.0, 1.0), "a.sto"), InputError);
    EXPECT_THROW(ActivationTrack(limb, table({"biceps"}, 0.0, 1.5), "a.sto"), InputError);
}

TEST(BodyMotion, LayersAreNamedNodesOfOneFile) {
    const Body limb = support::limb_body({.along = 6});
    BodyMotionJob job = bending(limb, 1.0);
    job.options.frames = 3;
    job.layers = {kBodyLayers.begin(), kBodyLayers.end()};
    const support::TemporaryFolder folder;
    for (const char* name : {"limb.glb", "limb.usda", "limb"}) {
        SkinRunWriter writer(folder.path() / name, written_layers(limb, job.layers),
                             body_frame_times(job), "ply");
        run_body_motion(limb, job, {},
                        [&](const Frame& frame) { writer.add(joined_points(frame, job.layers)); });
        writer.commit();
    }
    const GltfScene scene = read_gltf(folder.path() / "limb.glb");
    ASSERT_EQ(scene.parts.size(), 1 + limb.muscles.size() + limb.bones.size());
    EXPECT_EQ(scene.parts[1].part.name, limb.muscles[0].name);
    EXPECT_EQ(scene.parts.back().part.name, limb.bones.back().name);
    EXPECT_EQ(scene.parts.back().morphs.size(), 3u);
    ASSERT_EQ(scene.animations.size(), 1u);
    EXPECT_EQ(scene.animations[0].tracks.size(), scene.parts.size());
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "limb.usda"));
    for (const char* layer : {"skin", "muscles", "bones"}) {
        EXPECT_FALSE(read_surface(folder.path() / "limb" / layer / "frame_0002.ply").empty());
    }
    EXPECT_THROW(SkinRunWriter(folder.path() / "limb.pc2", written_layers(limb, job.layers),
                               body_frame_times(job)),
                 InputError);
}

TEST(BodyMotion, RefusesWhatCannotBe) {
    const Body limb = support::limb_body({.along = 6});
    BodyMotionJob job = bending(limb, 1.0);
    job.options.rate = 0.0;
    EXPECT_THROW(run_body_motion(limb, job), InputError);
    EXPECT_THROW(built_in_track(limb, "fly"), InputError);
    EXPECT_THROW(run_body_motion(Body{}, bending(limb, 1.0)), InputError);
}

}  // namespace
}  // namespace sinew
