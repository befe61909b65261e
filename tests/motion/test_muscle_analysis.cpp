#include "sinew/motion/muscle_analysis.h"
#include "sinew/motion/static_optimisation.h"

#include "tests/motion/leg_model.h"

namespace sinew {
namespace {

using support::leg_model;
using support::leg_motion;

double value(const MotionTable& table, std::size_t row, const std::string& name) {
    const Index column = find_column(table, name);
    EXPECT_GE(column, 0) << name;
    return column < 0 ? 0.0 : table.at(row, static_cast<std::size_t>(column));
}

TEST(MuscleAnalysis, VelocityIsTheDerivativeOfLength) {
    const MusculoskeletalModel model = leg_model();
    const MuscleAnalysis done =
        analyse_muscles(model, leg_motion(80), {.filter = 0.0, .activation = 0.5});
    for (std::size_t r = 10; r < 70; ++r) {
        const double slope = (value(done.muscles, r + 1, "extensor_length") -
                              value(done.muscles, r - 1, "extensor_length")) /
                             0.02;
        EXPECT_NEAR(value(done.muscles, r, "extensor_velocity"), slope, 2e-4);
        // Without pennation fibre and unit move alike along a rigid tendon.
        EXPECT_NEAR(value(done.muscles, r, "extensor_fibre_velocity"),
                    value(done.muscles, r, "extensor_velocity"), 1e-12);
        EXPECT_NEAR(value(done.muscles, r, "extensor_fibre_length") +
                        value(done.muscles, r, "extensor_tendon_length"),
                    value(done.muscles, r, "extensor_length"), 1e-12);
        EXPECT_NEAR(
            value(done.muscles, r, "extensor_power"),
            -value(done.muscles, r, "extensor_force") * value(done.muscles, r, "extensor_velocity"),
            1e-9);
    }
}

TEST(MuscleAnalysis, JointWorkIsTheChangeOfEnergy) {
    // Without loads all power of the coordinates together changes kinetic and potential energy:
    // over a whole swing back to the first pose and speed it adds up to nothing.
    const MusculoskeletalModel model = leg_model();
    MotionTable motion{.columns = {"tilt", "tx", "ty", "hip_flexion", "knee_angle"}};
    const int rows = 201;
    for (int r = 0; r < rows; ++r) {
        const double w = 2.0 * kPi * r / (rows - 1);
        motion.times.push_back(0.005 * r);
        motion.values.insert(motion.values.end(),
                             {0.05 * std::sin(w), 0.02 * std::cos(w), 0.8 + 0.03 * std::sin(w),
                              0.3 * std::sin(w), -0.5 + 0.3 * std::cos(w)});
    }
    const MuscleAnalysis done = analyse_muscles(model, motion, {.filter = 0.0});
    double sum = 0.0;
    double size = 0.0;
    for (const MuscleAnalysis::Work& w : done.joint_work) {
        EXPECT_GE(w.positive, 0.0);
        EXPECT_LE(w.negative, 0.0);
        sum += w.positive + w.negative;
        size += w.positive - w.negative;
    }
    EXPECT_GT(size, 1.0);
    EXPECT_LT(std::abs(sum), 0.01 * size);
}

TEST(JointReaction, MusclesPressTheJointTheyCross) {
    // Hanging still: the knee bears the shank's weight upwards, and less by what muscles pull up,
    // which then press the joint together. Both pull along the limb.
    const MusculoskeletalModel model = leg_model();
    MotionTable still{.columns = {"ty", "knee_angle"}};
    for (int r = 0; r < 5; ++r) {
        still.times.push_back(0.01 * r);
        still.values.insert(still.values.end(), {1.0, 0.0});
    }
    MotionTable rest{.columns = {"extensor", "flexor"}, .times = {0.0}, .values = {0.0, 0.0}};
    MotionTable pull{.columns = {"extensor", "flexor"}, .times = {0.0}, .values = {0.4, 0.1}};
    const MuscleAnalysis quiet = analyse_muscles(model, still, {.filter = 0.0}, rest);
    const MuscleAnalysis tense = analyse_muscles(model, still, {.filter = 0.0}, pull);
    double passive = 0.0;
    double forces = 0.0;
    for (const char* name : {"extensor_force", "flexor_force"}) {
        passive += value(quiet.muscles, 2, name);
        forces += value(tense.muscles, 2, name);
    }
    EXPECT_NEAR(value(quiet.reactions, 2, "knee_fy"), 4.0 * kGravity - passive, 1e-6);
    EXPECT_NEAR(value(tense.reactions, 2, "knee_fy"), 4.0 * kGravity - forces, 1e-6);
    EXPECT_GT(forces, passive + 100.0);
    // What the knee's moment lacks to that of the motion is what the muscles make with their arms.
    const double made = value(tense.muscles, 2, "extensor_force") *
                            value(tense.muscles, 2, "extensor_moment_arm_knee_angle") +
                        value(tense.muscles, 2, "flexor_force") *
                            value(tense.muscles, 2, "flexor_moment_arm_knee_angle");
    EXPECT_NEAR(value(tense.reactions, 2, "knee_mz"),
                value(tense.moments, 2, "knee_angle_moment") - made, 1e-6);
    // Muscles inside do not change what the whole needs.
    EXPECT_NEAR(value(tense.reactions, 2, "root_fy"), value(quiet.reactions, 2, "root_fy"), 1e-6);
}

}  // namespace
}  // namespace sinew
