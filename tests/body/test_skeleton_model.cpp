#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/body/kinematics.h"
#include "sinew/body/skeleton_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace {

Skeleton leg() {
    Skeleton skeleton;
    skeleton.segments = {{.name = "pelvis"}, {.name = "femur"}, {.name = "tibia"}, {.name = "cap"}};
    skeleton.joints = {
        {.name = "root", .child = 0, .centre = Vec3(0, 0.9, 0), .type = JointType::Free},
        {.name = "hip_l",
         .parent = 0,
         .child = 1,
         .centre = Vec3(0.1, 0.9, 0),
         .type = JointType::Ball},
        {.name = "knee_l",
         .parent = 1,
         .child = 2,
         .centre = Vec3(0.1, 0.5, 0),
         .type = JointType::Hinge},
        {.name = "patellofemoral_l",
         .parent = 1,
         .child = 3,
         .centre = Vec3(0.1, 0.5, 0),
         .type = JointType::Hinge}};
    skeleton.joints[1].motions = {"flexion", "abduction", ""};
    skeleton.joints[2].motions[0] = "flexion";
    skeleton.joints[2].limits[0] = {0.0, 2.0};
    skeleton.joints[3].motions[0] = "knee_flexion";
    skeleton.joints[3].limits[0] = {0.0, 1.5};
    return skeleton;
}

Pose random_pose(const Skeleton& skeleton) {
    Random random(Seed{2});
    Pose pose = rest_pose(skeleton);
    for (double& q : pose.coordinates) {
        q = random.uniform(0.0, 0.9);
    }
    pose.coordinates[10] = 0.75 * pose.coordinates[9];  // the kneecap goes with the knee
    return pose;
}

TEST(KinematicModel, PlacesSegmentsWhereThePoseDoes) {
    const Skeleton skeleton = leg();
    const Pose pose = random_pose(skeleton);
    const MusculoskeletalModel model = kinematic_model(skeleton);
    ASSERT_EQ(model.coordinates.size(), pose.coordinates.size());
    EXPECT_EQ(model.coordinates[9].name, "knee_l_flexion");
    EXPECT_EQ(model.coordinates[0].name, "root_tx");
    EXPECT_EQ(model.coordinates[8].name, "hip_l_2");
    const ModelPlacement placed = KinematicTree(model).place(pose.coordinates);
    const std::vector<Eigen::Isometry3d> expected = segment_motions(skeleton, pose);
    for (std::size_t s = 0; s < expected.size(); ++s) {
        EXPECT_LT((placed.bodies[s].rotation - expected[s].linear()).norm(), 1e-12);
        EXPECT_LT((placed.bodies[s].position - expected[s].translation()).norm(), 1e-12);
    }
}

// What coordinates that changed carry is placed anew, the rest stands: bit for bit as all at once.
TEST(KinematicModel, UpdatesPlaceAsAllAtOnceDoes) {
    const Skeleton skeleton = leg();
    const KinematicTree tree(kinematic_model(skeleton));
    std::vector<double> q = random_pose(skeleton).coordinates;
    ModelPlacement updated = tree.place(q);
    for (std::size_t c = 0; c < q.size(); ++c) {
        q[c] += 0.05;
        tree.update(q, updated);
        const ModelPlacement whole = tree.place(q);
        for (std::size_t b = 0; b < whole.bodies.size(); ++b) {
            EXPECT_EQ(updated.bodies[b].rotation, whole.bodies[b].rotation) << c;
            EXPECT_EQ(updated.bodies[b].position, whole.bodies[b].position) << c;
        }
        for (std::size_t d = 0; d < whole.columns.size(); ++d) {
            EXPECT_EQ(updated.columns[d].angular, whole.columns[d].angular) << c;
            EXPECT_EQ(updated.columns[d].linear, whole.columns[d].linear) << c;
        }
    }
    // A body that is not wanted stays where it was.
    const Vec3 before = updated.bodies.back().position;
    std::vector<char> wanted(tree.body_count(), 1);
    wanted.back() = 0;
    q[0] += 1.0;
    tree.update(q, updated, wanted);
    EXPECT_EQ(updated.bodies.back().position, before);
    EXPECT_EQ(updated.bodies.front().position, tree.place(q).bodies.front().position);
}

