#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/build/atlas_joints.h"
#include "sinew/build/atlas_parts.h"
#include "sinew/build/atlas_template.h"
#include "sinew/build/joint_tree.h"
#include "sinew/build/muscle_course.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/health.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

void expect_sound(const MendedMesh& mended, double volume, double tolerance) {
    EXPECT_EQ(mended.reason, "");
    const SurfaceHealth health = check_health(mended.mesh);
    EXPECT_TRUE(health.measures.is_closed && health.measures.is_manifold);
    EXPECT_EQ(health.measures.intersections, 0);
    EXPECT_NEAR(health.measures.volume, volume, tolerance * volume);
}

TEST(AtlasParts, ACleanPartIsLeftAlone) {
    const TriangleMesh ball = support::sphere(3, 0.02);
    const MendedMesh mended = mend_part(ball, {});
    EXPECT_TRUE(mended.actions.empty());
    EXPECT_EQ(mended.mesh.points, ball.points);
}

TEST(AtlasParts, TouchingPiecesAreNotWelded) {
    // Two boxes with a common corner: joined there they would not be a manifold.
    const TriangleMesh pair = support::joined(support::box({0, 0, 0}, {0.01, 0.01, 0.01}),
                                              support::box({0.01, 0.01, 0.01}, {0.02, 0.02, 0.02}));
    const MendedMesh mended = mend_part(pair, {});
    EXPECT_EQ(mended.mesh.points.rows(), 16);
    EXPECT_TRUE(is_watertight(mended.mesh));
}

TEST(AtlasParts, SoupsAndHolesAreClosed) {
    const TriangleMesh ball = support::sphere(3, 0.02);
    const double volume = enclosed_volume(ball);
    expect_sound(mend_part(support::soup(ball), {}), volume, 1e-9);
    TriangleMesh open = ball;
    open.triangles.conservativeResize(open.triangles.rows() - 3, 3);
    expect_sound(mend_part(open, {}), volume, 0.02);
}

TEST(AtlasParts, APartInsideOutIsTurned) {
    TriangleMesh ball = support::sphere(2, 0.02);
    ball.triangles.col(1).swap(ball.triangles.col(2));
    const MendedMesh mended = mend_part(ball, {});
    EXPECT_GT(enclosed_volume(mended.mesh), 0.0);
    EXPECT_FALSE(mended.actions.empty());
}

TEST(AtlasParts, CrossingsGoAwayByALevelSet) {
    // Two balls that overlap: the volume of the union by the formula of the lens.
    const double r = 0.02, d = 0.03;
    const TriangleMesh pair =
        support::joined(support::sphere(4, r), support::sphere(4, r, Vec3(d, 0.0, 0.0)));
    const double lens = std::numbers::pi * (4.0 * r + d) * (2.0 * r - d) * (2.0 * r - d) / 12.0;
    const double wanted = 2.0 * 4.0 / 3.0 * std::numbers::pi * r * r * r - lens;
    const MendedMesh mended = mend_part(pair, {.largest_change = 0.2});
    expect_sound(mended, wanted, 0.02);
    // What would cost too much is kept as it is, and said.
    const MendedMesh kept = mend_part(pair, {.largest_change = 0.0});
    EXPECT_EQ(kept.reason, "");
    EXPECT_EQ(kept.doubts.size(), 1u);
}

TEST(AtlasParts, WhatHasNoVolumeIsRefused) {
    EXPECT_NE(mend_part(support::open_square(2), {}).reason, "");
    TriangleMesh flat = support::sphere(2, 0.02);
    flat.points.col(1).setZero();
    EXPECT_NE(mend_part(flat, {}).reason, "");
}

TEST(AtlasParts, WithoutABoneTheReasonsAreNamed) {
    Atlas atlas{.name = "broken"};
    atlas.parts.push_back(
        {.name = "skin", .kind = AtlasKind::Skin, .mesh = support::sphere(3, 0.5)});
    atlas.parts.push_back({.name = "femur_l", .mesh = support::open_square(2)});
    atlas.parts.push_back({.name = "tibia_l", .unreadable = "the file ends early"});
    AtlasReport report;
    try {
        build_atlas_template(atlas, {}, {}, {}, report);
        FAIL() << "built without a bone";
    } catch (const InputError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("'femur_l': "), std::string::npos) << text;
        EXPECT_NE(text.find("'tibia_l': the file ends early"), std::string::npos) << text;
    }
}

