#include "sinew/base/random.h"
#include "sinew/motion/bezier_curve.h"
#include "sinew/motion/hill.h"

namespace sinew {
namespace {

MuscleUnit unit(MuscleLaw law) {
    MuscleUnit u{.name = "m", .law = law};
    u.fmax = 500.0;
    u.fibre = 0.1;
    u.tendon = 0.2;
    u.pennation = 0.3;
    u.tendon_strain = law == MuscleLaw::Millard2012 ? 0.049 : 0.033;
    return u;
}

TEST(Hill, Thelen2003CurvesGoThroughTheirLandmarks) {
    const MuscleUnit u = unit(MuscleLaw::Thelen2003);
    EXPECT_DOUBLE_EQ(active_force_length(u, 1.0), 1.0);
    EXPECT_NEAR(active_force_length(u, 1.5), std::exp(-0.25 / 0.45), 1e-15);
    EXPECT_DOUBLE_EQ(passive_force_length(u, 0.9), 0.0);
    EXPECT_NEAR(passive_force_length(u, 1.0 + u.passive_strain), 1.0, 1e-14);
    EXPECT_DOUBLE_EQ(force_velocity(u, 0.0), 1.0);
    EXPECT_DOUBLE_EQ(force_velocity(u, -1.0), 0.0);
    EXPECT_LT(force_velocity(u, 10.0), u.lengthening_force);
    EXPECT_NEAR(force_velocity(u, 1e6), u.lengthening_force, 1e-5);
    EXPECT_NEAR(tendon_force(u, u.tendon_strain), 1.0, 1e-14);
    EXPECT_DOUBLE_EQ(tendon_force(u, -0.01), 0.0);
    // Weaker activation shortens more slowly [Thelen2003, eq. 6].
    EXPECT_NEAR(force_velocity(u, -0.5, 0.2), force_velocity(u, -0.5 / 0.4, 1.0), 1e-14);
}

TEST(Hill, Millard2012CurvesGoThroughTheirLandmarks) {
    const MuscleUnit u = unit(MuscleLaw::Millard2012);
    EXPECT_NEAR(active_force_length(u, 1.0), 1.0, 1e-12);
    EXPECT_NEAR(active_force_length(u, 0.3), 0.1, 1e-12);
    EXPECT_NEAR(active_force_length(u, 2.0), 0.1, 1e-12);
    EXPECT_NEAR(passive_force_length(u, 1.7), 1.0, 1e-12);
    EXPECT_NEAR(force_velocity(u, 0.0), 1.0, 1e-12);
    EXPECT_NEAR(force_velocity(u, -1.0), 0.0, 1e-12);
    EXPECT_NEAR(force_velocity(u, 1.0), 1.4, 1e-12);
    EXPECT_NEAR(tendon_force(u, 0.049), 1.0, 1e-12);
    // Slopes given with the curves.
    const double h = 1e-6;
    EXPECT_NEAR((force_velocity(u, h) - force_velocity(u, -h)) / (2 * h), 5.0, 1e-2);
    EXPECT_NEAR((tendon_force(u, 0.05) - tendon_force(u, 0.048)) / 0.002, 1.375 / 0.049, 1e-6);
}

// OpenSim's active curve between its landmarks: half way up either limb it has half the height of
// that limb (shoulder at 0.73, plateau from 0.95 to 1.05), and shapes that files give move them.
TEST(Hill, Millard2012ActiveCurvesHaveTheirLandmarksWhereTheShapeSays) {
    MuscleUnit u = unit(MuscleLaw::Millard2012);
    const double shoulder = 1.0 - 0.8616 * (0.95 - 0.73);
    EXPECT_NEAR(active_force_length(u, 0.5 * (0.4441 + 0.73)), 0.5 * shoulder, 1e-12);
    EXPECT_NEAR(active_force_length(u, 0.5 * (0.73 + 0.95)), 0.5 * (shoulder + 1.0), 1e-12);
    EXPECT_NEAR(active_force_length(u, 0.5 * (1.05 + 1.8123)), 0.5, 1e-12);
    u.shape.shortest = 0.25;
    u.shape.shoulder = 0.77;
    u.shape.longest = 1.9;
    u.shape.shallow_slope = 0.75;
    u.shape.least = 0.0;
    u.shape.passive_begin = 0.1;
    u.shape.passive_end = 0.5;
    u.shape.passive_slope = 2.0 / 0.4;
    u.shape.lengthening_force = 1.6;
    EXPECT_NEAR(active_force_length(u, 0.51), 0.5 * (1.0 - 0.75 * 0.18), 1e-12);
    EXPECT_NEAR(active_force_length(u, 0.2), 0.0, 1e-12);
    EXPECT_NEAR(active_force_length(u, 2.0), 0.0, 1e-12);
    EXPECT_NEAR(passive_force_length(u, 1.1), 0.0, 1e-12);
    EXPECT_NEAR(passive_force_length(u, 1.5), 1.0, 1e-12);
    EXPECT_NEAR(force_velocity(u, 1.0), 1.6, 1e-12);
    // Another unit's shape is its own.
    EXPECT_NEAR(active_force_length(unit(MuscleLaw::Millard2012), 2.0), 0.1, 1e-12);
}

TEST(Hill, CurvesAreSmoothAndMonotoneWhereTheyShouldBe) {
    for (const MuscleLaw law : {MuscleLaw::Thelen2003, MuscleLaw::Millard2012}) {
        const MuscleUnit u = unit(law);
        for (int i = 0; i < 1000; ++i) {
            const double x = -1.2 + 2.4 * i / 1000.0;
            EXPECT_LE(force_velocity(u, x), force_velocity(u, x + 0.0024) + 1e-12) << x;
            const double l = 0.3 + 1.8 * i / 1000.0;
            EXPECT_LE(passive_force_length(u, l), passive_force_length(u, l + 0.0018) + 1e-12);
            EXPECT_LT(std::abs(active_force_length(u, l) - active_force_length(u, l + 0.0018)),
                      0.02);
            const double e = -0.01 + 0.08 * i / 1000.0;
            EXPECT_LE(tendon_force(u, e), tendon_force(u, e + 8e-5) + 1e-12);
        }
    }
}

// Fibre and tendon pull alike, whatever the length.
TEST(Hill, Ryu2021Eq1EquilibriumIsFoundAtEveryLengthAndActivation) {
    Random random(Seed{2});
    for (const MuscleLaw law : {MuscleLaw::Thelen2003, MuscleLaw::Millard2012}) {
        for (int i = 0; i < 2000; ++i) {
            MuscleUnit u = unit(law);
            u.fibre = random.uniform(0.01, 0.4);
            u.tendon = random.uniform(0.001, 0.5);
            u.pennation = random.uniform(0.0, 1.0);
            const double length = random.uniform(0.2, 2.5) * (u.fibre + u.tendon);
            const double a = random.uniform(0.0, 1.0);
            const MuscleForce f = equilibrium_force(u, length, a);
            ASSERT_TRUE(std::isfinite(f.total));
            ASSERT_GE(f.total, 0.0);
            if (!f.is_slack) {
                const double tendon = u.fmax * tendon_force(u, f.tendon / u.tendon - 1.0);
                EXPECT_NEAR(f.total, tendon, 1e-6 * (u.fmax + f.total)) << i;
                EXPECT_NEAR(f.fibre * std::cos(f.pennation) + f.tendon, length, 1e-12);
                EXPECT_NEAR(f.fibre * std::sin(f.pennation), u.fibre * std::sin(u.pennation), 1e-9);
            }
        }
    }
}

TEST(Hill, AStiffTendonGivesTheForceOfARigidOne) {
    MuscleUnit u = unit(MuscleLaw::Thelen2003);
    u.tendon_strain = 1e-6;
    const double length = 0.2 + 0.11;
    EXPECT_NEAR(equilibrium_force(u, length, 0.7).total,
                rigid_tendon_force(u, length, 0.0, 0.7).total, 1e-3);
}

TEST(Hill, FibreSpeedIsZeroInEquilibriumAndRestoresIt) {
    const MuscleUnit u = unit(MuscleLaw::Thelen2003);
    const double length = 0.305;
    const MuscleForce f = equilibrium_force(u, length, 0.5);
    EXPECT_NEAR(fibre_velocity(u, length, f.fibre, 0.5), 0.0, 1e-6);
    EXPECT_LT(fibre_velocity(u, length, f.fibre + 0.005, 0.5), 0.0);
    EXPECT_GT(fibre_velocity(u, length, f.fibre - 0.005, 0.5), 0.0);
}

TEST(Hill, Thelen2003ActivationRisesFasterThanItFalls) {
    const MuscleUnit u = unit(MuscleLaw::Thelen2003);
    EXPECT_NEAR(activation_rate(u, 0.5, 1.0), 0.5 / (0.01 * 1.25), 1e-12);
    EXPECT_NEAR(activation_rate(u, 0.5, 0.0), -0.5 * 1.25 / 0.04, 1e-12);
    EXPECT_DOUBLE_EQ(activation_rate(u, 0.3, 0.3), 0.0);
}

}  // namespace
}  // namespace sinew
