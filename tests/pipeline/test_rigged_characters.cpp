#include "sinew/base/units.h"
#include "sinew/io/character_files.h"
#include "sinew/io/gltf.h"
#include "sinew/pipeline/character_rig.h"
#include "sinew/pipeline/skin_character.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/shapes.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

// A file's own linear blend, evaluated here anew: nodes at a time (linear keys, held still before
// the first and after the last), then p' = sum_j w_j T_world_j B_j p; meshes without a skin move
// with the node that carries them.
std::vector<Eigen::Affine3d> nodes_at(GltfScene scene, std::size_t animation, double time) {
    for (const GltfTrack& track : scene.animations.at(animation).tracks) {
        if (track.node < 0) {
            continue;
        }
        std::size_t k = 0;
        while (k + 1 < track.times.size() && track.times[k + 1] <= time) {
            ++k;
        }
        const std::size_t next = std::min(k + 1, track.times.size() - 1);
        const double span = track.times[next] - track.times[k];
        const double share =
            span > 0.0 ? std::clamp((time - track.times[k]) / span, 0.0, 1.0) : 0.0;
        GltfNode& node = scene.nodes[at(track.node)];
        const std::size_t width = track.path == GltfPath::Rotation ? 4 : 3;
        const double* a = track.values.data() + width * k;
        const double* b = track.values.data() + width * next;
        if (track.path == GltfPath::Rotation) {
            node.rotation =
                Eigen::Quaterniond(a[3], a[0], a[1], a[2])
                    .normalized()
                    .slerp(share, Eigen::Quaterniond(b[3], b[0], b[1], b[2]).normalized());
        } else if (track.path == GltfPath::Translation) {
            node.translation =
                (1.0 - share) * Vec3(a[0], a[1], a[2]) + share * Vec3(b[0], b[1], b[2]);
        }
    }
    std::vector<Eigen::Affine3d> world;
    for (const GltfNode& node : scene.nodes) {
        const Eigen::Affine3d own =
            Eigen::Translation3d(node.translation) * node.rotation * Eigen::Scaling(node.scale);
        world.push_back(node.parent < 0 ? own : world[at(node.parent)] * own);
    }
    return world;
}

Points blended(const GltfScene& scene, const std::vector<Eigen::Affine3d>& rest,
               const std::vector<Eigen::Affine3d>& now) {
    std::vector<Vec3> all;
    for (const GltfPart& part : scene.parts) {
        for (Eigen::Index i = 0; i < part.part.mesh.points.rows(); ++i) {
            const Vec3 p = part.part.mesh.points.row(i).transpose();
            Vec3 moved = Vec3::Zero();
            if (part.skin < 0) {
                moved = now[at(part.node)] * (rest[at(part.node)].inverse() * p);
            }
            for (int k = 0; part.skin >= 0 && k < 4; ++k) {
                const GltfSkin& skin = scene.skins[at(part.skin)];
                const auto j = at(part.joints(i, k));
                moved += part.weights(i, k) *
                         (now[at(skin.joints[j])] * (Eigen::Affine3d(skin.inverse_bind[j]) * p));
            }
            all.push_back(moved);
        }
    }
    Points points(static_cast<Eigen::Index>(all.size()), 3);
    for (std::size_t i = 0; i < all.size(); ++i) {
        points.row(static_cast<Eigen::Index>(i)) = all[i].transpose();
    }
    return points;
}

struct Deviation {
    double mean = 0.0;    // of the height, over points and frames
    double within = 0.0;  // fraction of points nearer than 3 %
    double rigid = 0.0;   // of the height, largest of points without flesh
    double angle = 0.0;   // rad, largest of a bone's direction
};