TEST(AtlasSkin, AHandleIsCutAndHollowsAreFilled) {
    // A ring as skin: genus 1. With a ball inside its tube that looks inward: a hollow.
    const TriangleMesh ring = support::torus(0.3, 0.1, 60, 30);
    TriangleMesh hollow = support::sphere(3, 0.04, Vec3(0.3, 0.0, 0.0));
    const Bounds box = bounds(ring.points);
    if (box.size().x() < 0.75) {
        hollow = support::sphere(3, 0.04, Vec3(0.0, 0.3, 0.0));
    }
    hollow.triangles.col(1).swap(hollow.triangles.col(2));
    const MendedMesh mended = mend_skin(support::joined(ring, hollow), {.skin_cell = 0.01});
    ASSERT_EQ(mended.reason, "");
    const SurfaceHealth health = check_health(mended.mesh);
    EXPECT_EQ(health.measures.components, 1);
    EXPECT_EQ(health.measures.genus, 0);
    const double ring_volume = 2.0 * std::numbers::pi * std::numbers::pi * 0.3 * 0.01;
    EXPECT_NEAR(health.measures.volume, ring_volume, 0.03 * ring_volume);
    EXPECT_FALSE(mended.actions.empty());
}

TEST(AtlasSkin, AGoodSkinIsLeftAlone) {
    const TriangleMesh ball = support::sphere(3, 0.5);
    const MendedMesh mended = mend_skin(ball, {});
    EXPECT_TRUE(mended.actions.empty());
    EXPECT_EQ(mended.mesh.points, ball.points);
}

TEST(MuscleCourse, ASpindleHasItsBellyInTheMiddle) {
    // Radius 3 mm at the ends and 20 mm over the middle half: sections of 2 % and 100 %.
    TriangleMesh spindle = support::cylinder(0.02, 0.2, 24, 80);
    for (Eigen::Index v = 0; v < spindle.points.rows(); ++v) {
        const double y = spindle.points(v, 1);
        const double thin = y < 0.05 || y > 0.15 ? 0.15 : 1.0;
        spindle.points(v, 0) *= thin;
        spindle.points(v, 2) *= thin;
    }
    const TriangleMesh above = support::box({-0.02, 0.2, -0.02}, {0.02, 0.25, 0.02});
    const TriangleMesh below = support::box({-0.02, -0.05, -0.02}, {0.02, 0.0, 0.02});
    const std::vector<const TriangleMesh*> bones = {&below, &above};
    const std::vector<int> depth = {3, 1};
    const MuscleCourse course = find_course(spindle, {}, bones, BoneSurface(bones), depth);
    EXPECT_EQ(course.origin, 1) << "fewer joints to the root";
    EXPECT_EQ(course.insertion, 0);
    EXPECT_NEAR(course.belly_begin, 0.25, 0.06);
    EXPECT_NEAR(course.belly_end, 0.75, 0.06);
    for (Eigen::Index v = 0; v < spindle.points.rows(); ++v) {
        EXPECT_NEAR(course.share[static_cast<std::size_t>(v)], 1.0 - spindle.points(v, 1) / 0.2,
                    0.12);
    }
    // A hint decides the sense.
    const CourseHints hints{.origin = 0, .insertion = 1};
    EXPECT_NEAR(find_course(spindle, hints, bones, BoneSurface(bones), depth).belly_end, 0.75,
                0.06);
    EXPECT_LT(find_course(spindle, hints, bones, BoneSurface(bones), depth).share[0], 0.1);
}

TEST(MuscleCourse, SectionsOfACylinderAreDiscs) {
    const TriangleMesh rod = support::cylinder(0.02, 0.2, 200, 20);
    std::vector<double> share;
    for (Eigen::Index v = 0; v < rod.points.rows(); ++v) {
        share.push_back(rod.points(v, 1) / 0.2);
    }
    for (const double area : section_areas(rod, share, 7)) {
        EXPECT_NEAR(area, std::numbers::pi * 4e-4, 1e-3 * std::numbers::pi * 4e-4);
    }
}

