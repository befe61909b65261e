// Ligaments, stops, springs and bushings: closed forms, derivatives of their energies, what inverse
// dynamics makes of them, and what MuJoCo makes of the file written from them.

#include "sinew/body/kinematics.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/osim.h"
#include "sinew/motion/model_scaling.h"
#include "sinew/motion/passive_forces.h"
#include "sinew/motion/rigid_dynamics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

constexpr double kStep = 1e-6;

// Two bodies: a ball joint on the ground, and a free joint beyond it.
MusculoskeletalModel two_bodies() {
    MusculoskeletalModel model;
    model.name = "two";
    for (const char* name : {"arm", "hand"}) {
        RigidBody body{.name = name, .mass = 2.0, .com = Vec3(0.05, -0.2, 0.02)};
        body.inertia = Vec3(0.02, 0.03, 0.04).asDiagonal();
        model.bodies.push_back(body);
    }
    ModelJoint ball{.name = "ball", .kind = JointKind::Ball, .parent = -1, .child = 0};
    ball.axes = standard_axes(JointKind::Ball, 0);
    ModelJoint free{.name = "free", .kind = JointKind::Free, .parent = 0, .child = 1};
    free.axes = standard_axes(JointKind::Free, 3);
    free.parent_frame.position = Vec3(0.0, -0.4, 0.0);
    model.joints = {ball, free};
    for (int c = 0; c < 9; ++c) {
        model.coordinates.push_back({.name = fmt::format("q{}", c),
                                     .joint = c < 3 ? 0 : 1,
                                     .is_rotation = c < 6,
                                     .low = -1.0,
                                     .high = 1.0});
    }
    return model;
}

const std::vector<double> kPose = {0.3, -0.2, 0.5, 0.2, 0.4, -0.3, 0.02, -0.03, 0.05};

Ligament band(Ligament::Law law) {
    Ligament out{.name = "band", .law = law, .slack = 0.2, .force = 500.0};
    PathPoint a{.name = "a", .anchors = {{-1, Vec3(0.1, 0.1, 0.0)}}};
    PathPoint b{.name = "b", .anchors = {{0, Vec3(0.05, -0.3, 0.0)}}};
    PathPoint c{.name = "c", .anchors = {{1, Vec3(0.02, -0.1, 0.03)}}};
    out.points = {a, b, c};
    out.curve.kind = ScalarFunction::Kind::Polynomial;
    out.curve.coefficients = {1.0, -2.0, 1.0};  // (x - 1)^2
    return out;
}

// Energy of a stretched band, by Simpson's rule over its length.
double band_energy(const Ligament& ligament, double length) {
    constexpr int kPieces = 2000;
    const double h = (length - ligament.slack) / kPieces;
    double sum = 0.0;
    for (int i = 0; i < kPieces; ++i) {
        const double l = ligament.slack + i * h;
        sum += h / 6.0 *
               (ligament_tension(ligament, l, 0.0) +
                4.0 * ligament_tension(ligament, l + 0.5 * h, 0.0) +
                ligament_tension(ligament, l + h, 0.0));
    }
    return sum;
}

std::vector<double> moments_of(const MusculoskeletalModel& model, const std::vector<double>& q,
                               const std::vector<double>& speed = std::vector<double>(9, 0.0)) {
    const KinematicTree tree(model);
    std::vector<double> out(q.size(), 0.0);
    PassiveForces(model, tree).add_moments(tree.place(q), speed, out);
    return out;
}

TEST(PassiveForces, Blankevoort1991LigamentHasAToeAndALine) {
    Ligament l{.name = "l", .law = Ligament::Law::Toe, .slack = 0.1, .force = 2000.0, .toe = 0.06};
    EXPECT_EQ(ligament_tension(l, 0.099, 0.0), 0.0);
    EXPECT_NEAR(ligament_tension(l, 0.103, 0.0), 0.5 * 2000.0 * 0.03 * 0.03 / 0.06, 1e-9);
    EXPECT_NEAR(ligament_tension(l, 0.106, 0.0), 2000.0 * 0.03, 1e-9);
    EXPECT_NEAR(ligament_tension(l, 0.110, 0.0), 2000.0 * (0.10 - 0.03), 1e-9);
    // Damping acts while it lengthens and is stretched.
    l.damping = 5.0;
    EXPECT_NEAR(ligament_tension(l, 0.110, 0.02), 2000.0 * 0.07 + 5.0 * 0.2, 1e-9);
    EXPECT_NEAR(ligament_tension(l, 0.110, -0.02), 2000.0 * 0.07, 1e-9);
}

