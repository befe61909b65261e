// Forces from outside, and what is left when they do not fit.

#include "sinew/base/error.h"
#include "sinew/io/external_loads_file.h"
#include "sinew/io/motion_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/osim.h"
#include "sinew/motion/ground_contact.h"
#include "sinew/motion/load_wrench.h"
#include "sinew/motion/static_optimisation.h"

#include <Eigen/Geometry>

#include "tests/motion/leg_model.h"
#include "tests/support/shared_data.h"

namespace sinew {
namespace {

using support::leg_model;
using support::leg_motion;

// A pose held still.
MotionTable held(const MusculoskeletalModel& model, const std::vector<double>& q) {
    MotionTable table{.name = "held"};
    for (const Coordinate& c : model.coordinates) {
        table.columns.push_back(c.name);
    }
    for (int r = 0; r < 10; ++r) {
        table.times.push_back(0.01 * r);
        table.values.insert(table.values.end(), q.begin(), q.end());
    }
    return table;
}

ExternalLoads push(Index body, const Vec3& force, const Vec3& point) {
    ExternalLoad load{.name = "push", .body = body, .times = {0.0, 10.0}};
    load.force = {force, force};
    load.point = {point, point};
    return {.loads = {load}};
}

TEST(Loads, AMomentOfAForceIsForceTimesLeverAtEveryJoint) {
    // Standing upright: 100 N forward at the sole, 0.8 m below the hip and 0.4 m below the knee.
    const MusculoskeletalModel model = leg_model();
    const MotionTable still = held(model, {0.0, 0.0, 0.8, 0.0, 0.0});
    const ExternalLoads loads = push(2, Vec3(100.0, 0.0, 0.0), Vec3::Zero());
    const MotionTable with = inverse_dynamics(model, still, 0.0, loads);
    const MotionTable without = inverse_dynamics(model, still, 0.0);
    EXPECT_NEAR(with.at(5, 1) - without.at(5, 1), -100.0, 1e-9);        // the root gives 100 N less
    EXPECT_NEAR(with.at(5, 3) - without.at(5, 3), -100.0 * 0.8, 1e-9);  // about z: x forward
    EXPECT_NEAR(with.at(5, 4) - without.at(5, 4), -100.0 * 0.4, 1e-9);
}

TEST(Loads, FramesOfBodiesAndOfTheGroundSayTheSameLoad) {
    const MusculoskeletalModel model = leg_model();
    const KinematicTree tree(model);
    const ModelPlacement placement = tree.place(std::vector<double>{0.2, 0.1, 0.9, 0.5, -0.7});
    const Placement& T = placement.bodies[2];
    const Vec3 force(3.0, 50.0, -2.0);
    const Vec3 point(0.1, -0.3, 0.02);
    ExternalLoad local{.name = "a",
                       .body = 2,
                       .force_frame = 2,
                       .point_frame = 2,
                       .times = {0.0},
                       .force = {force},
                       .point = {point},
                       .torque = {Vec3(1.0, 2.0, 3.0)}};
    ExternalLoad ground = local;
    ground.force_frame = ground.point_frame = -1;
    ground.force = {T.rotation * force};
    ground.point = {T * point};
    ground.torque = {T.rotation * Vec3(1.0, 2.0, 3.0)};
    std::vector<BodyLoad> a;
    std::vector<BodyLoad> b;
    add_loads_at({.loads = {local}}, placement, 0.0, a);
    add_loads_at({.loads = {ground}}, placement, 0.0, b);
    EXPECT_LT((a[0].force - b[0].force).norm(), 1e-12);
    EXPECT_LT((a[0].moment - b[0].moment).norm(), 1e-12);
    EXPECT_NEAR(a[0].moment.dot(a[0].force), ground.torque[0].dot(ground.force[0]),
                1e-9);  // r x F is normal to F
}

TEST(Loads, BetweenSamplesTheyAreLinearAndBeyondThemNone) {
    const MusculoskeletalModel model = leg_model();
    const ModelPlacement rest = KinematicTree(model).place(rest_coordinates(model));
    ExternalLoad load{.name = "ramp", .body = 2, .times = {0.0, 1.0, 2.0}};
    load.force = {Vec3::Zero(), Vec3(0.0, 10.0, 0.0), Vec3(0.0, 30.0, 0.0)};
    const ExternalLoads loads{.loads = {load}};
    const auto at = [&](double t) {
        std::vector<BodyLoad> out;
        add_loads_at(loads, rest, t, out);
        return out.empty() ? -1.0 : out[0].force.y();
    };
    EXPECT_DOUBLE_EQ(at(0.25), 2.5);
    EXPECT_DOUBLE_EQ(at(1.5), 20.0);
    EXPECT_DOUBLE_EQ(at(2.0), 30.0);
    EXPECT_DOUBLE_EQ(at(2.5), 30.0);  // within a sample of the end
    EXPECT_DOUBLE_EQ(at(3.5), -1.0);
    EXPECT_FALSE(covers_time(loads, 3.5));
}

TEST(Loads, WithoutLoadsTheRootCarriesTheBodyWeightAndSaysSo) {
    const MusculoskeletalModel model = leg_model();
    const MotionTable still = held(model, {0.0, 0.0, 0.8, 0.0, 0.0});
    const double weight = 52.0 * kGravity;
    StaticOptimisation done = optimise_motion(model, still, {.filter = 0.0});
    ASSERT_EQ(done.residuals.size(), 3U);
    EXPECT_EQ(done.residuals[2].coordinate, "ty");
    EXPECT_NEAR(done.residuals[2].peak, weight, 1e-6);
    EXPECT_NEAR(done.residuals[2].share, 1.0, 1e-9);
    EXPECT_EQ(residual_warnings(done.residuals, false).size(), 1U);
    // The ground under the foot takes all of it.
    done = optimise_motion(model, still, {.filter = 0.0}, {},
                           push(2, Vec3(0.0, weight, 0.0), Vec3::Zero()));
    EXPECT_LT(done.residuals[2].peak, 1e-6);
    EXPECT_TRUE(residual_warnings(done.residuals, true).empty());
}

TEST(Loads, AReserveOfOneCoordinateTakesWhatMusclesShouldNot) {
    const MusculoskeletalModel model = leg_model();
    const MotionTable still = held(model, {0.0, 0.0, 0.8, 0.3, -0.6});
    const ExternalLoads loads = push(2, Vec3(30.0, 500.0, 0.0), Vec3(0.1, 0.0, 0.0));
    const StaticOptimisation weak = optimise_motion(model, still, {.filter = 0.0}, {}, loads);
    const StaticOptimisation strong = optimise_motion(
        model, still, {.reserve_for = {{"knee_angle", 1e5}, {"hip_flexion", 1.0}}, .filter = 0.0},
        {}, loads);
    const auto knee = static_cast<std::size_t>(find_column(weak.reserves, "knee_angle_reserve"));
    EXPECT_LT(std::abs(weak.reserves.at(5, knee)), 0.2 * std::abs(weak.moments.at(5, 4)));
    EXPECT_NEAR(strong.reserves.at(5, knee), strong.moments.at(5, 4),
                1e-3 * std::abs(strong.moments.at(5, 4)));
    // No muscle crosses the hip: its reserve does all of it, and is reported since it was named.
    const Index hip = find_column(strong.reserves, "hip_flexion_reserve");
    ASSERT_GE(hip, 0);
    EXPECT_LT(find_column(weak.reserves, "hip_flexion_reserve"), 0);
    EXPECT_DOUBLE_EQ(strong.reserves.at(5, static_cast<std::size_t>(hip)), strong.moments.at(5, 3));
    EXPECT_THROW(optimise_motion(model, still, {.reserve_for = {{"elbow", 1.0}}}), InputError);
}

TEST(Contact, AnEstimateLeavesNoResidualWhileAFootStands) {
    MusculoskeletalModel model = leg_model();
    // Squatting on the spot: the sole stays where it is.
    MotionTable motion{.columns = {"tilt", "tx", "ty", "hip_flexion", "knee_angle"}};
    for (int r = 0; r < 60; ++r) {
        const double t = 0.02 * r;
        const double bend = 0.4 + 0.2 * std::cos(4.0 * t);
        motion.times.push_back(t);
        motion.values.insert(motion.values.end(),
                             {0.0, 0.0, 0.8 * std::cos(bend), bend, -2.0 * bend});
    }
    const ExternalLoads loads = estimate_ground_loads(model, coordinate_motion(model, motion, 0.0));
    ASSERT_EQ(loads.loads.size(), 1U);
    const MotionTable moments = inverse_dynamics(model, motion, 0.0, loads);
    for (std::size_t r = 0; r < moments.times.size(); ++r) {
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_NEAR(moments.at(r, c), 0.0, 1e-6) << r;
        }
        EXPECT_NEAR(loads.loads[0].point[r].y(), loads.loads[0].point[0].y(), 1e-12);
    }
    EXPECT_NE(loads.notes[0].find("estimate"), std::string::npos);
    model.bodies[2].name = "shank";
    EXPECT_THROW(estimate_ground_loads(model, coordinate_motion(model, motion, 0.0)), InputError);
}

struct WalkingTrial : testing::Test {
    void SetUp() override {
        SINEW_NEEDS_SHARED(found, "musculoskeletal/trials/gait10dof18musc");
        folder = found;
        model = read_osim(folder / "subject01.osim");
        motion = read_model_motion(folder / "subject01_walk_IK.mot", model).motion;
        loads = read_external_loads(model, folder / "subject01_walk_grf.xml");
    }
    std::filesystem::path folder;
    MusculoskeletalModel model;
    MotionTable motion;
    ExternalLoads loads;
};

TEST_F(WalkingTrial, JointMomentsWithGroundReactionAreThoseOfOpenSim) {
    const MotionTable reference = read_motion_table(folder / "subject01_walk_ID.sto");
    const MotionTable ours = inverse_dynamics(model, motion, 6.0, loads);
    ASSERT_EQ(ours.times.size(), reference.times.size());
    for (std::size_t c = 0; c < reference.columns.size(); ++c) {
        const auto column = static_cast<std::size_t>(find_column(ours, reference.columns[c]));
        double sum = 0.0;
        double peak = 0.0;
        for (std::size_t r = 0; r < ours.times.size(); ++r) {
            sum += std::pow(ours.at(r, column) - reference.at(r, c), 2);
            peak = std::max(peak, std::abs(reference.at(r, c)));
        }
        EXPECT_LT(std::sqrt(sum / static_cast<double>(ours.times.size())), 1e-3 * peak)
            << reference.columns[c];
    }
}

TEST_F(WalkingTrial, CalfPushesOffAndVastiCatchTheLanding) {
    // Late stance of the right leg ends at 1.40 s, early stance begins at 0.65 s (its force plate).
    const StaticOptimisation done = optimise_motion(model, motion, {}, {}, loads);
    EXPECT_EQ(done.unsolved_frames, 0);
    const auto peak_time = [&](const char* name, double from, double to) {
        const auto c = static_cast<std::size_t>(find_column(done.forces, name));
        std::pair<double, double> best = {0.0, 0.0};
        for (std::size_t r = 0; r < done.forces.times.size(); ++r) {
            const double t = done.forces.times[r];
            if (t >= from && t <= to) {
                best = std::max(best, {done.forces.at(r, c), t});
            }
        }
        return best;
    };
    const auto soleus = peak_time("soleus_r", 0.65, 1.45);
    const auto gastroc = peak_time("gastroc_r", 0.65, 1.45);
    const auto vasti = peak_time("vasti_r", 0.65, 1.25);
    EXPECT_GT(soleus.second, 1.1);
    EXPECT_GT(gastroc.second, 1.1);
    EXPECT_GT(gastroc.first, 1000.0);  // N
    EXPECT_LT(vasti.second, 0.95);
    EXPECT_GT(vasti.first, 300.0);  // N
}

TEST_F(WalkingTrial, AnEstimatedGroundReactionIsNearTheMeasuredOne) {
    const ExternalLoads guess = estimate_ground_loads(model, coordinate_motion(model, motion, 6.0));
    ASSERT_EQ(guess.loads.size(), 2U);
    const ModelPlacement rest = KinematicTree(model).place(rest_coordinates(model));
    double sum = 0.0;
    for (const double time : motion.times) {
        std::vector<BodyLoad> a;
        std::vector<BodyLoad> b;
        add_loads_at(loads, rest, time, a);
        add_loads_at(guess, rest, time, b);
        for (std::size_t k = 0; k < 2; ++k) {
            sum += std::pow(a[k].force.y() - b[k].force.y(), 2);
        }
    }
    // 38 N, 5 % of the body weight, when this was written.
    EXPECT_LT(std::sqrt(sum / (2.0 * static_cast<double>(motion.times.size()))), 60.0);
}

}  // namespace
}  // namespace sinew
