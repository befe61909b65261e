#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/base/units.h"
#include "sinew/io/mass_files.h"
#include "sinew/motion/ball_frame.h"
#include "sinew/motion/model_equivalence.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/musculature_retargeting.h"
#include "sinew/motion/range_editing.h"
#include "sinew/solver/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/shared_data.h"
#include "tests/support/walker_model.h"

namespace sinew {
namespace {

using support::walker_model;

BodyProportions long_legs(double elongation, double torsion = 0.0) {
    BodyProportions to;
    to.femur = {.elongation = elongation, .torsion = torsion};
    to.tibia = {.elongation = elongation};
    return to;
}

// The walker with maximal lengths that just allow ordinary poses, so that muscles bound its range.
MusculoskeletalModel bounded_walker() {
    MusculoskeletalModel model = walker_model();
    std::vector<std::vector<double>> poses = {rest_coordinates(model)};
    const auto pose = [&](double hip, double knee, double ankle) {
        std::vector<double> q = rest_coordinates(model);
        for (const char* side : {"L", "R"}) {
            q[at(find_coordinate(model, std::string("Femur") + side + "_rx"))] = hip;
            q[at(find_coordinate(model, std::string("Tibia") + side))] = knee;
            q[at(find_coordinate(model, std::string("Talus") + side + "_rx"))] = ankle;
        }
        poses.push_back(q);
    };
    pose(-1.2, 0.3, 0.3);
    pose(0.4, 0.0, -0.4);
    pose(-1.0, 1.9, -0.3);
    allow_poses(model, poses);
    return model;
}

TEST(LeastSquares, FindsTheMinimumOfRosenbrocksValley) {
    const auto residuals = [](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
        r = Eigen::Vector2d(10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]);
        if (J != nullptr) {
            J->resize(2, 2);
            *J << -20.0 * x[0], 10.0, -1.0, 0.0;
        }
    };
    const LeastSquaresResult found =
        minimise_squares(residuals, Eigen::Vector2d(-1.2, 1.0), {.max_iterations = 200});
    EXPECT_LT((found.x - Eigen::Vector2d(1.0, 1.0)).norm(), 1e-6);
    EXPECT_LT(found.energy, found.energy_before);
}

// [Ryu2021, eqs. 6-8] with all our terms: derivatives against central differences, away from the
// start, with torsion.
TEST(MuscleRouting, Ryu2021Equation6HasExactDerivatives) {
    const MusculoskeletalModel reference = walker_model();
    const BodyProportions to = long_legs(1.6, 20.0);
    MusculoskeletalModel model = proportioned_model(reference, to);
    anchor_waypoints(model);
    const ProportionedBodies bodies = proportioned_bodies(reference, to);
    std::vector<double> worst(model.muscles.size(), -1.0);
    for_each_routing(model, reference, bodies.warps, joint_motions(reference), {},
                     [&](std::size_t m, const RoutingEnergy& energy) {
                         Eigen::VectorXd x = energy.start();
                         for (Eigen::Index i = 0; i < x.size(); ++i) {
                             x[i] += 0.01 * std::sin(3.0 * static_cast<double>(i) + 1.0);
                         }
                         Eigen::VectorXd r;
                         Eigen::MatrixXd J;
                         energy.residuals(x, r, &J);
                         constexpr double kStep = 1e-6;
                         double largest = 0.0;
                         for (Eigen::Index i = 0; i < x.size(); ++i) {
                             Eigen::VectorXd up;
                             Eigen::VectorXd down;
                             Eigen::VectorXd y = x;
                             y[i] = x[i] + kStep;
                             energy.residuals(y, up, nullptr);
                             y[i] = x[i] - kStep;
                             energy.residuals(y, down, nullptr);
                             const Eigen::VectorXd slope = (up - down) / (2.0 * kStep);
                             largest = std::max(largest, (slope - J.col(i)).cwiseAbs().maxCoeff() /
                                                             (1.0 + J.cwiseAbs().maxCoeff()));
                         }
                         worst[m] = energy.motion_count() > 0 ? largest : -2.0;
                     });
    for (std::size_t m = 0; m < worst.size(); ++m) {
        EXPECT_GE(worst[m], 0.0) << model.muscles[m].name << " takes part in no motion";
        EXPECT_LT(worst[m], 1e-6) << model.muscles[m].name;
    }
}

// In its own body a muscle has nothing to gain: no energy, no motion of points.
TEST(MuscleRouting, TheReferenceHasNoEnergyAndStays) {
    const MusculoskeletalModel reference = walker_model();
    MusculoskeletalModel model = reference;
    const std::vector<BodyWarp> same(model.bodies.size());
    const auto routes = route_muscles(model, reference, same, joint_motions(reference));
    for (std::size_t m = 0; m < routes.size(); ++m) {
        EXPECT_TRUE(routes[m].is_routed);
        EXPECT_LT(routes[m].before.waypoint({}), 1e-20) << model.muscles[m].name;
        EXPECT_LT(routes[m].farthest_move, 1e-9) << model.muscles[m].name;
    }
}

// Uniform growth keeps directions and relative lengths, so it costs nothing either.
TEST(MuscleRouting, UniformGrowthCostsNothing) {
    const MusculoskeletalModel reference = walker_model();
    std::vector<BodyWarp> twice(reference.bodies.size(), BodyWarp::scaling(Vec3::Constant(2.0)));
    const std::vector<double> masses(reference.bodies.size(), 8.0);
    MusculoskeletalModel model = warped_model(reference, twice, masses);
    const auto routes = route_muscles(model, reference, twice, joint_motions(reference));
    for (std::size_t m = 0; m < routes.size(); ++m) {
        EXPECT_LT(routes[m].before.waypoint({}), 1e-18) << model.muscles[m].name;
    }
}

TEST(MuscleRouting, LongLegsGetLowerEnergies) {
    const MusculoskeletalModel reference = walker_model();
    const RetargetedMusculature out = retarget_musculature(reference, long_legs(2.5, 10.0));
    for (const RoutedMuscle& route : out.routes) {
        EXPECT_LT(route.after.waypoint({}), route.before.waypoint({}));
        EXPECT_LT(route.farthest_move, 0.3);
    }
}

TEST(MuscleRouting, WrappedMusclesKeepTheirPaths) {
    MusculoskeletalModel reference = walker_model();
    reference.wraps.push_back(
        {.name = "knee", .body = 2, .kind = WrapKind::Sphere, .size = Vec3::Constant(0.02)});
    reference.muscles[0].wraps.push_back({.object = 0});
    const RetargetedMusculature out = retarget_musculature(reference, long_legs(1.5));
    EXPECT_FALSE(out.routes[0].is_routed);
    EXPECT_TRUE(out.routes[1].is_routed);
    for (std::size_t k = 0; k < reference.muscles[0].points.size(); ++k) {
        EXPECT_EQ(out.model.muscles[0].points[k].anchors[0].position,
                  out.naive.muscles[0].points[k].anchors[0].position);
    }
}

// [Ryu2021, 4.2]: all poses of the set are valid, and some muscle just allows one.
TEST(MaximalLengths, PosesOfTheSetAreValid) {
    const MusculoskeletalModel model = bounded_walker();
    std::vector<double> q = rest_coordinates(model);
    RangeOfMotion range(model);
    EXPECT_TRUE(range.is_valid(q));
    q[at(find_coordinate(model, "FemurL_rx"))] = -1.2;
    q[at(find_coordinate(model, "TibiaL"))] = 0.3;
    EXPECT_TRUE(range.is_valid(q));
    q[at(find_coordinate(model, "FemurL_rx"))] = -1.5;
    q[at(find_coordinate(model, "TibiaL"))] = 0.0;
    EXPECT_FALSE(range.is_valid(q));  // the hamstring
}

TEST(MaximalLengths, SameBodySameRange) {
    const MusculoskeletalModel reference = bounded_walker();
    MusculoskeletalModel model = reference;
    for (MuscleUnit& unit : model.muscles) {
        set_longest_length(unit, 2.0 * longest_length(unit));
    }
    EXPECT_GT(
        range_differences(reference, model)[0].error + range_differences(reference, model)[1].error,
        0.1);
    keep_range_of_motion(model, reference);
    for (const RangeDifference& d : range_differences(reference, model)) {
        EXPECT_LT(d.error, 0.005) << d.joint;
    }
}

// [Ryu2021, 4.3]: no change keeps every pose; a narrower cone allows less, as wished.
TEST(RangeEditing, LengthsFollowTheWishedCone) {
    const MusculoskeletalModel model = bounded_walker();
    const auto hip = at(model.coordinates[at(find_coordinate(model, "FemurL_rx"))].joint);
    const EditedRange same = edit_range(model, hip, {});
    EXPECT_LT(same.error, 1e-3);
    const EditedRange narrow = edit_range(model, hip, {.width = 0.7});
    EXPECT_LT(narrow.valid_wished, 0.9 * narrow.valid_before);
    EXPECT_LT(narrow.error, 0.35 * (narrow.valid_before - narrow.valid_wished));
    // Muscles of the other leg do not cross the joint and stay.
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        if (model.muscles[m].name.ends_with("R") || model.muscles[m].name.starts_with("R")) {
            EXPECT_EQ(narrow.model.muscles[m].fibre, model.muscles[m].fibre);
        }
    }
}