TEST(PassiveForces, LimitForceIsOpenSimsCoordinateLimitForce) {
    // OpenSim: upper 40 N m/deg from 90 deg, transition 10 deg.
    const double deg = std::numbers::pi / 180.0;
    const CoordinateLimit limit{.name = "l",
                                .low = -10.0 * deg,
                                .high = 90.0 * deg,
                                .low_stiffness = 20.0 / deg,
                                .high_stiffness = 40.0 / deg,
                                .transition = 10.0 * deg,
                                .damping = 2.0};
    EXPECT_EQ(limit_force(limit, 45.0 * deg, 1.0), 0.0);
    EXPECT_NEAR(limit_force(limit, 105.0 * deg, 0.0), -40.0 * 15.0, 1e-9);
    // Half of the transition: Simbody's step is 1/2 there.
    EXPECT_NEAR(limit_force(limit, 95.0 * deg, 0.0), -0.5 * 40.0 * 5.0, 1e-9);
    EXPECT_NEAR(limit_force(limit, -30.0 * deg, 0.0), 20.0 * 20.0, 1e-9);
    EXPECT_NEAR(limit_force(limit, 105.0 * deg, 3.0), -40.0 * 15.0 - 2.0 * 3.0, 1e-9);
}

TEST(PassiveForces, MomentsOfLigamentsAreGradientsOfTheirEnergy) {
    for (const Ligament::Law law :
         {Ligament::Law::Curve, Ligament::Law::Toe, Ligament::Law::Spring}) {
        MusculoskeletalModel model = two_bodies();
        model.ligaments = {band(law)};
        const KinematicTree tree(model);
        const MusclePaths paths(ligaments_as_muscles(model), tree);
        const auto energy = [&](const std::vector<double>& q) {
            return band_energy(model.ligaments[0], paths.evaluate(tree.place(q)).length[0]);
        };
        const std::vector<double> moments = moments_of(model, kPose);
        double largest = 0.0;
        for (std::size_t c = 0; c < kPose.size(); ++c) {
            std::vector<double> up = kPose;
            std::vector<double> down = kPose;
            up[c] += kStep;
            down[c] -= kStep;
            EXPECT_NEAR(moments[c], -(energy(up) - energy(down)) / (2.0 * kStep), 1e-4);
            largest = std::max(largest, std::abs(moments[c]));
        }
        EXPECT_GT(largest, 1.0);
    }
}

TEST(PassiveForces, BushingMomentsAreGradientsOfItsEnergy) {
    MusculoskeletalModel model = two_bodies();
    Bushing bushing{.name = "b", .first = 0, .second = 1};
    bushing.first_frame = {rotation_from_xyz(Vec3(0.2, 0.1, -0.3)), Vec3(0.0, -0.35, 0.01)};
    bushing.second_frame = {rotation_from_xyz(Vec3(-0.1, 0.3, 0.2)), Vec3(0.02, 0.03, 0.0)};
    bushing.turning_stiffness = Vec3(10.0, 20.0, 30.0);
    bushing.shift_stiffness = Vec3(1000.0, 2000.0, 3000.0);
    model.bushings = {bushing};
    const KinematicTree tree(model);
    const auto energy = [&](const std::vector<double>& q) {
        const ModelPlacement p = tree.place(q);
        const Placement FM =
            (p.bodies[0] * bushing.first_frame).inverse() * (p.bodies[1] * bushing.second_frame);
        const Vec3 angles = xyz_from_rotation(FM.rotation);
        return 0.5 * bushing.turning_stiffness.dot(angles.cwiseAbs2()) +
               0.5 * bushing.shift_stiffness.dot(FM.position.cwiseAbs2());
    };
    const std::vector<double> moments = moments_of(model, kPose);
    for (std::size_t c = 0; c < kPose.size(); ++c) {
        std::vector<double> up = kPose;
        std::vector<double> down = kPose;
        up[c] += kStep;
        down[c] -= kStep;
        EXPECT_NEAR(moments[c], -(energy(up) - energy(down)) / (2.0 * kStep), 1e-5) << c;
    }
    // Within the two bodies force and moment cancel.
    std::vector<BodyLoad> loads;
    PassiveForces(model, tree).add_loads(tree.place(kPose), std::vector<double>(9, 0.0), loads);
    ASSERT_EQ(loads.size(), 2U);
    EXPECT_LT((loads[0].force + loads[1].force).norm(), 1e-12);
    EXPECT_LT((loads[0].moment + loads[1].moment).norm(), 1e-12);
    EXPECT_GT(loads[0].force.norm(), 1.0);
}

