#include "sinew/base/error.h"
#include "sinew/body/retarget.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/character_scene.h"
#include "sinew/io/fbx.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/guarded_child.h"
#include "sinew/io/joint_names_file.h"
#include "sinew/mesh/validity.h"

#include <assimp/Exporter.hpp>
#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <vector>

#include "tests/support/mutate.h"
#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

namespace {

aiMesh* mesh_of(const TriangleMesh& shape) {
    auto* mesh = new aiMesh();
    mesh->mPrimitiveTypes = aiPrimitiveType_TRIANGLE;
    mesh->mNumVertices = static_cast<unsigned>(shape.points.rows());
    mesh->mVertices = new aiVector3D[mesh->mNumVertices];
    for (Eigen::Index i = 0; i < shape.points.rows(); ++i) {
        mesh->mVertices[i] = aiVector3D(static_cast<float>(shape.points(i, 0)),
                                        static_cast<float>(shape.points(i, 1)),
                                        static_cast<float>(shape.points(i, 2)));
    }
    mesh->mNumFaces = static_cast<unsigned>(shape.triangles.rows());
    mesh->mFaces = new aiFace[mesh->mNumFaces];
    for (Eigen::Index t = 0; t < shape.triangles.rows(); ++t) {
        mesh->mFaces[t].mNumIndices = 3;
        mesh->mFaces[t].mIndices = new unsigned[3];
        for (int k = 0; k < 3; ++k) {
            mesh->mFaces[t].mIndices[k] = static_cast<unsigned>(shape.triangles(t, k));
        }
    }
    return mesh;
}

/// An FBX file with one mesh (centimetres, Y up), shifted by its node, written by assimp.
void export_fbx(const std::filesystem::path& path, const TriangleMesh& shape, const char* format) {
    aiScene scene;
    scene.mRootNode = new aiNode("root");
    auto* node = new aiNode("femur_l");
    aiMatrix4x4::Translation(aiVector3D(0, 100, 0), node->mTransformation);
    node->mNumMeshes = 1;
    node->mMeshes = new unsigned[1]{0};
    scene.mRootNode->addChildren(1, &node);
    scene.mNumMaterials = 1;
    scene.mMaterials = new aiMaterial* [1] { new aiMaterial() };
    const aiColor3D bone(0.5f, 0.25f, 0.125f);
    scene.mMaterials[0]->AddProperty(&bone, 1, AI_MATKEY_COLOR_DIFFUSE);
    scene.mNumMeshes = 1;
    scene.mMeshes = new aiMesh* [1] { mesh_of(shape) };
    Assimp::Exporter exporter;
    ASSERT_EQ(exporter.Export(&scene, format, path.string()), AI_SUCCESS)
        << exporter.GetErrorString();
}

}  // namespace

TEST(Fbx, MeshesComeInMetresWithNamesAndColours) {
    const support::TemporaryFolder folder;
    export_fbx(folder / "x.fbx", support::box({0, 0, 0}, {10, 40, 20}), "fbxa");  // cm
    const GltfScene scene = read_fbx(folder / "x.fbx");
    ASSERT_EQ(scene.parts.size(), 1u);
    const MeshPart& part = scene.parts[0].part;
    EXPECT_EQ(part.name, "femur_l");
    EXPECT_EQ(part.mesh.triangles.rows(), 12);
    EXPECT_LT((part.mesh.points.colwise().minCoeff() - Eigen::RowVector3d(0, 1, 0)).norm(), 1e-6);
    EXPECT_LT((part.mesh.points.colwise().maxCoeff() - Eigen::RowVector3d(0.1, 1.4, 0.2)).norm(),
              1e-6);
    EXPECT_FLOAT_EQ(part.colour[1], 0.25f);
    ASSERT_FALSE(scene.notes.empty());
    EXPECT_NE(scene.notes[0].find("0.01 m per unit"), std::string::npos) << scene.notes[0];
}

// The file's header says metres and Z up: (x, y, z) -> (x, z, -y), unscaled.
TEST(Fbx, UnitAndAxesOfTheFileAreHonoured) {
    const support::TemporaryFolder folder;
    export_fbx(folder / "x.fbx", support::box({0, 0, 0}, {10, 40, 20}), "fbxa");
    std::string text = read_file_bytes(folder / "x.fbx");
    const auto set = [&](const std::string& name, const std::string& value) {
        const std::size_t line = text.find("\"" + name + "\"");
        ASSERT_NE(line, std::string::npos) << name;
        const std::size_t end = text.find('\n', line);
        const std::size_t comma = text.rfind(',', end);
        text.replace(comma + 1, end - comma - 1, value);
    };
    set("UnitScaleFactor", "100.0");
    set("UpAxis", "2");
    set("FrontAxis", "1");
    set("FrontAxisSign", "-1");
    write_file_bytes(folder / "z.fbx", text);
    const GltfScene scene = read_fbx(folder / "z.fbx");
    ASSERT_EQ(scene.parts.size(), 1u);
    const Points& points = scene.parts[0].part.mesh.points;
    EXPECT_LT((points.colwise().minCoeff() - Eigen::RowVector3d(0, 0, -140)).norm(), 1e-4);
    EXPECT_LT((points.colwise().maxCoeff() - Eigen::RowVector3d(10, 20, -100)).norm(), 1e-4);
    ASSERT_FALSE(scene.notes.empty());
    EXPECT_EQ(scene.notes[0], "Z up to Y up");
}

