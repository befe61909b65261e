#include "sinew/base/random.h"
#include "sinew/body/pose_solver.h"
#include "sinew/body/skeleton_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace {

// An arm of a ball and a hinge, hanging.
Skeleton arm() {
    Skeleton skeleton;
    skeleton.segments = {{.name = "trunk"}, {.name = "humerus"}, {.name = "ulna"}};
    skeleton.joints = {{.name = "root", .child = 0, .type = JointType::Free},
                       {.name = "shoulder_l",
                        .parent = 0,
                        .child = 1,
                        .centre = Vec3(0.2, 1.4, 0.0),
                        .type = JointType::Ball},
                       {.name = "elbow_l",
                        .parent = 1,
                        .child = 2,
                        .centre = Vec3(0.2, 1.1, 0.0),
                        .type = JointType::Hinge,
                        .axes = {-Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()}}};
    skeleton.joints[2].limits[0] = {0.0, 2.5};
    return skeleton;
}

TEST(PoseSolver, ClosedFormsTurnABallWhereverItShould) {
    PoseSolver solver(kinematic_model(arm()));
    Random random(Seed{5});
    std::vector<double> q(10, 0.0);
    for (int k = 0; k < 50; ++k) {
        const Mat3 G =
            Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
                .normalized()
                .toRotationMatrix();
        const Mat3 done = solver.turn_joint(1, Mat3::Identity(), G, q);
        EXPECT_LT((done - G).norm(), 1e-9);
        EXPECT_LT((solver.rotation(solver.place(q), 1) - G).norm(), 1e-9);
    }
}

TEST(PoseSolver, AHingeStopsAtItsLimit) {
    PoseSolver solver(kinematic_model(arm()));
    std::vector<double> q(10, 0.0);
    const Mat3 bent = Eigen::AngleAxisd(1.0, -Vec3::UnitX()).toRotationMatrix();
    solver.turn_joint(2, Mat3::Identity(), bent, q);
    EXPECT_NEAR(q[9], 1.0, 1e-9);
    solver.turn_joint(2, Mat3::Identity(), bent.transpose(), q);
    EXPECT_DOUBLE_EQ(q[9], 0.0);
}

TEST(PoseSolver, FindsAnArmThatPointsAsAnotherDid) {
    const MusculoskeletalModel model = kinematic_model(arm());
    PoseSolver solver(model);
    const CarriedPoint shoulder{.body = 1, .rest = Vec3(0.2, 1.4, 0.0)};
    const CarriedPoint elbow{.body = 1, .rest = Vec3(0.2, 1.1, 0.0)};
    const CarriedPoint wrist{.body = 2, .rest = Vec3(0.2, 0.85, 0.0)};
    Random random(Seed{7});
    const std::vector<Index> free = {6, 7, 8, 9};
    for (int k = 0; k < 20; ++k) {
        std::vector<double> q(10, 0.0);
        q[6] = random.uniform(-0.8, 0.8);
        q[7] = random.uniform(-0.8, 0.8);
        q[8] = random.uniform(-0.8, 0.8);
        q[9] = random.uniform(0.2, 2.0);
        const ModelPlacement there = solver.place(q);
        PoseGoals goals;
        const auto add = [&](const CarriedPoint& a, const CarriedPoint& b) {
            const Vec3 d = solver.position(there, b) - solver.position(there, a);
            goals.directions.push_back({.from = a, .to = b, .wanted = d.normalized()});
        };
        add(shoulder, elbow);
        add(elbow, wrist);
        std::vector<double> found(10, 0.0);
        found[9] = 0.3;
        EXPECT_LT(solver.solve(free, goals, found), 1e-8);
        EXPECT_GE(found[9], 0.0);
    }
}

}  // namespace
}  // namespace sinew
