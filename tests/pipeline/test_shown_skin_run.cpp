#include "sinew/geometry/measure.h"
#include "sinew/geometry/winding_number.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/pipeline/body_in_motion.h"
#include "sinew/pipeline/skin_character.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "tests/support/limb_body.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

// Vertices whose front is inside of the skin by its winding number, by another program.
double enclosed_per_frame(const std::vector<Points>& frames, const Triangles& triangles) {
    double sum = 0.0;
    for (const Points& x : frames) {
        const WindingNumber winding(x, triangles);
        const Points air = x + 1e-5 * vertex_normals(x, triangles);
        sum += static_cast<double>((winding.at_all(air).array() > 0.5).count());
    }
    return sum / static_cast<double>(frames.size());
}

Character arm() {
    Character arm;
    arm.mesh = support::cylinder(0.05, 0.6, 36, 54);
    arm.skin = arm.mesh;
    arm.skin_vertex.resize(static_cast<std::size_t>(arm.mesh.points.rows()));
    std::iota(arm.skin_vertex.begin(), arm.skin_vertex.end(), 0);
    arm.skeleton.joints = {{.name = "shoulder", .parent = -1, .position = Vec3(0, 0.05, 0)},
                           {.name = "elbow", .parent = 0, .position = Vec3(0, 0.3, 0)},
                           {.name = "hand", .parent = 1, .position = Vec3(0, 0.55, 0)}};
    return arm;
}

// One joint of several bends within half a second.
CharacterMotion fold(std::size_t joints, std::size_t joint, double angle) {
    CharacterMotion motion{.times = {0.0, 0.5}, .keys = std::vector<JointRotations>(2)};
    for (JointRotations& key : motion.keys) {
        key.rotations.assign(joints, Eigen::Quaterniond::Identity());
    }
    motion.keys[1].rotations[joint] = Eigen::AngleAxisd(angle, Vec3::UnitX());
    return motion;
}

TEST(ShownSkinRun, PenetrationIsOfTheSkinThatIsShown) {
    const Character character = arm();
    const CharacterMotion motion = fold(3, 1, 2.2);
    SkinRunOptions options{.simulate_vertices = 500, .frames = 16, .rate = 25.0, .settle = 1};
    const SkinRun through = run_skinning(character, motion, options);
    const double enclosed = enclosed_per_frame(through.frames, character.mesh.triangles);
    EXPECT_GT(enclosed, 30.0);
    // Some touch only, and crumpled ones may point either way.
    EXPECT_NEAR(through.enclosed_vertices, enclosed, 0.1 * enclosed);
    EXPECT_GT(through.mean_penetration, 0.004);
    EXPECT_GT(through.max_penetration, through.mean_penetration);

    options.method = SkinMethod::Linear;
    const SkinRun blended = run_skinning(character, motion, options);
    EXPECT_GT(blended.enclosed_vertices, 10.0);
    EXPECT_NEAR(blended.enclosed_vertices,
                enclosed_per_frame(blended.frames, character.mesh.triangles),
                0.1 * blended.enclosed_vertices);
}

TEST(ShownSkinRun, GlobalCollisionsKeepTheSkinThatIsShownOutOfItself) {
    const Character character = arm();
    SkinRunOptions options{.simulate_vertices = 500, .frames = 16, .rate = 25.0, .settle = 1};
    options.skinning.collisions = SkinCollisions::Global;
    const SkinRun run = run_skinning(character, fold(3, 1, 2.2), options);
    EXPECT_LT(enclosed_per_frame(run.frames, character.mesh.triangles), 2.0);
    EXPECT_LT(run.enclosed_vertices, 2.0);
    EXPECT_LT(run.mean_penetration, 5e-4);
    EXPECT_LT(run.shown_fps, run.fps);
    EXPECT_LT((run.frames[0] - character.mesh.points).cwiseAbs().maxCoeff(), 1e-4);
}

// Four triangles in place of each.
TriangleMesh divided(const TriangleMesh& mesh) {
    const Edges edges = unique_edges(mesh.triangles);
    std::map<std::pair<Index, Index>, Index> middles;
    TriangleMesh fine;
    fine.points.resize(mesh.points.rows() + edges.rows(), 3);
    fine.points.topRows(mesh.points.rows()) = mesh.points;
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        const Eigen::Index row = mesh.points.rows() + e;
        middles[{edges(e, 0), edges(e, 1)}] = static_cast<Index>(row);
        fine.points.row(row) = 0.5 * (mesh.points.row(edges(e, 0)) + mesh.points.row(edges(e, 1)));
    }
    const auto middle = [&](Index a, Index b) { return middles.at(std::minmax(a, b)); };
    fine.triangles.resize(4 * mesh.triangles.rows(), 3);
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        const Index a = mesh.triangles(t, 0);
        const Index b = mesh.triangles(t, 1);
        const Index c = mesh.triangles(t, 2);
        const Index ab = middle(a, b);
        const Index bc = middle(b, c);
        const Index ca = middle(c, a);
        fine.triangles.middleRows(4 * t, 4) << a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca;
    }
    return fine;
}

TEST(ShownSkinRun, AFinerSkinOfAFoldedBodyKeepsOutOfItself) {
    Body limb = support::limb_body();
    limb.display_skin = divided(limb.skin.mesh);
    const std::size_t joints = limb.skeleton.joints.size();
    const BodyRun run = run_body_motion(
        limb, {.poses = pose_track(limb, fold(joints, joints - 1, 2.4)),
               .options = {.rate = 30.0, .frames = 18, .settle = 1, .collisions = true}});
    std::vector<Points> frames;
    for (const Frame& frame : run.frames) {
        frames.push_back(frame.points.at(DisplayLayer::Skin));
    }
    ASSERT_EQ(frames[0].rows(), limb.display_skin.points.rows());
    EXPECT_LT(run.numbers.mean_penetration, 5e-4);
    EXPECT_LT(enclosed_per_frame(frames, limb.display_skin.triangles), 2.0);
    EXPECT_LT(run.numbers.shown_fps, run.numbers.fps);
}

}  // namespace
}  // namespace sinew