/// A tube on two bones along Y (centimetres); the second turns by a right angle about Z within a
/// second, while the first moves by 40 cm along X.
void export_rigged_fbx(const std::filesystem::path& path) {
    const TriangleMesh shape = support::cylinder(5.0, 60.0, 8, 6);
    const auto scene_owner = std::make_unique<aiScene>();
    aiScene& scene = *scene_owner;
    const auto child_of = [](aiNode* parent, const char* name, float y) {
        auto* node = new aiNode(name);
        aiMatrix4x4::Translation(aiVector3D(0, y, 0), node->mTransformation);
        parent->addChildren(1, &node);
        return node;
    };
    scene.mRootNode = new aiNode("root");
    aiNode* skin = child_of(scene.mRootNode, "skin", 0.0f);
    skin->mNumMeshes = 1;
    skin->mMeshes = new unsigned[1]{0};
    aiNode* upper = child_of(scene.mRootNode, "upper_arm", 5.0f);
    aiNode* fore = child_of(upper, "forearm", 25.0f);
    child_of(fore, "hand", 25.0f);
    scene.mNumMaterials = 1;
    scene.mMaterials = new aiMaterial* [1] { new aiMaterial() };
    auto* mesh = mesh_of(shape);
    scene.mNumMeshes = 1;
    scene.mMeshes = new aiMesh* [1] { mesh };
    mesh->mNumBones = 2;
    mesh->mBones = new aiBone* [2] { new aiBone(), new aiBone() };
    for (unsigned b = 0; b < 2; ++b) {
        aiBone& bone = *mesh->mBones[b];
        bone.mName = b == 0 ? "upper_arm" : "forearm";
        aiMatrix4x4::Translation(aiVector3D(0, b == 0 ? -5.0f : -30.0f, 0), bone.mOffsetMatrix);
        std::vector<aiVertexWeight> held;
        for (Eigen::Index i = 0; i < shape.points.rows(); ++i) {
            if ((shape.points(i, 1) > 30.0) == (b == 1)) {
                held.emplace_back(static_cast<unsigned>(i), 1.0f);
            }
        }
        bone.mNumWeights = static_cast<unsigned>(held.size());
        bone.mWeights = new aiVertexWeight[held.size()];
        std::copy(held.begin(), held.end(), bone.mWeights);
    }
    auto* turn = new aiNodeAnim();
    turn->mNodeName = "forearm";
    turn->mNumPositionKeys = 1;
    turn->mPositionKeys = new aiVectorKey[1]{{0.0, aiVector3D(0, 25, 0)}};
    turn->mNumScalingKeys = 1;
    turn->mScalingKeys = new aiVectorKey[1]{{0.0, aiVector3D(1, 1, 1)}};
    constexpr unsigned kKeys = 11;
    turn->mNumRotationKeys = kKeys;
    turn->mRotationKeys = new aiQuatKey[kKeys];
    for (unsigned k = 0; k < kKeys; ++k) {
        const float share = static_cast<float>(k) / (kKeys - 1);
        turn->mRotationKeys[k] = {static_cast<double>(share),
                                  aiQuaternion(aiVector3D(0, 0, 1), share * 1.5707963f)};
    }
    auto* walk = new aiNodeAnim();
    walk->mNodeName = "upper_arm";
    walk->mNumPositionKeys = 2;
    walk->mPositionKeys =
        new aiVectorKey[2]{{0.0, aiVector3D(0, 5, 0)}, {1.0, aiVector3D(40, 5, 0)}};
    walk->mNumScalingKeys = 1;
    walk->mScalingKeys = new aiVectorKey[1]{{0.0, aiVector3D(1, 1, 1)}};
    walk->mNumRotationKeys = 1;
    walk->mRotationKeys = new aiQuatKey[1]{{0.0, aiQuaternion()}};
    auto* animation = new aiAnimation();
    animation->mName = "bend";
    animation->mTicksPerSecond = 1.0;
    animation->mDuration = 1.0;
    animation->mNumChannels = 2;
    animation->mChannels = new aiNodeAnim* [2] { turn, walk };
    scene.mNumAnimations = 1;
    scene.mAnimations = new aiAnimation* [1] { animation };
    Assimp::Exporter exporter;
    // As text: what the library writes as binary with animations, it cannot read again.
    ASSERT_EQ(exporter.Export(&scene, "fbxa", path.string()), AI_SUCCESS)
        << exporter.GetErrorString();
}

