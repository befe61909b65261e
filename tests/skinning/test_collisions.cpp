#include "sinew/meshing/decimate.h"
#include "sinew/skinning/projective_skinning.h"

#include <gtest/gtest.h>

#include "tests/skinning/tube_arm.h"
#include "tests/support/capsule_person.h"

namespace sinew {
namespace {

// The elbow of a tube folds by 2.3 rad and stays there.
ProjectiveSkinning folded(const TriangleMesh& skin, SkinCollisions collisions) {
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning(skin, skeleton, {.collisions = collisions});
    for (int frame = 1; frame <= 35; ++frame) {
        skinning.step(support::bent(skeleton, 2.3 * std::min(1.0, frame / 25.0)));
    }
    return skinning;
}

TEST(SkinCollisions, KomaritzanFoldsAreKeptApartByPairs) {
    for (const int sides : {20, 36}) {
        const TriangleMesh skin = support::cylinder(0.05, 0.6, sides, sides * 3 / 2);
        EXPECT_GT(folded(skin, SkinCollisions::None).penetration().mean, 0.01);
        ProjectiveSkinning with = folded(skin, SkinCollisions::Local);
        EXPECT_LT(with.penetration().mean, 5e-4);
        // The bones do not lose their flesh.
        EXPECT_GT(with.volume_ratio(), 0.9);
    }
}

TEST(SkinCollisions, PairsDoNothingWhereNothingFolds) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning without(skin, skeleton);
    ProjectiveSkinning with(skin, skeleton, {.collisions = SkinCollisions::Local});
    EXPECT_EQ(with.skin(), without.skin());
    for (int frame = 1; frame <= 10; ++frame) {
        const CharacterPose pose = support::bent(skeleton, 0.08 * frame);
        EXPECT_EQ(with.step(pose).contacts, 0);
        without.step(pose);
    }
    EXPECT_EQ(with.skin(), without.skin());
}

TEST(SkinCollisions, KomaritzanGlobalCollisionsLeaveLessThanAMillimetre) {
    const TriangleMesh skin = support::tube();
    ProjectiveSkinning with = folded(skin, SkinCollisions::Global);
    EXPECT_LT(with.penetration().mean, 2e-4);
    EXPECT_LT(with.penetration().deepest, 1e-3);
}

// A hand on the body and a knee at the belly: no pair of the joints knows of them.
TEST(SkinCollisions, KomaritzanAPersonTouchesItselfEverywhere) {
    const CharacterSkeleton skeleton = support::capsule_person();
    const TriangleMesh skin =
        decimated(support::capsule_person_skin(0.02), {.target_triangles = 6000, .evenness = 0.1});
    double mean[2] = {};
    double vertices[2] = {};
    for (const int k : {0, 1}) {
        ProjectiveSkinning skinning(
            skin, skeleton, {.collisions = k == 0 ? SkinCollisions::None : SkinCollisions::Global});
        for (int frame = 1; frame <= 36; ++frame) {
            skinning.step(support::dance(skeleton, frame));
            const ProjectiveSkinning::Penetration inside = skinning.penetration();
            mean[k] += inside.vertices * inside.mean;
            vertices[k] += inside.vertices;
        }
        mean[k] /= std::max(1.0, vertices[k]);
    }
    EXPECT_GT(mean[0], 5e-3);
    EXPECT_LT(mean[1], 1e-3);
    EXPECT_LT(vertices[1], 0.1 * vertices[0]);
}

// Contacts at rest are kept and depend on differences of places alone: a character that is lifted
// with its contacts keeps its shape.
TEST(SkinCollisions, ContactsAtRestNeitherFlickerNorStayBehind) {
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning = folded(support::tube(), SkinCollisions::Global);
    const CharacterPose pose = support::bent(skeleton, 2.3);
    for (int frame = 0; frame < 40; ++frame) {
        skinning.step(pose);
    }
    const Points before = skinning.skin();
    skinning.step(pose);
    EXPECT_LT((skinning.skin() - before).rowwise().norm().maxCoeff(), 5e-4);
    CharacterPose lifted = pose;
    const Vec3 up(0.0, 0.5, 0.0);
    for (Eigen::Isometry3d& T : lifted) {
        T.pretranslate(up);
    }
    skinning.reset(lifted, 60);
    const Points far = skinning.skin().rowwise() - up.transpose();
    skinning.reset(pose, 60);
    EXPECT_LT((far - skinning.skin()).rowwise().norm().maxCoeff(), 5e-4);
}

}  // namespace
}  // namespace sinew