// Runs a file as `sinew skin FILE` does and compares every frame.
Deviation against_own_weights(const std::filesystem::path& path, const std::string& animation,
                              SkinMethod method, double rate) {
    const GltfScene scene = read_gltf(path);
    const std::size_t number = find_animation(scene, animation, "test");
    const Character character = read_character(path, {});
    const CharacterMotion motion =
        read_character_motion(path, character.skeleton, {.animation = animation}).motion;
    const SkinRun run =
        run_skinning(character, motion, {.method = method, .rate = rate, .settle = 10});
    std::map<std::string, std::size_t> node_of;
    for (const GltfSkin& skin : scene.skins) {  // meshes may be called as their joints are
        for (const Index node : skin.joints) {
            node_of.emplace(scene.nodes[at(node)].name, at(node));
        }
    }
    const std::vector<Eigen::Affine3d> rest = world_transforms(scene);
    const double height =
        character.mesh.points.col(1).maxCoeff() - character.mesh.points.col(1).minCoeff();
    Deviation found;
    double count = 0.0;
    for (std::size_t f = 0; f < run.frames.size(); ++f) {
        const std::vector<Eigen::Affine3d> now = nodes_at(scene, number, run.times[f]);
        const Points own = blended(scene, rest, now);
        EXPECT_EQ(own.rows(), run.frames[f].rows());
        for (Eigen::Index i = 0; i < own.rows(); ++i) {
            const double d = (own.row(i) - run.frames[f].row(i)).norm() / height;
            found.mean += d;
            found.within += d < 0.03 ? 1.0 : 0.0;
            found.rigid = std::max(found.rigid, character.skin_vertex[at(i)] < 0 ? d : 0.0);
            ++count;
        }
        const CharacterPose pose = pose_of(character.skeleton, sample(motion, run.times[f]));
        for (std::size_t j = 0; j < pose.size(); ++j) {
            const CharacterJoint& joint = character.skeleton.joints[j];
            if (joint.parent < 0 || !node_of.contains(joint.name)) {
                continue;
            }
            const CharacterJoint& above = character.skeleton.joints[at(joint.parent)];
            const Vec3 ours = pose[j] * joint.position - pose[at(joint.parent)] * above.position;
            const Vec3 theirs = now[node_of.at(joint.name)].translation() -
                                now[node_of.at(above.name)].translation();
            if (theirs.norm() > 1e-3 * height) {
                found.angle =
                    std::max(found.angle, std::atan2(ours.cross(theirs).norm(), ours.dot(theirs)));
            }
        }
    }
    found.mean /= count;
    found.within /= count;
    return found;
}

GltfTrack bending(Index node, double start, double degrees) {
    const Eigen::Quaterniond q(Eigen::AngleAxisd(degrees * kDegree, Vec3::UnitX()));
    return {.path = GltfPath::Rotation,
            .node = node,
            .times = {start, start + 0.5},
            .values = {0, 0, 0, 1, q.x(), q.y(), q.z(), q.w()}};
}

// An arm with what other people's files have: a root joint that holds vertices and stands still, a
// first key that comes late, a box that hangs on the hand's joint below a node of its own, and one
// on a joint that slides.
GltfScene arm_with_props() {
    GltfScene scene;
    scene.nodes = {{.name = "root", .translation = Vec3(0, 0.05, 0)},
                   {.name = "elbow", .parent = 0, .translation = Vec3(0, 0.25, 0)},
                   {.name = "wrist", .parent = 1, .translation = Vec3(0, 0.2, 0)},
                   {.name = "strap", .parent = 2, .translation = Vec3(0.1, 0, 0)},
                   {.name = "slider", .parent = 1, .translation = Vec3(0.2, 0, 0)}};
    GltfSkin skin{.name = "arm", .joints = {0, 1, 2, 4}};
    for (const Eigen::Affine3d& T : world_transforms(scene)) {
        skin.inverse_bind.push_back(T.inverse().matrix());
    }
    skin.inverse_bind.erase(skin.inverse_bind.begin() + 3);
    scene.skins = {skin};
    GltfPart tube{.part = {.name = "arm", .mesh = support::cylinder(0.05, 0.6, 16, 30)}, .skin = 0};
    const Eigen::Index rows = tube.part.mesh.points.rows();
    tube.joints = Joints4::Zero(rows, 4);
    tube.weights = Weights4::Zero(rows, 4);
    for (Eigen::Index i = 0; i < rows; ++i) {
        const double y = tube.part.mesh.points(i, 1);
        const double at_elbow = std::clamp((y - 0.27) / 0.06, 0.0, 1.0);
        const double at_wrist = std::clamp((y - 0.48) / 0.04, 0.0, 1.0);
        tube.joints.row(i) << 0, 1, 2, 0;
        tube.weights.row(i) << 1.0 - at_elbow, at_elbow * (1.0 - at_wrist), at_elbow * at_wrist, 0;
    }
    scene.parts.push_back(tube);
    for (const Index node : {Index{3}, Index{4}}) {
        TriangleMesh box = support::box(Vec3::Constant(-0.02), Vec3::Constant(0.02));
        box.points.rowwise() += world_transforms(scene)[at(node)].translation().transpose();
        scene.parts.push_back(
            {.part = {.name = scene.nodes[at(node)].name + "_box", .mesh = box}, .node = node});
    }
    GltfAnimation motion{.name = "lift"};
    motion.tracks.push_back(bending(1, 0.25, 70.0));
    motion.tracks.push_back(bending(2, 0.25, -40.0));
    motion.tracks.push_back({.path = GltfPath::Translation,
                             .node = 4,
                             .times = {0.25, 0.75},
                             .values = {0.2, 0, 0, 0.2, 0.3, 0}});
    scene.animations = {motion};
    return scene;
}

