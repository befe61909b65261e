#include "sinew/base/random.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/skinning/bone_coupling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/skinning/tube_arm.h"

namespace sinew {
namespace {

TEST(BoneVolumes, KomaritzanRadiiAreThreeQuartersOfTheDistanceToTheSkin) {
    const BoneVolumes bones = build_bone_volumes(support::tube(), support::two_bones());
    ASSERT_EQ(bones.bones.size(), 2u);
    // Sides of the tube are flat: the nearest point lies at r cos(pi / 20).
    const double expected = 0.75 * 0.05 * std::cos(M_PI / 20);
    for (const BoneVolume& bone : bones.bones) {
        EXPECT_NEAR(bone.radius, expected, 1e-4);
        EXPECT_NEAR(bone.radius_at(0.0), bones.joint_radius[0], 1e-12);
        EXPECT_NEAR(bone.radius_at(0.5 * bone.length), bone.radius, 1e-12);
    }
}

TEST(BoneVolumes, KomaritzanJointsAndBonesFitIntoTheLength) {
    CharacterSkeleton skeleton = support::two_bones();
    skeleton.joints[0].radius = 0.2;
    skeleton.joints[1].bone_radius = 0.1;
    const BoneVolumes bones = build_bone_volumes(support::tube(), skeleton);
    for (const BoneVolume& bone : bones.bones) {
        EXPECT_LE(bones.joint_radius[static_cast<std::size_t>(bone.first)] +
                      bones.joint_radius[static_cast<std::size_t>(bone.second)] + 2 * bone.radius,
                  bone.length * (1 + 1e-12));
    }
}

TEST(BoneVolumes, KomaritzanAppendixAFirstPointsAreThoseOfSampling) {
    const BoneVolumes bones = build_bone_volumes(support::tube(), support::two_bones());
    BoneVolume bone = bones.bones[0];
    bone.tube = {0.06, 0.02, 0.02, 0.05};
    Random random(Seed{4});
    int hits = 0;
    int grazed = 0;
    for (int trial = 0; trial < 200; ++trial) {
        const auto draw = [&](double by) {
            return Vec3(random.uniform(-by, by), random.uniform(0.0, 0.35),
                        random.uniform(-by, by));
        };
        const Vec3 from = draw(0.2);
        const Vec3 to = draw(0.03);
        double sampled = 2.0;
        constexpr int n = 4000;
        for (int k = 0; k <= n && sampled > 1.0; ++k) {
            const double u = static_cast<double>(k) / n;
            const Vec3 w = from + u * (to - from) - bone.origin;
            const double t = w.dot(bone.axis);
            if (t >= 0.0 && t <= bone.length && (w - t * bone.axis).norm() <= bone.radius_at(t)) {
                sampled = u;
            }
        }
        const double found = first_in_tube(from, to, bone);
        // Through an end of the tube there is no surface; the sphere of the joint is there.
        if (found <= 1.0 && sampled <= 1.0 && found >= sampled - 2.0 / n) {
            EXPECT_LE(found, 1.0);
            hits += std::abs(found - sampled) <= 2.0 / n ? 1 : 0;
        }
        grazed += sampled > 1.0 && found <= 1.0 ? 1 : 0;  // between two samples
    }
    EXPECT_GT(hits, 80);
    EXPECT_LE(grazed, 2);
    EXPECT_NEAR(first_in_sphere(Vec3(2, 0, 0), Vec3::Zero(), Vec3::Zero(), 0.5), 0.75, 1e-12);
    EXPECT_GT(first_in_sphere(Vec3(2, 1, 0), Vec3(-2, 1, 0), Vec3::Zero(), 0.5), 1.0);
}

TEST(FleshPrisms, KomaritzanPrismsFillTheSpaceBetweenSkinAndBonesWithoutGaps) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    const BoneVolumes bones = build_bone_volumes(skin, skeleton);
    const FleshPrisms flesh = build_flesh_prisms(skin, skeleton, bones);
    const Index S = flesh.skin_vertices;
    EXPECT_EQ(flesh.tets.rows(), 3 * skin.triangles.rows());
    EXPECT_EQ(flesh.inverted_prisms, 0);
    EXPECT_GT(tet_volumes(flesh.points, flesh.tets).minCoeff(), 0.0);
    // Faces that belong to one tetrahedron only are the skin and its copy, nothing else.
    const Triangles border = boundary_triangles(flesh.tets);
    EXPECT_EQ(border.rows(), 2 * skin.triangles.rows());
    const Triangles inner = skin.triangles.array() + S;
    EXPECT_NEAR(
        volume(flesh.points, flesh.tets),
        enclosed_volume(flesh.points, skin.triangles) - enclosed_volume(flesh.points, inner),
        1e-12);
    // The copies lie on the bones.
    for (Index i = 0; i < S; ++i) {
        const BoneVolume& bone = bones.bones[static_cast<std::size_t>(flesh.bone[i])];
        const Vec3 w = point(flesh.points, S + i) - bone.origin;
        EXPECT_LT((w - w.dot(bone.axis) * bone.axis).norm(), 0.0385);
    }
}

TEST(FleshPrisms, OpenAndNoisySkinsHaveFlesh) {
    TriangleMesh skin = support::tube();
    Random random(Seed{9});
    for (Eigen::Index i = 0; i < skin.points.size(); ++i) {
        skin.points.data()[i] += 0.002 * random.normal();
    }
    const Eigen::Index kept = skin.triangles.rows() * 3 / 4;
    skin.triangles.conservativeResize(kept, 3);
    const CharacterSkeleton skeleton = support::two_bones();
    const FleshPrisms flesh =
        build_flesh_prisms(skin, skeleton, build_bone_volumes(skin, skeleton));
    EXPECT_GT(flesh.tets.rows(), 5 * kept / 2);
    EXPECT_GT(tet_volumes(flesh.points, flesh.tets).minCoeff(), 0.0);
}

TEST(BoneCoupling, RestStaysAndRigidMotionsAreFollowed) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    const BoneVolumes bones = build_bone_volumes(skin, skeleton);
    const FleshPrisms flesh = build_flesh_prisms(skin, skeleton, bones);
    const BoneCoupling coupling(skeleton, bones, flesh);
    for (const auto& motion : support::rigid_motions(3, Seed{2})) {
        Points x = flesh.points;
        coupling.place_inner(CharacterPose(skeleton.size(), motion), x);
        const Points expected = support::moved(flesh.points, motion);
        EXPECT_LT((x - expected).bottomRows(flesh.skin_vertices).cwiseAbs().maxCoeff(), 1e-9);
    }
}