TEST(KinematicModel, ACharactersPlacementsAreItsPose) {
    CharacterSkeleton skeleton;
    skeleton.joints = {{.name = "a", .parent = -1, .position = Vec3(0, 1, 0)},
                       {.name = "b", .parent = 0, .position = Vec3(0, 0.5, 0.1)}};
    const MusculoskeletalModel model = kinematic_model(skeleton);
    const std::vector<double> q = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
    const ModelPlacement placed = KinematicTree(model).place(q);
    JointRotations key{.shift = Vec3(0.1, 0.2, 0.3)};
    key.rotations = {Eigen::Quaterniond(rotation_from_xyz(Vec3(0.4, 0.5, 0.6))),
                     Eigen::Quaterniond(rotation_from_xyz(Vec3(0.7, 0.8, 0.9)))};
    const CharacterPose pose = pose_of(skeleton, key);
    for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_LT((placed.bodies[j].rotation - pose[j].linear()).norm(), 1e-12);
        EXPECT_LT((placed.bodies[j].position - pose[j].translation()).norm(), 1e-12);
    }
}

TEST(ModelCoordinates, APoseBecomesCoordinatesOfAModelAndComesBack) {
    const Skeleton skeleton = leg();
    const Pose pose = random_pose(skeleton);
    MusculoskeletalModel model = kinematic_model(skeleton);
    std::swap(model.coordinates[6], model.coordinates[9]);  // any order: names count
    for (CoordinateCoupler& coupler : model.couplers) {
        coupler.independent = 6;
    }
    const std::vector<double> q = model_coordinates(model, skeleton, pose);
    EXPECT_DOUBLE_EQ(q[6], pose.coordinates[9]);
    const Pose back = pose_from_model(skeleton, model, q);
    for (std::size_t i = 0; i < pose.coordinates.size(); ++i) {
        EXPECT_NEAR(back.coordinates[i], pose.coordinates[i], 1e-12) << i;
    }
}

TEST(ModelCoordinates, TablesOfPosesComeBackAndOthersAreRefused) {
    const Skeleton skeleton = leg();
    const std::vector<Pose> poses = {rest_pose(skeleton), random_pose(skeleton)};
    const std::vector<double> times = {0.0, 0.5};
    MotionTable table = table_of_poses(skeleton, times, poses);
    EXPECT_EQ(poses_from_table(skeleton, table)[1].coordinates, poses[1].coordinates);
    // Angles in degrees, lengths in metres.
    table.in_degrees = true;
    const Pose pose = poses_from_table(skeleton, table)[1];
    EXPECT_DOUBLE_EQ(pose.coordinates[0], poses[1].coordinates[0]);
    EXPECT_NEAR(pose.coordinates[9], poses[1].coordinates[9] * M_PI / 180.0, 1e-15);
    table.columns.assign(table.columns.size(), "x");
    EXPECT_THROW(poses_from_table(skeleton, table), InputError);
}

TEST(ModelCoordinates, PosesAsRotationsOfJointsMoveSegmentsAlike) {
    const Skeleton skeleton = leg();
    const Pose pose = random_pose(skeleton);
    const std::vector<double> times = {0.0};
    const CharacterMotion motion = motion_of(skeleton, times, std::span(&pose, 1));
    const CharacterPose moved = pose_of(skeleton_of(skeleton), motion.keys[0]);
    const std::vector<Eigen::Isometry3d> expected = segment_motions(skeleton, pose);
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        const auto s = static_cast<std::size_t>(skeleton.joints[j].child);
        EXPECT_LT((moved[j].matrix() - expected[s].matrix()).norm(), 1e-12);
    }
}

}  // namespace
}  // namespace sinew
