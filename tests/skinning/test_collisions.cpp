#include "sinew/geometry/measure.h"
#include "sinew/geometry/winding_number.h"
#include "sinew/meshing/decimate.h"
#include "sinew/skinning/projective_skinning.h"
#include "sinew/skinning/skin_contacts.h"

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

// The prisms of bent joints are sheared and reach through each other: vertices in them that lie in
// the open do not collide. Every vertex that does is inside by the winding number of the skin, by
// another program.
TEST(SkinCollisions, OnlyWhatTheSkinEnclosesCollides) {
    const CharacterSkeleton skeleton = support::capsule_person();
    const TriangleMesh skin =
        decimated(support::capsule_person_skin(0.02), {.target_triangles = 5000, .evenness = 0.1});
    ProjectiveSkinning skinning(skin, skeleton, {.dynamics = false});
    const BoneCoupling coupling(skeleton, skinning.bones(), skinning.flesh());
    SkinContacts contacts(skinning.flesh(), 150.0);
    std::size_t found = 0;
    for (int frame = 1; frame <= 10; ++frame) {
        JointRotations r;
        for (const CharacterJoint& joint : skeleton.joints) {
            const Vec3 turn = joint.name.rfind("hip", 0) == 0        ? Vec3(-0.22, 0, 0.05)
                              : joint.name.rfind("knee", 0) == 0     ? Vec3(0.22, 0, 0)
                              : joint.name.rfind("shoulder", 0) == 0 ? Vec3(-0.15, 0.15, 0.15)
                                                                     : Vec3(0.02, 0, 0.03);
            r.rotations.emplace_back(Eigen::AngleAxisd(frame * turn.norm(), turn.normalized()));
        }
        const CharacterPose pose = pose_of(skeleton, r);
        skinning.step(pose);
        coupling.place_base(pose, contacts.base());
        const std::vector<Index> inside = contacts.inside(skinning.points());
        const TriangleMesh now{.points = skinning.skin(), .triangles = skin.triangles};
        const WindingNumber winding(now);
        const Points normals = vertex_normals(now);
        for (const Index v : inside) {
            const Vec3 air = point(now.points, v) + 2e-5 * point(normals, v);
            EXPECT_GT(winding.exact_at(air), 0.5) << "frame " << frame << ", vertex " << v;
        }
        found += inside.size();
    }
    EXPECT_GT(found, 100u);
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