TEST(PassiveForces, DampersOfABushingTakePower) {
    MusculoskeletalModel model = two_bodies();
    Bushing bushing{.name = "b", .first = 0, .second = 1};
    bushing.turning_damping = Vec3(1.0, 2.0, 3.0);
    bushing.shift_damping = Vec3(10.0, 20.0, 30.0);
    model.bushings = {bushing};
    const KinematicTree tree(model);
    const std::vector<double> speed = {0.0, 0.0, 0.0, 0.4, -0.3, 0.2, 0.1, 0.2, -0.1};
    const std::vector<double> moments = moments_of(model, kPose, speed);
    // Power is minus the sum of d x'^2 over the six numbers, here by differences in time.
    const auto numbers = [&](double t) {
        std::vector<double> q = kPose;
        for (std::size_t c = 0; c < q.size(); ++c) {
            q[c] += t * speed[c];
        }
        const ModelPlacement p = tree.place(q);
        const Placement FM = p.bodies[0].inverse() * p.bodies[1];
        return std::pair(xyz_from_rotation(FM.rotation), FM.position);
    };
    const auto [angles, place] = numbers(kStep);
    const auto [angles_before, place_before] = numbers(-kStep);
    const Vec3 turning = (angles - angles_before) / (2.0 * kStep);
    const Vec3 shift = (place - place_before) / (2.0 * kStep);
    double power = 0.0;
    for (std::size_t c = 0; c < speed.size(); ++c) {
        power += moments[c] * speed[c];
    }
    EXPECT_NEAR(power,
                -bushing.turning_damping.dot(turning.cwiseAbs2()) -
                    bushing.shift_damping.dot(shift.cwiseAbs2()),
                1e-6);
}

TEST(PassiveForces, InverseDynamicsLeavesToMusclesWhatSpringsDoNotCarry) {
    MusculoskeletalModel model = two_bodies();
    const KinematicTree tree(model);
    const std::vector<double> still(9, 0.0);
    const std::vector<double> alone =
        RigidDynamics(model, tree).inverse(tree.place(kPose), still, still);
    model.springs = {{.name = "s", .coordinate = 2, .rest = 0.1, .stiffness = 7.0}};
    model.ligaments = {band(Ligament::Law::Toe)};
    const RigidDynamics dynamics(model, tree);
    const std::vector<double> with = dynamics.inverse(tree.place(kPose), still, still);
    const std::vector<double> given = moments_of(model, kPose);
    for (std::size_t c = 0; c < with.size(); ++c) {
        EXPECT_NEAR(with[c], alone[c] - given[c], 1e-10);
    }
    EXPECT_GT(std::abs(given[2]), 0.1);
    // A joint that a ligament bridges carries less by its pull.
    const std::vector<JointLoad> loads = dynamics.joint_loads(tree.place(kPose), still, still);
    MusculoskeletalModel bare = two_bodies();
    const std::vector<JointLoad> before =
        RigidDynamics(bare, tree).joint_loads(tree.place(kPose), still, still);
    EXPECT_GT((loads[0].force - before[0].force).norm(), 1.0);
}