TEST(AtlasJoints, FittingFindsTheSimilarityBetweenTwoBones) {
    // A lopsided bone, so that only one way of laying it fits.
    const TriangleMesh bone =
        support::joined(support::box({-0.015, 0.0, -0.008}, {0.015, 0.4, 0.008}),
                        support::sphere(3, 0.03, Vec3(0.02, 0.4, 0.01)));
    Similarity wanted;
    wanted.scale = 1.1;
    wanted.R = Eigen::AngleAxisd(0.5, Vec3(0.2, 0.1, 1.0).normalized()).toRotationMatrix();
    wanted.shift = Vec3(0.3, -0.2, 0.1);
    TriangleMesh target = bone;
    for (Eigen::Index v = 0; v < bone.points.rows(); ++v) {
        target.points.row(v) = wanted(point(bone.points, v)).transpose();
    }
    double distance = 0.0;
    const Similarity found = fit_surface(bone, target, distance);
    EXPECT_NEAR(found.scale, wanted.scale, 0.02);
    EXPECT_LT(distance, 0.002);
    for (const Vec3& at : {Vec3(0.0, 0.0, 0.0), Vec3(0.02, 0.4, 0.01)}) {
        EXPECT_LT((found(at) - wanted(at)).norm(), 0.006);
    }
}

BoneJoint joint_between(const std::string& parent, const std::string& child) {
    BoneJoint joint{.parent = parent, .child = child};
    joint.joint.name = parent + "_" + child;
    joint.joint.type = JointType::Ball;
    return joint;
}

TEST(JointTree, OrderDoesNotMatterAndFixedBonesMoveTogether) {
    std::vector<BoneJoint> joints = {joint_between("b", "c"), joint_between("a", "b"),
                                     joint_between("c", "d")};
    joints[2].joint.type = JointType::Fixed;
    const JointTree tree = build_joint_tree("a", joints, "t");
    EXPECT_EQ(tree.skeleton.segments.size(), 3u);
    EXPECT_EQ(tree.segment_of.at("d"), tree.segment_of.at("c"));
    require_valid(tree.skeleton, "t");
}

// Whatever the heading, upright or on the back, each small rotation is one of small angles: the
// rates about the three axes span a cube of volume cos(lean to a side).
TEST(JointTree, AnglesOfTheRootAreUniqueForWhoWalksAnywhereOrLies) {
    const JointTree tree = build_joint_tree("a", std::vector{joint_between("a", "b")}, "t");
    const auto rotation_at = [&](const Vec3& angles) {
        Pose pose{.coordinates = std::vector<double>(9, 0.0)};
        std::copy(angles.begin(), angles.end(), pose.coordinates.begin() + 3);
        return Mat3(segment_motions(tree.skeleton, pose)[0].linear());
    };
    for (const double heading : {0.0, 0.5 * kPi, 2.0}) {
        for (const double lying : {0.0, -0.5 * kPi}) {
            const Mat3 R = rotation_at({heading, 0.0, lying});
            const Mat3 wanted = (Eigen::AngleAxisd(heading, Vec3::UnitY()) *
                                 Eigen::AngleAxisd(lying, Vec3::UnitX()))
                                    .toRotationMatrix();
            EXPECT_LT((R - wanted).norm(), 1e-12);
            Mat3 rates;
            for (int k = 0; k < 3; ++k) {
                constexpr double kStep = 1e-6;
                const Mat3 W = (rotation_at(Vec3(heading, 0.0, lying) + kStep * Vec3::Unit(k)) -
                                rotation_at(Vec3(heading, 0.0, lying) - kStep * Vec3::Unit(k))) /
                               (2.0 * kStep) * R.transpose();
                rates.col(k) = Vec3(W(2, 1), W(0, 2), W(1, 0));
            }
            EXPECT_NEAR(std::abs(rates.determinant()), 1.0, 1e-8);
        }
    }
}

TEST(JointTree, CirclesAndSecondParentsAreRefused) {
    const std::vector<BoneJoint> circle = {joint_between("a", "b"), joint_between("d", "c"),
                                           joint_between("c", "d")};
    try {
        build_joint_tree("a", circle, "my atlas");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("d_c, c_d"), std::string::npos) << error.what();
    }
    const std::vector<BoneJoint> twice = {joint_between("a", "b"), joint_between("a", "c"),
                                          joint_between("c", "b")};
    EXPECT_THROW(build_joint_tree("a", twice, "t"), InputError);
    const std::vector<BoneJoint> above_root = {joint_between("b", "a")};
    EXPECT_THROW(build_joint_tree("a", above_root, "t"), InputError);
}

}  // namespace
}  // namespace sinew