// A knee that one muscle bounds at the end of its flexion ends as many degrees earlier as asked.
// (Beyond 1.95 rad the walker's vastus shortens again, so its knee is not asked that far.)
TEST(RangeEditing, AHingesIntervalIsShifted) {
    MusculoskeletalModel model = bounded_walker();
    const Index knee = find_coordinate(model, "TibiaL");
    model.coordinates[at(knee)].high = 1.7;
    const CoordinateRange before = coordinate_range(model, knee);
    ASSERT_FALSE(before.high_muscle.empty());
    const EditedRange edited =
        edit_range(model, at(model.coordinates[at(knee)].joint), {.shift = -10.0});
    const CoordinateRange after = coordinate_range(edited.model, knee);
    EXPECT_NEAR(after.high, before.high - 10.0 * kPi / 180.0, kPi / 180.0);
    EXPECT_LT(edited.error, 0.02);
}

// C_i(q) of the model's own coordinates [Ryu2021, 4.1].
TEST(RangeOfMotion, ClampedCoordinatesBoundPosesWhenAsked) {
    MusculoskeletalModel model = bounded_walker();
    const Index knee = find_coordinate(model, "TibiaL");
    model.coordinates[at(knee)].is_clamped = true;
    std::vector<double> q = rest_coordinates(model);
    q[at(knee)] = model.coordinates[at(knee)].low - 0.05;
    EXPECT_TRUE(RangeOfMotion(model).is_valid(q));
    EXPECT_FALSE(RangeOfMotion(model, {.has_coordinates = true}).is_valid(q));
}

