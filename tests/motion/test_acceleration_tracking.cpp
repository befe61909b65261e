#include "sinew/io/mass_files.h"
#include "sinew/motion/acceleration_tracking.h"
#include "sinew/motion/ground_contact.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/limb_turns.h"
#include "sinew/motion/load_wrench.h"
#include "sinew/motion/pose_sets.h"
#include "sinew/motion/static_optimisation.h"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "tests/support/shared_data.h"
#include "tests/support/walker_model.h"

namespace sinew {
namespace {

// The walker with a muscle for every direction of its legs, strong enough to stand.
MusculoskeletalModel strong_walker() {
    MusculoskeletalModel model = support::walker_model();
    for (MuscleUnit& unit : model.muscles) {
        unit.fmax = 8000.0;
    }
    // Nothing here pulls sideways, so hips and ankles become hinges.
    for (Coordinate& c : model.coordinates) {
        c.is_locked = (c.name.starts_with("Femur") || c.name.starts_with("Talus")) &&
                      !c.name.ends_with("_rx");
    }
    for (const char* side : {"L", "R"}) {
        const Index tibia = find_body(model, std::string("Tibia") + side);
        const Index talus = find_body(model, std::string("Talus") + side);
        MuscleUnit shin{
            .name = std::string(side) + "_shin", .fmax = 5000.0, .fibre = 0.2, .tendon = 0.1};
        shin.points = {
            {.name = "a", .anchors = {{.body = tibia, .position = Vec3(0.0, -0.1, 0.04)}}},
            {.name = "b", .anchors = {{.body = talus, .position = Vec3(0.0, -0.03, 0.1)}}}};
        model.muscles.push_back(shin);
    }
    // Fibres that no pose of a squat stretches: what is missed is missed by strength.
    const MotionTable squat = skill_motion(model, Skill::Squat);
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    std::vector<double> longest(model.muscles.size(), 0.0);
    for (const std::vector<double>& q : poses_of_motion(model, squat)) {
        const PathState state = paths.evaluate(tree.place(q));
        for (std::size_t m = 0; m < longest.size(); ++m) {
            longest[m] = std::max(longest[m], state.length[m]);
        }
    }
    for (std::size_t m = 0; m < longest.size(); ++m) {
        model.muscles[m].fibre = 0.7 * longest[m];
        model.muscles[m].tendon = 0.3 * longest[m];
    }
    return model;
}

Vec3 ankle_of(const MusculoskeletalModel& model, const MotionTable& motion, std::size_t row,
              const char* body) {
    const std::size_t n = model.coordinates.size();
    const std::span<const double> q = std::span(motion.values).subspan(row * n, n);
    return KinematicTree(model).place(q).bodies[at(find_body(model, body))].position;
}

TEST(Skills, FeetStayWhereTheyStand) {
    const MusculoskeletalModel model = support::walker_model();
    ASSERT_TRUE(can_do(model, Skill::Squat));
    EXPECT_FALSE(can_do(model, Skill::ArmLift));
    const MotionTable squat = skill_motion(model, Skill::Squat);
    const MotionTable kick = skill_motion(model, Skill::Kick);
    const Vec3 left = ankle_of(model, squat, 0, "TalusL");
    double deepest = 0.0;
    for (std::size_t row = 0; row < squat.times.size(); ++row) {
        EXPECT_LT((ankle_of(model, squat, row, "TalusL") - left).norm(), 1e-9);
        deepest = std::min(deepest, ankle_of(model, squat, row, "Pelvis").y() -
                                        ankle_of(model, squat, 0, "Pelvis").y());
    }
    EXPECT_LT(deepest, -0.15);
    const std::size_t middle = kick.times.size() / 2;
    EXPECT_LT((ankle_of(model, kick, middle, "TalusL") - ankle_of(model, kick, 0, "TalusL")).norm(),
              1e-9);
    EXPECT_GT(ankle_of(model, kick, middle, "TalusR").z(), 0.4);
}

// [Ryu2021, eqs. 12-13]: what the activations miss, by the equations of motion once more.
TEST(Skills, MissedAccelerationsAreThoseOfTheEquationsOfMotion) {
    const MusculoskeletalModel model = strong_walker();
    const MotionTable motion = skill_motion(model, Skill::Squat);
    const TrackedMotion tracked = track_accelerations(model, motion);
    const CoordinateMotion m = coordinate_motion(model, motion, 0.0);
    const ExternalLoads loads = estimate_ground_loads(model, m);
    const KinematicTree tree(model);
    const MusclePaths paths(model, tree);
    const RigidDynamics dynamics(model, tree);
    std::vector<Index> driven;
    for (const Index c : muscle_driven_coordinates(model, paths)) {
        if (model.coordinates[at(c)].is_rotation) {
            driven.push_back(c);
        }
    }
    const std::size_t n = model.coordinates.size();
    const auto count = static_cast<Eigen::Index>(driven.size());
    for (const std::size_t f : {std::size_t{40}, std::size_t{85}, std::size_t{120}}) {
        const auto row = [&](const std::vector<double>& all) {
            return std::span(all).subspan(f * n, n);
        };
        const ModelPlacement placed = tree.place(row(m.q));
        std::vector<BodyLoad> wrenches;
        add_loads_at(loads, placed, m.times[f], wrenches);
        std::vector<double> lacking =
            dynamics.inverse(placed, row(m.speed), row(m.acceleration), wrenches);
        const PathState state = paths.evaluate(placed);
        std::vector<double> slope(n);
        for (std::size_t k = 0; k < model.muscles.size(); ++k) {
            paths.scatter(state, k, slope);
            double velocity = 0.0;
            for (std::size_t c = 0; c < n; ++c) {
                velocity += slope[c] * m.speed[f * n + c];
            }
            const double a = tracked.activations.at(f, k);
            EXPECT_GE(a, 0.0);
            EXPECT_LE(a, 1.0);
            const MuscleForce force =
                rigid_tendon_force(model.muscles[k], state.length[k], velocity, 1.0);
            for (std::size_t c = 0; c < n; ++c) {
                lacking[c] += slope[c] * (a * force.active + force.passive);
            }
        }
        // Root and joints together, feet that stay: M y - J' f = r, J y = 0.
        std::vector<Index> moving = driven;
        for (std::size_t c = 0; c < 6; ++c) {
            moving.push_back(static_cast<Index>(c));
        }
        const auto all = static_cast<Eigen::Index>(moving.size());
        const Eigen::MatrixXd M = dynamics.mass_matrix(placed);
        Eigen::MatrixXd K = Eigen::MatrixXd::Zero(all + 12, all + 12);
        Eigen::VectorXd r = Eigen::VectorXd::Zero(all + 12);
        for (Eigen::Index i = 0; i < all; ++i) {
            r[i] = i < count ? lacking[at(moving[static_cast<std::size_t>(i)])] : 0.0;
            for (Eigen::Index j = 0; j < all; ++j) {
                K(i, j) =
                    M(moving[static_cast<std::size_t>(i)], moving[static_cast<std::size_t>(j)]);
            }
            // How the feet move with this coordinate, by differences.
            constexpr double kStep = 1e-6;
            std::vector<double> other(row(m.q).begin(), row(m.q).end());
            other[at(moving[static_cast<std::size_t>(i)])] += kStep;
            const ModelPlacement moved = tree.place(other);
            int k = 0;
            for (const char* foot : {"TalusL", "TalusR"}) {
                const auto b = at(find_body(model, foot));
                const Mat3 W = (moved.bodies[b].rotation - placed.bodies[b].rotation) *
                               placed.bodies[b].rotation.transpose() / kStep;
                const Vec3 v = (moved.bodies[b].position - placed.bodies[b].position) / kStep;
                for (const double x : {W(2, 1), W(0, 2), W(1, 0), v.x(), v.y(), v.z()}) {
                    K(all + k, i) = K(i, all + k) = x;
                    ++k;
                }
            }
        }
        const Eigen::VectorXd y = K.fullPivLu().solve(r).head(count);
        EXPECT_NEAR(y.cwiseAbs().maxCoeff(), tracked.missed[f], 2e-3 * (1.0 + tracked.missed[f]));
    }
}

TEST(Skills, WithoutStrengthNothingIsReached) {
    MusculoskeletalModel model = strong_walker();
    const MotionTable squat = skill_motion(model, Skill::Squat);
    const double strong = track_accelerations(model, squat).met;
    EXPECT_GT(strong, 0.5);
    for (MuscleUnit& unit : model.muscles) {
        unit.fmax *= 0.01;
    }
    EXPECT_LT(track_accelerations(model, squat).met, 0.7 * strong);
}

}  // namespace
}  // namespace sinew
