#include "sinew/base/error.h"
#include "sinew/pipeline/skin_comparison.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

Character comparable_arm() {
    Character arm;
    arm.name = "arm";
    arm.mesh = support::cylinder(0.045, 0.6, 24, 48);
    arm.skin = arm.mesh;
    arm.skin_vertex.resize(static_cast<std::size_t>(arm.mesh.points.rows()));
    std::iota(arm.skin_vertex.begin(), arm.skin_vertex.end(), 0);
    arm.skeleton.joints = {{.name = "shoulder", .parent = -1, .position = Vec3(0, 0.05, 0)},
                           {.name = "elbow", .parent = 0, .position = Vec3(0, 0.3, 0)},
                           {.name = "hand", .parent = 1, .position = Vec3(0, 0.55, 0)}};
    return arm;
}

CharacterMotion turn_elbow(const Vec3& axis, double angle) {
    CharacterMotion motion{.times = {0.0, 0.6}, .keys = std::vector<JointRotations>(2)};
    for (JointRotations& key : motion.keys) {
        key.rotations.assign(3, Eigen::Quaterniond::Identity());
    }
    motion.keys[1].rotations[1] = Eigen::AngleAxisd(angle, axis);
    return motion;
}

// A twist by 150 degrees: linear blending wrings the arm out, the others do not.
TEST(SkinComparison, LinearBlendingCollapsesWhereFleshDoesNot) {
    const SkinComparison found =
        compare_skinning(comparable_arm(), turn_elbow(Vec3::UnitY(), 2.6),
                         {.run = {.settle = 1}, .pictures = 2, .width = 60, .height = 80});
    ASSERT_EQ(found.methods.size(), 3u);
    EXPECT_EQ(found.methods[0].name, "lbs");
    EXPECT_EQ(found.methods[2].name, "projective");
    for (const ComparedMethod& method : found.methods) {
        ASSERT_EQ(method.frames.size(), 2u);
        EXPECT_LT(method.frames[0].time, method.frames[1].time);
        EXPECT_NEAR(method.frames[1].time, 0.6, 1e-9);
    }
    const auto last = [&](std::size_t m) { return found.methods[m].frames[1]; };
    EXPECT_LT(last(0).volume_ratio, 0.85);
    EXPECT_NEAR(last(1).volume_ratio, 1.0, 0.03);
    EXPECT_NEAR(last(2).volume_ratio, 1.0, 0.06);
    // Two columns and three rows.
    EXPECT_GT(found.strip.width, 2 * 60);
    EXPECT_GT(found.strip.height, 3 * 80);
}

TEST(SkinComparison, CollisionsAreOfTheFleshAlone) {
    const CharacterMotion fold = turn_elbow(Vec3::UnitX(), 2.2);
    SkinComparisonOptions options{.run = {.settle = 1}, .pictures = 1, .width = 60, .height = 80};
    const SkinComparison through = compare_skinning(comparable_arm(), fold, options);
    options.run.skinning.collisions = SkinCollisions::Global;
    const SkinComparison apart = compare_skinning(comparable_arm(), fold, options);
    EXPECT_EQ(apart.methods[0].frames[0].enclosed, through.methods[0].frames[0].enclosed);
    EXPECT_GT(through.methods[2].frames[0].enclosed, 10);
    EXPECT_LE(apart.methods[2].frames[0].enclosed, 1);
}

TEST(SkinComparison, NothingToShowIsRefused) {
    EXPECT_THROW(compare_skinning(comparable_arm(), turn_elbow(Vec3::UnitX(), 1.0),
                                  {.run = {}, .pictures = 0}),
                 InputError);
}

}  // namespace
}  // namespace sinew