// A reference that allows few poses: each of its muscles alone may forbid them all in the fit, and
// then no other can mend it.
TEST(MaximalLengths, ANarrowRangeIsNotForbiddenAsAWhole) {
    MusculoskeletalModel reference = walker_model();
    std::vector<std::vector<double>> poses = {rest_coordinates(reference)};
    for (const double hip : {-0.3, 0.2}) {
        poses.push_back(poses.front());
        poses.back()[at(find_coordinate(reference, "FemurL_rx"))] = hip;
        poses.back()[at(find_coordinate(reference, "FemurR_rx"))] = hip;
    }
    allow_poses(reference, poses);
    const auto out = retarget_musculature(reference, long_legs(0.7, 30.0));
    EXPECT_TRUE(RangeOfMotion(out.model).is_valid(poses.front()));
    RangeFitOptions other;
    other.seed = 2;
    for (const RangeDifference& d : range_differences(reference, out.model, other)) {
        EXPECT_LT(d.error, std::max(0.005, 0.3 * d.valid_before)) << d.joint;
    }
}

TEST(Retargeting, KeepsTheRangeOfMotionWhereNaiveScalingLosesIt) {
    const MusculoskeletalModel reference = bounded_walker();
    const auto out = retarget_musculature(reference, long_legs(1.3, 30.0));
    const auto naive = compare_musculatures(reference, out.naive);
    const auto kept = compare_musculatures(reference, out.model);
    ASSERT_EQ(kept.range.size(), 6u);  // hips, knees, ankles
    EXPECT_LT(kept.worst_range_error(), 0.02);
    EXPECT_LT(kept.worst_range_error(), 0.2 * naive.worst_range_error());
}

TEST(Retargeting, CurvesKeepTheirCourse) {
    const MusculoskeletalModel reference = bounded_walker();
    for (const double elongation : {0.6, 2.0}) {
        const auto out = retarget_musculature(reference, long_legs(elongation, 30.0));
        const auto naive = compare_musculatures(reference, out.naive);
        const auto kept = compare_musculatures(reference, out.model);
        ASSERT_EQ(kept.curves.size(), naive.curves.size());
        EXPECT_GE(kept.correlation_at(0.5), 0.99) << elongation;
        EXPECT_GE(kept.correlation_at(0.0), 0.98) << elongation;
    }
}

