// Inverse kinematics and scaling.

#include "sinew/base/error.h"
#include "sinew/io/ik_setup_file.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/osim.h"
#include "sinew/io/trc.h"
#include "sinew/motion/inverse_kinematics.h"
#include "sinew/motion/model_scaling.h"
#include "sinew/motion/rigid_dynamics.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/motion/leg_model.h"
#include "tests/support/shared_data.h"

namespace sinew {
namespace {

using support::leg_model;
using support::leg_motion;

// Where a model's markers are over a motion (radians).
MarkerData record(const MusculoskeletalModel& model, const MotionTable& motion) {
    const KinematicTree tree(model);
    MarkerData data;
    for (const ModelMarker& m : model.markers) {
        data.names.push_back(m.name);
    }
    data.times = motion.times;
    for (std::size_t r = 0; r < motion.times.size(); ++r) {
        std::vector<double> q;
        for (std::size_t c = 0; c < motion.columns.size(); ++c) {
            q.push_back(motion.at(r, c));
        }
        const ModelPlacement placed = tree.place(q);
        for (const ModelMarker& m : model.markers) {
            data.positions.push_back(placed.bodies[static_cast<std::size_t>(m.body)] * m.position);
        }
    }
    return data;
}

TEST(MarkerCost, ItsGradientIsThatOfFiniteDifferences) {
    MusculoskeletalModel model = leg_model();
    // The knee leads the hip besides: couplers are folded.
    model.couplers.push_back(
        {.name = "follow",
         .dependent = 3,
         .independent = 4,
         .function = {.kind = ScalarFunction::Kind::Polynomial, .coefficients = {0.3, -0.5, 0.1}}});
    const MarkerData data = record(leg_model(), leg_motion(3));
    const IkOptions options{.weights = {{"TOE", 2.5}}, .coordinate_weights = {{"tilt", 0.2}}};
    const std::vector<double> q = {0.2, 0.05, 0.7, 0.0, -0.4};
    std::vector<double> gradient;
    marker_cost(model, data, 1, options, q, &gradient);
    for (std::size_t c = 0; c < q.size(); ++c) {
        std::vector<double> up = q;
        std::vector<double> down = q;
        up[c] += 1e-6;
        down[c] -= 1e-6;
        const double slope = (marker_cost(model, data, 1, options, up, nullptr) -
                              marker_cost(model, data, 1, options, down, nullptr)) /
                             2e-6;
        EXPECT_NEAR(gradient[c], c == 3 ? 0.0 : slope, 1e-7) << c;
    }
}

TEST(InverseKinematics, MarkersOfAMotionGiveThatMotionBack) {
    const MusculoskeletalModel model = leg_model();
    const MotionTable motion = leg_motion(80);
    MarkerData data = record(model, motion);
    // A marker that is lost for a while is left out.
    for (std::size_t f = 20; f < 40; ++f) {
        data.at(f, 4) = Vec3::Constant(std::nan(""));
    }
    const IkResult done = follow_markers(model, data);
    EXPECT_EQ(done.unsolved_frames, 0);
    EXPECT_LT(done.rms, 1e-7);
    EXPECT_EQ(done.markers[4].seen, 60U);
    for (std::size_t r = 0; r < motion.times.size(); ++r) {
        for (std::size_t c = 0; c < motion.columns.size(); ++c) {
            const double unit = model.coordinates[c].is_rotation ? kDegree : 1.0;
            EXPECT_NEAR(done.motion.at(r, c) * unit, motion.at(r, c), 1e-6) << r << ' ' << c;
        }
    }
}

TEST(InverseKinematics, RangesOfClampedCoordinatesAreKept) {
    MusculoskeletalModel model = leg_model();
    MotionTable motion = leg_motion(20);
    for (std::size_t r = 0; r < motion.times.size(); ++r) {
        motion.at(r, 4) = 0.6;  // beyond the knee's 0.2
    }
    const MarkerData data = record(model, motion);
    EXPECT_NEAR(follow_markers(model, data).motion.at(10, 4) * kDegree, 0.6, 1e-6);
    model.coordinates[4].is_clamped = true;
    EXPECT_NEAR(follow_markers(model, data).motion.at(10, 4) * kDegree, 0.2, 1e-9);
    EXPECT_NEAR(follow_markers(model, data, {.limits = IkLimits::None}).motion.at(10, 4) * kDegree,
                0.6, 1e-6);
}

TEST(InverseKinematics, ABodyThatFacesBackwardsIsFound) {
    const MusculoskeletalModel model = leg_model();
    MotionTable motion = leg_motion(5);
    for (std::size_t r = 0; r < 5; ++r) {
        motion.at(r, 0) += 3.0;
    }
    const IkResult done = follow_markers(model, record(model, motion), {.limits = IkLimits::None});
    EXPECT_LT(done.rms, 1e-6);
}

TEST(InverseKinematics, TwoMarkersAreTooFewAndNamedSo) {
    MusculoskeletalModel model = leg_model();
    const MarkerData data = record(model, leg_motion(2));
    model.markers.resize(2);
    EXPECT_THROW(follow_markers(model, data), InputError);
}

TEST(InverseKinematics, CoordinatesOfAWalkAreThoseOfOpenSim) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/trials/gait10dof18musc");
    const MusculoskeletalModel model = read_osim(folder / "subject01.osim");
    const IkSetup setup = read_ik_setup(folder / "walk_Setup_IK.xml");
    const IkResult done = follow_markers(model, read_trc(folder / "subject01_walk.trc"),
                                         {.weights = setup.markers, .weight = setup.weight});
    EXPECT_EQ(done.unsolved_frames, 0);
    const MotionTable reference = read_motion_table(folder / "subject01_walk_IK.mot");
    for (std::size_t c = 0; c < reference.columns.size(); ++c) {
        const auto column =
            static_cast<std::size_t>(find_column(done.motion, reference.columns[c]));
        double sum = 0.0;
        for (std::size_t r = 0; r < reference.times.size(); ++r) {
            sum += std::pow(done.motion.at(r, column) - reference.at(r, c), 2);
        }
        // 0.06 degrees when this was written; the reference stops at an accuracy of 1e-5.
        EXPECT_LT(std::sqrt(sum / static_cast<double>(reference.times.size())), 0.15)
            << reference.columns[c];
    }
}

TEST(Scaling, AModelTwiceAsLargeHasTwiceItsLengthsAndItsInertia) {
    const MusculoskeletalModel model = leg_model();
    const std::vector<Vec3> factors(3, Vec3::Constant(2.0));
    const MusculoskeletalModel large = scaled_model(model, factors);
    const KinematicTree tree(model);
    const KinematicTree large_tree(large);
    std::vector<double> q = {0.2, 0.0, 0.0, 0.5, -0.7};
    const auto small_placed = tree.place(q);
    const auto large_placed = large_tree.place(q);
    for (std::size_t b = 0; b < 3; ++b) {
        EXPECT_LT((2.0 * small_placed.bodies[b].position - large_placed.bodies[b].position).norm(),
                  1e-12);
        EXPECT_NEAR(large.bodies[b].mass, 8.0 * model.bodies[b].mass, 1e-9);
    }
    EXPECT_NEAR(large.muscles[0].fibre, 0.2, 1e-12);
    EXPECT_NEAR(large.muscles[0].tendon, 0.44, 1e-12);
    // M of rotations grows by mass times length squared: 8 * 4.
    const Eigen::MatrixXd m = RigidDynamics(model, tree).mass_matrix(small_placed);
    const Eigen::MatrixXd M = RigidDynamics(large, large_tree).mass_matrix(large_placed);
    EXPECT_NEAR(M(3, 3), 32.0 * m(3, 3), 1e-9);
    EXPECT_NEAR(M(4, 4), 32.0 * m(4, 4), 1e-9);
}

// Squares of such places are infinite, so no pose is better than another.
TEST(InverseKinematics, PlacesBeyondTheEarthAreRefused) {
    const MusculoskeletalModel model = leg_model();
    MarkerData data = record(model, leg_motion(3));
    MusculoskeletalModel far = model;
    far.markers[1].position.x() = 1e308;
    EXPECT_THROW(follow_markers(far, data, {}), InputError);
    data.positions[1].y() = -1e200;
    try {
        follow_markers(model, data, {});
        FAIL() << "not refused";
    } catch (const InputError& error) {
        EXPECT_NE(error.parts().where.find(model.markers[1].name), std::string::npos);
    }
    // What is not seen has no place at all.
    data.positions[1].setConstant(std::numeric_limits<double>::quiet_NaN());
    EXPECT_NO_THROW(follow_markers(model, data, {}));
}

TEST(Scaling, InertiaOfABoxFollowsItsEdges) {
    // A solid box of edges a, b, c: I_xx = m (b^2 + c^2) / 12.
    MusculoskeletalModel model = leg_model();
    const auto box = [](double m, const Vec3& e) {
        return Mat3(Vec3(m * (e.y() * e.y() + e.z() * e.z()) / 12.0,
                         m * (e.x() * e.x() + e.z() * e.z()) / 12.0,
                         m * (e.x() * e.x() + e.y() * e.y()) / 12.0)
                        .asDiagonal());
    };
    const Vec3 edges(0.1, 0.2, 0.3);
    const Vec3 s(1.5, 0.5, 2.0);
    model.bodies[1].inertia = box(8.0, edges);
    const std::vector<Vec3> factors(3, s);
    const MusculoskeletalModel scaled = scaled_model(model, factors, 52.0);
    EXPECT_NEAR(scaled.bodies[1].mass, 8.0, 1e-9);
    EXPECT_LT((scaled.bodies[1].inertia - box(8.0, s.cwiseProduct(edges))).norm(), 1e-12);
}

TEST(Scaling, MarkersOfAScaledPersonGiveTheFactorsBack) {
    MusculoskeletalModel model = leg_model();
    for (const Index b : {0, 1, 2}) {
        model.markers.push_back({"extra" + std::to_string(b), b, Vec3(0.0, -0.1, 0.2)});
    }
    const std::vector<Vec3> factors = {Vec3::Constant(1.1), Vec3::Constant(0.9),
                                       Vec3::Constant(1.3)};
    const MusculoskeletalModel person = scaled_model(model, factors, 60.0);
    const MarkerData data = record(person, leg_motion(4));
    std::vector<ScalePair> pairs;
    const std::vector<Vec3> found = factors_from_markers(model, data, pairs);
    for (std::size_t b = 0; b < 3; ++b) {
        EXPECT_LT((found[b] - factors[b]).norm(), 1e-9) << b;
    }
}

}  // namespace
}  // namespace sinew