struct ArmFile {
    ArmFile() {
        write_glb(path, arm_with_props());
    }
    support::TemporaryFolder folder;
    std::filesystem::path path = folder.path() / "arm.glb";
};

}  // namespace

// Poses, times and what hangs on joints come out exactly: with the file's own weights nothing is
// left between our linear blend and the one evaluated here.
TEST(RiggedCharacter, LinearBlendIsThatOfTheFile) {
    const ArmFile file;
    const Deviation d = against_own_weights(file.path, "", SkinMethod::Linear, 20.0);
    EXPECT_LT(d.mean, 1e-6);
    EXPECT_EQ(d.within, 1.0);
    EXPECT_LT(d.rigid, 1e-6);
    EXPECT_LT(d.angle, 1e-3);
}

TEST(RiggedCharacter, FleshStaysNearTheWeightsOfTheFile) {
    const ArmFile file;
    const Deviation d = against_own_weights(file.path, "", SkinMethod::Projective, 20.0);
    EXPECT_LT(d.mean, 0.01);
    EXPECT_GT(d.within, 0.99);
    EXPECT_LT(d.rigid, 1e-6);
    EXPECT_LT(d.angle, 2.0 * kDegree);
}

TEST(RiggedCharacter, MeshesOnJointsAreNoFlesh) {
    const ArmFile file;
    const Character arm = read_character(file.path, {});
    EXPECT_EQ(std::count(arm.skin_vertex.begin(), arm.skin_vertex.end(), -1), 16);
    EXPECT_EQ(arm.skin.points.rows(), arm.mesh.points.rows() - 16);
    // With bones of somebody else, all is flesh that those move.
    const Character other = read_character(file.path, file.path);
    EXPECT_EQ(std::count(other.skin_vertex.begin(), other.skin_vertex.end(), -1), 0);
}

// Of a file without any skin: two boxes on joints of their own.
TEST(RiggedCharacter, WithoutFleshPartsMoveWithTheirJoints) {
    GltfScene scene = arm_with_props();
    scene.skins.clear();
    scene.parts.erase(scene.parts.begin());
    const support::TemporaryFolder folder;
    write_glb(folder.path() / "boxes.glb", scene);
    const Deviation d =
        against_own_weights(folder.path() / "boxes.glb", "", SkinMethod::Projective, 10.0);
    EXPECT_LT(d.mean, 1e-6);
    EXPECT_LT(d.rigid, 1e-6);
}

// A rig that is written again has the weights that it came with.
TEST(RiggedCharacter, ARigKeepsItsWeights) {
    const ArmFile file;
    const Character arm = read_character(file.path, {});
    const GltfScene again = rig_of(arm);
    const GltfScene scene = arm_with_props();
    const GltfPart& tube = scene.parts[0];
    const GltfPart& part = again.parts.at(0);
    for (Eigen::Index i = 0; i < tube.weights.rows(); ++i) {
        for (int k = 0; k < 3; ++k) {
            EXPECT_NEAR(part.weights(i, k), tube.weights(i, k), 1e-6);
            EXPECT_TRUE(tube.weights(i, k) == 0.0 || again.nodes[at(part.joints(i, k))].name ==
                                                         scene.nodes[at(tube.joints(i, k))].name);
        }
    }
}