// What .osim and MJCF can hold: every waypoint on one bone, its function that of the blended one.
TEST(Retargeting, WithoutBlendsEveryPointFollowsOneBone) {
    const MusculoskeletalModel reference = walker_model();
    ASSERT_TRUE(has_blended_points(reference));
    const MusculoskeletalModel single = with_single_bone_points(reference);
    EXPECT_FALSE(has_blended_points(single));
    EXPECT_GE(compare_musculatures(reference, single).correlation_at(0.5), 0.98);
    const auto out = retarget_musculature(single, long_legs(1.5));
    for (const MuscleUnit& unit : out.model.muscles) {
        for (const PathPoint& point : unit.points) {
            EXPECT_EQ(point.anchors.size(), 1u) << unit.name;
        }
    }
    EXPECT_GE(compare_musculatures(reference, out.model).correlation_at(0.5), 0.98);
    EXPECT_GE(compare_musculatures(single, out.model).correlation_at(0.5), 0.99);
}

TEST(BallFrame, AnglesSwingsAndTwistsAreTheSameRotation) {
    const MusculoskeletalModel model = walker_model();
    const Index hip = find_coordinate(model, "FemurL_rx");
    const auto joint = at(model.coordinates[at(hip)].joint);
    ASSERT_TRUE(BallFrame::is_ball(model, joint));
    const BallFrame ball(model, joint);
    for (const Vec3& angles : {Vec3(0.3, -0.4, 0.5), Vec3(-1.2, 0.2, 0.1), Vec3(0.0, 0.7, 0.0)}) {
        const BallTurn turn = ball.turn(angles);
        EXPECT_LT((ball.angles(turn) - angles).norm(), 1e-9);
        // The shaft goes where the swing takes it, whatever the twist.
        EXPECT_NEAR((ball.rotation(angles) * ball.shaft()).dot(ball.shaft()), std::cos(turn.swing),
                    1e-12);
    }
    const BallTurn pure = ball.turn(ball.angles(BallTurn{0.6, 1.1, -0.4}));
    EXPECT_NEAR(pure.swing, 0.6, 1e-9);
    EXPECT_NEAR(pure.direction, 1.1, 1e-9);
    EXPECT_NEAR(pure.twist, -0.4, 1e-9);
}

// [Ryu2021, eq. 9]: a spoilt ratio moves the peak; the fit brings it back, within 30 %.
TEST(PeakTorque, RatiosBringPeaksBack) {
    const MusculoskeletalModel reference = bounded_walker();
    JointMotionOptions plain{.samples = 31, .is_crossed = false};
    const auto motions = joint_motions(reference, plain);
    MusculoskeletalModel model = reference;
    for (MuscleUnit& unit : model.muscles) {
        const double longest = longest_length(unit);
        unit.tendon *= 1.25;
        set_longest_length(unit, longest);
    }
    const auto wanted = peak_torques(reference, motions);
    const double before = peak_distance(wanted, peak_torques(model, motions, 0.0)).value();
    const MusculoskeletalModel spoilt = model;
    keep_peak_torques(model, reference, motions);
    const double after = peak_distance(wanted, peak_torques(model, motions, 0.0)).value();
    EXPECT_LT(after, 0.7 * before);
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        const MuscleUnit& a = spoilt.muscles[m];
        const MuscleUnit& b = model.muscles[m];
        EXPECT_NEAR(longest_length(a), longest_length(b), 1e-12);
        EXPECT_NEAR(b.fibre / a.fibre, 1.0, 0.3 + 1e-9);
        EXPECT_GT(b.tendon, 0.0);
    }
}

