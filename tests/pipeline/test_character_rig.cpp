#include "sinew/base/error.h"
#include "sinew/body/skeleton_model.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/body_in_motion.h"
#include "sinew/pipeline/character_rig.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/limb_body.h"
#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

CharacterMotion bent_elbow(std::size_t joints, std::size_t elbow, double angle) {
    CharacterMotion motion;
    motion.times = {0.0, 1.0};
    motion.keys.resize(2);
    for (JointRotations& key : motion.keys) {
        key.rotations.assign(joints, Eigen::Quaterniond::Identity());
    }
    motion.keys[1].rotations[elbow] = Eigen::AngleAxisd(angle, Vec3::UnitX());
    motion.keys[1].shift = Vec3(0.1, 0.0, 0.0);
    return motion;
}

// Nodes as an animation has them at one of its keys.
std::vector<Eigen::Affine3d> nodes_at(GltfScene scene, std::size_t key) {
    for (const GltfTrack& track : scene.animations.at(0).tracks) {
        GltfNode& node = scene.nodes[static_cast<std::size_t>(track.node)];
        if (track.path == GltfPath::Rotation) {
            const double* q = track.values.data() + 4 * key;
            node.rotation = Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized();
        } else {
            const double* t = track.values.data() + 3 * key;
            node.translation = Vec3(t[0], t[1], t[2]);
        }
    }
    return world_transforms(scene);
}

void expect_sound_weights(const GltfPart& part, Index joints) {
    for (Eigen::Index i = 0; i < part.weights.rows(); ++i) {
        EXPECT_GE(part.weights.row(i).minCoeff(), 0.0);
        EXPECT_NEAR(part.weights.row(i).sum(), 1.0, 1e-6);
        EXPECT_LT(part.joints.row(i).maxCoeff(), joints);
    }
}

}  // namespace

// Node by node T_world_node B is the motion of the joint, so that any engine that knows glTF moves
// the skin as linear blend skinning does.
TEST(CharacterRig, TheWrittenRigMovesByTheMotionsOfItsJoints) {
    const support::TemporaryFolder folder;
    const MeshPart tube{.name = "arm", .mesh = support::cylinder(0.05, 0.6, 20, 30)};
    write_surface(folder / "arm.obj", {&tube, 1});
    std::ofstream(folder / "arm.json")
        << R"({"joints": [{"name": "shoulder", "parent": null, "position": [0, 0.05, 0]},
             {"name": "elbow", "parent": "shoulder", "position": [0, 0.3, 0]},
             {"name": "hand", "parent": "elbow", "position": [0, 0.55, 0]}]})";
    const Character arm = read_character(folder / "arm.obj", folder / "arm.json");
    const CharacterMotion motion = bent_elbow(3, 1, 1.2);
    const GltfScene rig = rig_of(arm, {.times = {0.0, 1.0}, .at = [&](double time) {
                                           return pose_of(arm.skeleton, sample(motion, time));
                                       }});
    write_glb(folder / "rig.glb", rig);
    const GltfScene back = read_gltf(folder / "rig.glb");
    ASSERT_EQ(back.skins.size(), 1u);
    ASSERT_EQ(back.parts.size(), 1u);
    ASSERT_EQ(back.animations.size(), 1u);
    const GltfSkin& skin = back.skins[0];
    ASSERT_EQ(skin.joints.size(), 3u);
    expect_sound_weights(back.parts[0], 3);
    EXPECT_LT((posed_points(back, back.parts[0]) - arm.mesh.points).cwiseAbs().maxCoeff(), 1e-6);
    const std::vector<Eigen::Affine3d> nodes = nodes_at(back, 1);
    const CharacterPose pose = pose_of(arm.skeleton, motion.keys[1]);
    for (std::size_t j = 0; j < 3; ++j) {
        const Eigen::Matrix4d moved =
            nodes[static_cast<std::size_t>(skin.joints[j])].matrix() * skin.inverse_bind[j];
        EXPECT_LT((moved - pose[j].matrix()).cwiseAbs().maxCoeff(), 1e-6) << j;
    }
    // Rigid far from the elbow, and no edge is torn in between.
    const Points moved = posed_points(back, back.parts[0], nodes);
    double longest = 0.0;
    for (Eigen::Index t = 0; t < arm.mesh.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const Index a = arm.mesh.triangles(t, k);
            const Index b = arm.mesh.triangles(t, (k + 1) % 3);
            longest =
                std::max(longest, (moved.row(a) - moved.row(b)).norm() /
                                      (arm.mesh.points.row(a) - arm.mesh.points.row(b)).norm());
        }
    }
    EXPECT_LT(longest, 2.5);
    for (Eigen::Index i = 0; i < moved.rows(); ++i) {
        const Vec3 p = arm.mesh.points.row(i).transpose();
        if (p.y() > 0.5) {
            EXPECT_LT((moved.row(i).transpose() - pose[1] * p).norm(), 0.01);
        }
    }
}

// Far from the joint a body's skin moves with its bone, rigidly.
TEST(CharacterRig, ABodysSkinFollowsItsBones) {
    const Body limb = support::limb_body();
    const CharacterSkeleton skeleton = skeleton_of(limb.skeleton);
    std::size_t elbow = 0;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        elbow = skeleton.joints[j].parent >= 0 ? j : elbow;
    }
    const CharacterMotion motion = bent_elbow(skeleton.size(), elbow, 1.0);
    const RigMotion moving{.times = {0.0, 1.0}, .at = [&](double time) {
                               return pose_of(skeleton, sample(motion, time));
                           }};
    const support::TemporaryFolder folder;
    write_glb(folder / "rig.glb", rig_of(limb, moving));
    const GltfScene back = read_gltf(folder / "rig.glb");
    expect_sound_weights(back.parts[0], static_cast<Index>(skeleton.size()));
    const Points rest = posed_points(back, back.parts[0]);
    const Points moved = posed_points(back, back.parts[0], nodes_at(back, 1));
    const CharacterPose pose = moving.at(1.0);
    const Index parent = skeleton.joints[elbow].parent;
    double worst_near = 0.0;
    double worst_far = 0.0;
    for (Eigen::Index i = 0; i < rest.rows(); ++i) {
        const Vec3 p = rest.row(i).transpose();
        const Vec3 now = moved.row(i).transpose();
        if (p.y() < 0.06) {
            worst_near =
                std::max(worst_near, (now - pose[static_cast<std::size_t>(parent)] * p).norm());
        } else if (p.y() > 0.34) {
            worst_far = std::max(worst_far, (now - pose[elbow] * p).norm());
        }
    }
    EXPECT_LT(worst_near, 0.005);
    EXPECT_LT(worst_far, 0.005);
}

}  // namespace sinew