TEST(BoneCoupling, KomaritzanBentJointsTurnByHalfAndNothingSinksIntoTheBones) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    const BoneVolumes bones = build_bone_volumes(skin, skeleton);
    const FleshPrisms flesh = build_flesh_prisms(skin, skeleton, bones);
    const BoneCoupling coupling(skeleton, bones, flesh);
    const double angle = 1.8;
    Points x = flesh.points;
    coupling.place_inner(support::bent(skeleton, angle), x);
    const Vec3 elbow = skeleton.joints[1].position;
    const Mat3 half = Eigen::AngleAxisd(0.5 * angle, Vec3::UnitX()).toRotationMatrix();
    int at_joint = 0;
    for (Index i = 0; i < flesh.skin_vertices; ++i) {
        const Vec3 rest = point(flesh.points, flesh.skin_vertices + i);
        const Vec3 now = point(x, flesh.skin_vertices + i);
        EXPECT_GE((now - elbow).norm(), bones.joint_radius[1] - 1e-9);
        if (std::abs(rest.y() - elbow.y()) < 1e-3) {
            EXPECT_LT((now - elbow - half * (rest - elbow)).norm(), 5e-3);
            ++at_joint;
        }
    }
    EXPECT_GT(at_joint, 10);
}

}  // namespace
}  // namespace sinew