// [Ryu2021, Fig. 12] on the model of its family: 18 x 36 x 36 cells of the hip, a shorter and
// twisted femur. On single bones it once forbade every pose.
TEST(Retargeting, Ryu2021Figure12OnTheMassHip) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/mass");
    MusculoskeletalModel mass = read_mass(folder / "human.xml", folder / "muscle284.xml");
    // Poses that people reach, hips inside an ellipsoid.
    Random random(Seed{25});
    std::vector<std::vector<double>> poses = {rest_coordinates(mass)};
    for (int i = 0; i < 1000; ++i) {
        std::vector<double>& q = poses.emplace_back(poses.front());
        for (const char* side : {"L", "R"}) {
            const auto set = [&](const std::string& name, double value) {
                q[at(find_coordinate(mass, name))] = value;
            };
            const Vec3 u(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0),
                         random.uniform(-1.0, 1.0));
            const Vec3 v = u / std::max(1.0, u.norm());
            set(std::string("Femur") + side + "_rx", -0.8 + 1.1 * v.x());
            set(std::string("Femur") + side + "_ry", 0.7 * v.y());
            set(std::string("Femur") + side + "_rz", 0.5 * v.z());
            set(std::string("Tibia") + side, random.uniform(0.0, 2.2));
        }
    }
    // Only what crosses the left hip decides, and makes the test short.
    const Index hip = find_coordinate(mass, "FemurL_rx");
    const KinematicTree tree(mass);
    const MusclePaths paths(mass, tree);
    std::vector<MuscleUnit> crossing;
    for (std::size_t m = 0; m < mass.muscles.size(); ++m) {
        const auto row = paths.coordinates(m);
        if (std::find(row.begin(), row.end(), hip) != row.end()) {
            crossing.push_back(mass.muscles[m]);
        }
    }
    mass.muscles = crossing;
    MusculoskeletalModel reference = with_single_bone_points(mass);
    allow_poses(reference, poses);
    BodyProportions to;
    to.femur = {.elongation = 0.7, .torsion = 30.0};
    const RetargetedMusculature out = retarget_musculature(reference, to);
    const BallRangeMap before = map_ball_range(reference, "FemurL_joint");
    const auto differ = [&](const MusculoskeletalModel& model) {
        const BallRangeMap after = map_ball_range(model, "FemurL_joint");
        double count = 0.0;
        for (std::size_t k = 0; k < before.valid.size(); ++k) {
            count += before.valid[k] != after.valid[k] ? 1.0 : 0.0;
        }
        return count / static_cast<double>(before.valid.size());
    };
    ASSERT_GT(std::count(before.valid.begin(), before.valid.end(), 1), 500);
    EXPECT_LT(differ(out.model), 0.01);
    EXPECT_LT(differ(out.model), 0.5 * differ(out.naive));
}

TEST(ModelEquivalence, TellsLengthsArmsAndTorquesApart) {
    const MusculoskeletalModel model = walker_model();
    const ModelEquivalence same = compare_models(model, model);
    EXPECT_EQ(same.poses, 100);
    EXPECT_EQ(same.muscles, static_cast<int>(model.muscles.size()));
    EXPECT_EQ(same.length.value, 0.0);
    EXPECT_EQ(same.moment_arm.value, 0.0);
    EXPECT_LT(same.torque.value, 1e-9);
    // Twice the force is as much again of every torque, and of no length.
    MusculoskeletalModel strong = model;
    for (MuscleUnit& unit : strong.muscles) {
        unit.fmax *= 2.0;
    }
    const ModelEquivalence twice = compare_models(model, strong);
    EXPECT_EQ(twice.length.value, 0.0);
    EXPECT_NEAR(twice.torque_share, 1.0, 1e-9);
    // A muscle whose whole path lies 3 cm further along a bone changes by that muscle alone.
    MusculoskeletalModel moved = model;
    moved.muscles[2].points.front().anchors[0].position.x() += 0.03;
    const ModelEquivalence shifted = compare_models(model, moved);
    EXPECT_GT(shifted.length.value, 0.0);
    EXPECT_LE(shifted.length.value, 0.03 + 1e-12);  // a path changes by no more than its end moves
    EXPECT_EQ(shifted.length.muscle, model.muscles[2].name);
}

TEST(Retargeting, SameBytesForAnyNumberOfThreads) {
    const MusculoskeletalModel reference = bounded_walker();
    const auto run = [&](int threads) {
        const ThreadLimit limit(threads);
        return retarget_musculature(reference, long_legs(1.4, 10.0)).model;
    };
    const MusculoskeletalModel one = run(1);
    const MusculoskeletalModel two = run(2);
    for (std::size_t m = 0; m < one.muscles.size(); ++m) {
        EXPECT_EQ(one.muscles[m].fibre, two.muscles[m].fibre);
        EXPECT_EQ(one.muscles[m].tendon, two.muscles[m].tendon);
        EXPECT_EQ(one.muscles[m].points[1].anchors[0].position,
                  two.muscles[m].points[1].anchors[0].position);
    }
}

}  // namespace
}  // namespace sinew
