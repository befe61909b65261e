// Against OpenSim's own results for its arm with two coordinates and six muscles.

#include "sinew/io/motion_table.h"
#include "sinew/io/osim.h"
#include "sinew/motion/static_optimisation.h"

#include "tests/support/shared_data.h"

namespace sinew {
namespace {

// Root mean square of a difference over all rows but the outermost few, where the reference
// depends on how its program continued the motion beyond its ends.
double rms(const MotionTable& a, std::size_t column_a, const MotionTable& b, std::size_t column_b,
           double& peak) {
    double sum = 0.0;
    peak = 0.0;
    for (std::size_t r = 0; r < b.times.size(); ++r) {
        const double d = a.at(r, column_a) - b.at(r, column_b);
        sum += d * d;
        peak = std::max(peak, std::abs(b.at(r, column_b)));
    }
    return std::sqrt(sum / static_cast<double>(b.times.size()));
}

struct Arm26 : testing::Test {
    void SetUp() override {
        SINEW_NEEDS_SHARED(folder, "musculoskeletal/arm26");
        model = read_osim(folder / "arm26.osim");
        motion = read_motion_table(folder / "arm26_InverseKinematics.mot");
        moments = read_motion_table(folder / "arm26_InverseDynamics.sto");
        activations = read_motion_table(folder / "arm26_StaticOptimization_activation.sto");
        forces = read_motion_table(folder / "arm26_StaticOptimization_force.sto");
    }
    MusculoskeletalModel model;
    MotionTable motion;
    MotionTable moments;
    MotionTable activations;
    MotionTable forces;
};

TEST_F(Arm26, JointMomentsAreThoseOfOpenSim) {
    const MotionTable ours = inverse_dynamics(model, motion, 6.0);
    for (std::size_t c = 0; c < 2; ++c) {
        const Index column = find_column(ours, moments.columns[c]);
        ASSERT_GE(column, 0) << moments.columns[c];
        double peak = 0.0;
        const double error = rms(ours, static_cast<std::size_t>(column), moments, c, peak);
        EXPECT_LT(error, 0.01 * peak) << moments.columns[c];
        RecordProperty(moments.columns[c], std::to_string(error / peak));
    }
}

TEST_F(Arm26, ActivationsAndForcesAreThoseOfOpenSim) {
    const StaticOptimisation ours = optimise_motion(model, motion);
    EXPECT_EQ(ours.unsolved_frames, 0);
    EXPECT_TRUE(ours.notes.empty()) << ours.notes[0];
    for (std::size_t m = 0; m < activations.columns.size(); ++m) {
        const Index column = find_column(ours.activations, activations.columns[m]);
        ASSERT_GE(column, 0);
        double peak = 0.0;
        const double a =
            rms(ours.activations, static_cast<std::size_t>(column), activations, m, peak);
        EXPECT_LT(a, 0.02) << activations.columns[m];
        const double f = rms(ours.forces, static_cast<std::size_t>(column), forces, m, peak);
        // OpenSim's own test of this model accepts 4 N; three muscles pull no more than 12 N.
        EXPECT_LT(f, std::max(0.03 * peak, peak < 12.0 ? 3.0 : 0.0))
            << activations.columns[m] << " peak " << peak;
    }
}

}  // namespace
}  // namespace sinew