TEST(PassiveForces, MujocoPullsWithTheLigamentsAndStopsThatAreWritten) {
    MusculoskeletalModel model = two_bodies();
    model.joints.pop_back();
    model.bodies.pop_back();
    model.coordinates.resize(3);
    Ligament toe{.name = "toe", .law = Ligament::Law::Toe, .slack = 0.2, .force = 800.0};
    toe.points = {{.name = "a", .anchors = {{-1, Vec3(0.1, 0.1, 0.0)}}},
                  {.name = "b", .anchors = {{0, Vec3(0.05, -0.1, 0.02)}}}};
    model.ligaments = {toe};
    model.limits = {{.name = "stop",
                     .coordinate = 2,
                     .low = -0.4,
                     .high = 0.2,
                     .low_stiffness = 50.0,
                     .high_stiffness = 90.0,
                     .transition = 0.02}};
    model.springs = {{.name = "s", .coordinate = 0, .rest = 0.1, .stiffness = 3.0}};
    model.gravity = Vec3::Zero();
    const support::TemporaryFolder folder;
    write_mjcf(folder.path() / "m.xml", model);
    char error[1000] = "";
    const std::unique_ptr<mjModel, void (*)(mjModel*)> m(
        mj_loadXML((folder.path() / "m.xml").c_str(), nullptr, error, 1000), mj_deleteModel);
    ASSERT_NE(m, nullptr) << error;
    const std::unique_ptr<mjData, void (*)(mjData*)> d(mj_makeData(m.get()), mj_deleteData);
    for (const std::vector<double>& q :
         {std::vector<double>{0.3, -0.2, 0.5}, {-0.4, 0.1, -0.7}, {0.1, 0.3, 0.1}}) {
        for (int c = 0; c < 3; ++c) {
            d->qpos[c] = q[static_cast<std::size_t>(c)];
            d->qvel[c] = 0.0;
        }
        std::fill(d->act, d->act + m->na, 0.0);
        mj_forward(m.get(), d.get());
        const KinematicTree tree(model);
        std::vector<double> ours(3, 0.0);
        PassiveForces(model, tree).add_moments(tree.place(q), std::vector<double>(3, 0.0), ours);
        for (int c = 0; c < 3; ++c) {
            const double theirs = d->qfrc_actuator[c] + d->qfrc_passive[c];
            // A stop's smooth step becomes a parabola: k x against k (x - toe / 2).
            const double slack = c == 2 ? 90.0 * 0.01 + 1e-6 : 1e-6;
            EXPECT_NEAR(theirs, ours[static_cast<std::size_t>(c)], slack) << c;
        }
    }
    // And come back from the file.
    const MusculoskeletalModel back = read_mjcf(folder.path() / "m.xml");
    ASSERT_EQ(back.ligaments.size(), 1U);
    EXPECT_NEAR(back.ligaments[0].slack, 0.2, 1e-9);
    EXPECT_NEAR(back.ligaments[0].force, 800.0, 1e-6);
    EXPECT_NEAR(back.ligaments[0].toe, 0.06, 1e-9);
    ASSERT_EQ(back.limits.size(), 1U);
    EXPECT_NEAR(back.limits[0].high, 0.2, 1e-9);
    EXPECT_NEAR(back.limits[0].low, -0.4, 1e-9);
    EXPECT_NEAR(back.limits[0].high_stiffness, 90.0, 1e-6);
    EXPECT_TRUE(back.muscles.empty());
}

TEST(PassiveForces, ScalingKeepsTheStrainOfLigaments) {
    MusculoskeletalModel model = two_bodies();
    model.ligaments = {band(Ligament::Law::Toe)};
    const std::vector<Vec3> factors(2, Vec3::Constant(1.5));
    const MusculoskeletalModel scaled = scaled_model(model, factors, 0.0);
    const auto strain = [](const MusculoskeletalModel& m) {
        const KinematicTree tree(m);
        return MusclePaths(ligaments_as_muscles(m), tree)
                   .evaluate(tree.place(rest_coordinates(m)))
                   .length[0] /
               m.ligaments[0].slack;
    };
    EXPECT_NEAR(strain(scaled), strain(model), 1e-12);
    EXPECT_GT(scaled.ligaments[0].slack, 1.1 * model.ligaments[0].slack);
}

}  // namespace
}  // namespace sinew