// What comes out has the meshes, materials, images and texture coordinates that went in.
TEST(RiggedCharacter, MeshesAndMaterialsOfTheFileAreKept) {
    GltfScene scene = arm_with_props();
    scene.looks.json = R"({"materials":[{"name":"steel"},{"name":"cloth","pbrMetallicRoughness":
        {"baseColorTexture":{"index":0}}}],"textures":[{"source":0}],"samplers":[],
        "images":[{"mimeType":"image/png"}],"extensionsUsed":[]})";
    scene.looks.images = {"\x89PNG\r\n\x1a\n"};
    scene.parts[0].material = 1;
    scene.parts[1].material = 0;
    std::vector<double> uv(2 * at(scene.parts[0].part.mesh.points.rows()), 0.25);
    scene.parts[0].part.mesh.point_data.push_back({.name = "uv", .components = 2, .values = uv});
    const support::TemporaryFolder folder;
    write_glb(folder.path() / "in.glb", scene);

    const Character arm = read_character(folder.path() / "in.glb", {});
    SkinRun run{.times = {0.0, 0.1}, .frames = {arm.mesh.points, 1.1 * arm.mesh.points}};
    write_skin_run(folder.path() / "out.glb", arm, run);
    write_glb(folder.path() / "rig.glb", rig_of(arm));
    for (const char* name : {"out.glb", "rig.glb"}) {
        SCOPED_TRACE(name);
        const GltfScene out = read_gltf(folder.path() / name);
        ASSERT_EQ(out.parts.size(), 3u);
        for (std::size_t p = 0; p < 3; ++p) {
            EXPECT_EQ(out.parts[p].part.name, scene.parts[p].part.name);
        }
        EXPECT_EQ(out.parts[0].material, 1);
        EXPECT_EQ(out.parts[1].material, 0);
        const Attribute* kept = find_attribute(out.parts[0].part.mesh.point_data, "uv");
        ASSERT_NE(kept, nullptr);
        EXPECT_EQ(kept->values, uv);
        EXPECT_EQ(out.looks.images, scene.looks.images);
        EXPECT_NE(out.looks.json.find("baseColorTexture"), std::string::npos);
    }
    EXPECT_EQ(read_gltf(folder.path() / "out.glb").animations.size(), 1u);
}

// Files of others; three of them go wrong in one way each. Bounds by height as a viewer sees it:
// the fox is 2 times as long as it is high.
TEST(RiggedCharacter, FilesOfOthersStayNearTheirOwnWeights) {
    struct Case {
        const char* file;
        const char* animation;
        double rate;
        double within;
    };
    for (const Case& c : {Case{"RiggedSimple.glb", "", 12.0, 1.0},
                          {"RiggedFigure.glb", "", 12.0, 0.999},
                          {"Fox.glb", "Survey", 6.0, 0.999},
                          {"Fox.glb", "Run", 30.0, 0.96},
                          {"RobotExpressive.glb", "Walking", 12.0, 0.999}}) {
        SCOPED_TRACE(c.file);
        SINEW_NEEDS_SHARED(path, std::string("characters/") + c.file);
        const Deviation linear = against_own_weights(path, c.animation, SkinMethod::Linear, c.rate);
        EXPECT_LT(linear.mean, 1e-5);
        EXPECT_LT(linear.rigid, 1e-5);
        EXPECT_LT(linear.angle, 2.0 * kDegree);
        const Deviation flesh =
            against_own_weights(path, c.animation, SkinMethod::Projective, c.rate);
        EXPECT_LT(flesh.mean, 0.01);
        EXPECT_GE(flesh.within, c.within);
        EXPECT_LT(flesh.rigid, 1e-5);
    }
}

}  // namespace sinew