TEST(Fbx, SkinsAndAnimationsBecomeSkeletonAndMotion) {
    const support::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "arm.fbx";
    export_rigged_fbx(file);
    const GltfScene scene = read_fbx(file);
    const std::vector<MeshPart> parts = rest_parts(scene, "arm.fbx");
    ASSERT_EQ(parts.size(), 1u);
    const Points& points = parts[0].mesh.points;
    EXPECT_LT((points.colwise().minCoeff() - Eigen::RowVector3d(-0.05, 0, -0.05)).norm(), 1e-6);
    EXPECT_LT((points.colwise().maxCoeff() - Eigen::RowVector3d(0.05, 0.6, 0.05)).norm(), 1e-6);
    const CharacterSkeleton skeleton = skeleton_of(scene, "arm.fbx");
    ASSERT_GE(skeleton.size(), 2u);
    EXPECT_EQ(skeleton.joints[0].name, "upper_arm");
    EXPECT_EQ(skeleton.joints[1].name, "forearm");
    EXPECT_LT((skeleton.joints[0].position - Vec3(0, 0.05, 0)).norm(), 1e-5);
    EXPECT_LT((skeleton.joints[1].position - Vec3(0, 0.30, 0)).norm(), 1e-5);
    const CharacterMotion motion =
        retarget(recording_of(scene, 0, "arm.fbx"), skeleton, known_joint_names()).motion;
    EXPECT_NEAR(motion.times.back() - motion.times.front(), 1.0, 0.05);
    for (const double t : {0.0, 0.5, 1.0}) {
        const Eigen::Quaterniond expected(Eigen::AngleAxisd(t * 0.5 * M_PI, Vec3::UnitZ()));
        const JointRotations now = sample(motion, t);
        EXPECT_LT(now.rotations[1].angularDistance(expected), 0.02) << t;
        EXPECT_LT(now.rotations[0].angularDistance(Eigen::Quaterniond::Identity()), 1e-4);
        EXPECT_LT((now.shift - Vec3(0.4 * t, 0, 0)).norm(), 0.01) << t;
    }
}

TEST(Fbx, DamageIsSurvived) {
    const support::TemporaryFolder folder;
    const auto read = [&](std::string_view bytes) {
        write_file_bytes(folder / "bad.fbx", bytes);
        for (const MeshPart& part : rest_parts(read_fbx(folder / "bad.fbx"), "bad.fbx")) {
            require_valid(part.mesh, "part");
        }
    };
    for (const char* format : {"fbx", "fbxa"}) {
        export_fbx(folder / "x.fbx", support::box({0, 0, 0}, {1, 1, 1}), format);
        const std::string good = read_file_bytes(folder / "x.fbx");
        for (std::size_t size = 1; size < good.size(); size += 1 + good.size() / 8) {
            EXPECT_EQ(support::wrong_reaction(std::string_view(good).substr(0, size), read), "");
        }
        for (int i = 0; i < 25; ++i) {
            Random random(Seed{6}, static_cast<std::uint64_t>(i));
            EXPECT_EQ(support::wrong_reaction(support::mutated(good, random), read), "") << i;
        }
    }
    EXPECT_THROW(read_fbx(folder.path()), InputError);
    EXPECT_THROW(read_fbx(folder / "absent.fbx"), InputError);
}

TEST(GuardedChild, ReturnsWhatTheWorkMakes) {
    const std::string long_text(3'000'000, 'z');
    EXPECT_EQ(run_in_guarded_child([&] { return long_text; }, "x"), long_text);
    EXPECT_EQ(run_in_guarded_child([] { return std::string(); }, "x"), "");
}

TEST(GuardedChild, ErrorsCrashesAndHangsBecomeInputErrors) {
    const auto message_of = [](const std::function<std::string()>& work,
                               const ChildLimits& limits) {
        return support::input_error_of([&] { run_in_guarded_child(work, "a.fbx", limits); });
    };
    const std::string passed = message_of(
        []() -> std::string {
            throw InputError({.where = "w", .found = "f", .needs = "n", .remedy = "r"});
        },
        {});
    EXPECT_EQ(passed, "w: f; needed: n. What to do: r.");
    const std::string crashed = message_of([]() -> std::string { std::abort(); }, {});
    EXPECT_NE(crashed.find("crashes"), std::string::npos) << crashed;
    const std::string failed = message_of([]() -> std::string { throw 3; }, {});
    EXPECT_NE(failed.find("a.fbx"), std::string::npos) << failed;
    const std::string slow = message_of(
        []() -> std::string {
            std::atomic<unsigned> count = 0;
            for (;;) {
                ++count;
            }
        },
        {.cpu_seconds = 1, .wall_seconds = 2});
    EXPECT_NE(slow.find("took more than"), std::string::npos) << slow;
    const std::string long_answer =
        message_of([] { return std::string(10'000, 'x'); }, {.answer_bytes = 1000});
    EXPECT_NE(long_answer.find("enormous"), std::string::npos) << long_answer;
#ifndef SINEW_SANITIZED
    const std::string hungry = message_of([] { return std::string(std::size_t{3} << 30, 'x'); },
                                          {.memory_bytes = std::uint64_t{1} << 30});
    EXPECT_NE(hungry.find("memory"), std::string::npos) << hungry;
#endif
}

}  // namespace sinew
