#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/body/function_value.h"
#include "sinew/io/mass_files.h"
#include "sinew/linalg/dense.h"
#include "sinew/motion/coordination.h"
#include "sinew/motion/rigid_dynamics.h"
#include "sinew/motion/smoothing.h"
#include "sinew/motion/static_optimisation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/shared_data.h"

namespace sinew {
namespace {

using Kind = ScalarFunction::Kind;

TEST(ScalarFunction, SplinesGoThroughTheirKnotsAndReproduceCubics) {
    const auto cubic = [](double x) { return 1.0 + x * (2.0 + x * (-0.5 + 0.3 * x)); };
    ScalarFunction f{.kind = Kind::SimmSpline};
    for (const double x : {-1.0, -0.2, 0.3, 1.0, 1.9}) {
        f.x.push_back(x);
        f.y.push_back(cubic(x));
    }
    const FunctionEvaluator spline(f);
    for (double x = -0.99; x < 1.9; x += 0.0917) {
        EXPECT_NEAR(spline(x).value, cubic(x), 1e-12);
        EXPECT_NEAR(spline(x).slope, 2.0 - x + 0.9 * x * x, 1e-11);
        EXPECT_NEAR(spline(x).curvature, -1.0 + 1.8 * x, 1e-10);
    }
    f.kind = Kind::NaturalSpline;
    const FunctionEvaluator natural(f);
    EXPECT_NEAR(natural(-1.0 + 1e-9).curvature, 0.0, 1e-6);
    EXPECT_NEAR(natural(0.3).value, cubic(0.3), 1e-14);
}

TEST(ScalarFunction, PolynomialsHaveTheirDerivatives) {
    const FunctionEvaluator p(ScalarFunction{
        .kind = Kind::Polynomial, .coefficients = {2.0, -1.0, 3.0, 4.0}, .scale = 0.5});
    EXPECT_NEAR(p(1.5).value, 0.5 * (2 * 3.375 - 2.25 + 4.5 + 4), 1e-14);
    EXPECT_NEAR(p(1.5).slope, 0.5 * (6 * 2.25 - 3 + 3), 1e-14);
    EXPECT_NEAR(p(1.5).curvature, 0.5 * (12 * 1.5 - 2), 1e-14);
}

TEST(ScalarFunction, SinesHaveTheirDerivatives) {
    const FunctionEvaluator f(
        ScalarFunction{.kind = Kind::Sine, .coefficients = {3.0, 2.0, 0.5, -1.0}, .scale = 2.0});
    EXPECT_NEAR(f(0.7).value, 2.0 * (3.0 * std::sin(1.9) - 1.0), 1e-14);
    EXPECT_NEAR(f(0.7).slope, 2.0 * 6.0 * std::cos(1.9), 1e-14);
    EXPECT_NEAR(f(0.7).curvature, -2.0 * 12.0 * std::sin(1.9), 1e-14);
    EXPECT_THROW(FunctionEvaluator(ScalarFunction{.kind = Kind::Sine}), InputError);
}

TEST(Smoothing, AQuinticSplineReproducesQuinticsFarFromItsEndsAndQuadraticsEverywhere) {
    std::vector<double> t;
    std::vector<double> y;
    for (int i = 0; i <= 100; ++i) {
        t.push_back(0.01 * i + 0.002 * std::sin(3.0 * i));
        y.push_back(3.0 - t.back() + 0.5 * t.back() * t.back());
    }
    const SplineSamples s = quintic_spline(t, y);
    for (std::size_t i = 0; i < t.size(); ++i) {
        EXPECT_NEAR(s.slope[i], -1.0 + t[i], 1e-8);
        EXPECT_NEAR(s.curvature[i], 1.0, 1e-5);
    }
    for (std::size_t i = 0; i < t.size(); ++i) {
        y[i] = std::sin(5.0 * t[i]);
    }
    const SplineSamples wave = quintic_spline(t, y);
    for (std::size_t i = 20; i < 80; ++i) {
        EXPECT_NEAR(wave.slope[i], 5.0 * std::cos(5.0 * t[i]), 1e-6);
        EXPECT_NEAR(wave.curvature[i], -25.0 * std::sin(5.0 * t[i]), 1e-3);
    }
}

// Run twice, the filter halves the power of a wave at its cutoff and keeps slow ones.
TEST(Smoothing, TheFilterHalvesAWaveAtItsCutoffWithoutDelay) {
    const double step = 0.002;
    for (const double hz : {0.5, 6.0, 40.0}) {
        std::vector<double> x;
        for (int i = 0; i < 4000; ++i) {
            x.push_back(std::sin(2.0 * std::numbers::pi * hz * step * i));
        }
        const std::vector<double> y = low_pass(x, step, 6.0);
        double along = 0.0;
        double power = 0.0;
        for (std::size_t i = 1000; i < 3000; ++i) {
            along += x[i] * y[i];
            power += x[i] * x[i];
        }
        const double w =
            std::tan(std::numbers::pi * hz * step) / std::tan(std::numbers::pi * 6.0 * step);
        EXPECT_NEAR(along / power, 1.0 / (1.0 + std::pow(w, 6)), 2e-3) << hz;
    }
}

// A pendulum with a custom joint: angle = 2 q, and a shift that follows q.
TEST(RigidDynamics, ACustomJointObeysLagrangesEquation) {
    MusculoskeletalModel model;
    const double m = 1.5;
    const double l = 0.4;
    const double I = 0.03;
    model.bodies = {{.name = "bob", .mass = m, .com = Vec3(0, -l, 0)}};
    model.bodies[0].inertia = Vec3(I, I, I).asDiagonal();
    model.coordinates = {{.name = "q"}};
    ModelJoint joint{.name = "pivot", .kind = JointKind::Custom};
    joint.axes = standard_axes(JointKind::Weld, 0);
    joint.axes[2] = {Vec3::UnitZ(), 0, {.kind = Kind::Linear, .coefficients = {2.0, 0.0}}};
    joint.axes[4] = {Vec3::UnitY(), 0, {.kind = Kind::Polynomial, .coefficients = {0.3, 0.0, 0.0}}};
    model.joints = {joint};
    model.gravity = Vec3(0, -10.0, 0);
    const KinematicTree tree(model);
    const RigidDynamics dynamics(model, tree);
    // com = (l sin 2q, 0.3 q^2 - l cos 2q); T = m/2 |v|^2 + I/2 (2 q')^2; V = m g y.
    const auto lagrange = [&](double q, double v, double a) {
        const double x1 = 2 * l * std::cos(2 * q);
        const double y1 = 0.6 * q + 2 * l * std::sin(2 * q);
        const double x2 = -4 * l * std::sin(2 * q);
        const double y2 = 0.6 + 4 * l * std::cos(2 * q);
        return m * (x1 * (x1 * a + x2 * v * v) + y1 * (y1 * a + y2 * v * v)) + 4 * I * a +
               m * 10.0 * y1;
    };
    Random random(Seed{4});
    for (int i = 0; i < 20; ++i) {
        const double q = random.uniform(-2, 2);
        const double v = random.uniform(-3, 3);
        const double a = random.uniform(-5, 5);
        const ModelPlacement place = tree.place(std::vector<double>{q});
        const std::vector<double> tau =
            dynamics.inverse(place, std::vector<double>{v}, std::vector<double>{a});
        EXPECT_NEAR(tau[0], lagrange(q, v, a), 1e-12);
        EXPECT_NEAR(dynamics.mass_matrix(place)(0, 0), lagrange(q, 0, 1) - lagrange(q, 0, 0),
                    1e-12);
    }
}

TEST(RigidDynamics, TheMassMatrixIsWhatInverseDynamicsMultipliesAccelerationsWith) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/mass");
    const MusculoskeletalModel model = read_mass(folder / "human.xml", folder / "muscle284.xml");
    const KinematicTree tree(model);
    const RigidDynamics dynamics(model, tree);
    const std::size_t n = model.coordinates.size();
    Random random(Seed{9});
    std::vector<double> q(n);
    std::vector<double> u(n);
    std::vector<double> du(n);
    for (std::size_t i = 0; i < n; ++i) {
        q[i] = random.uniform(-0.7, 0.7);
        u[i] = random.uniform(-1, 1);
        du[i] = random.uniform(-1, 1);
    }
    const ModelPlacement place = tree.place(q);
    const Eigen::MatrixXd M = dynamics.mass_matrix(place);
    EXPECT_LT((M - M.transpose()).norm(), 1e-10);
    EXPECT_GT(symmetric_eigen(M).values[0], 0.0);
    const std::vector<double> with = dynamics.inverse(place, u, du);
    const std::vector<double> without = dynamics.inverse(place, u, std::vector<double>(n, 0.0));
    const Eigen::VectorXd a = Eigen::Map<Eigen::VectorXd>(du.data(), static_cast<Eigen::Index>(n));
    const Eigen::VectorXd expected = M * a;
    for (std::size_t i = 0; i < n; ++i) {
        EXPECT_NEAR(with[i] - without[i], expected[static_cast<Eigen::Index>(i)], 1e-10);
    }
    // Standing still, the ground carries the weight.
    const std::vector<double> still =
        dynamics.inverse(tree.place(std::vector<double>(n, 0.0)), std::vector<double>(n, 0.0),
                         std::vector<double>(n, 0.0));
    EXPECT_NEAR(still[4], dynamics.total_mass() * 9.81, 1e-9);
}

CoordinationProblem random_problem(std::size_t muscles, Eigen::Index rows, double scale) {
    Random random(Seed{21});
    CoordinationProblem p;
    for (std::size_t m = 0; m < muscles; ++m) {
        for (Index r = 0; r < rows; ++r) {
            p.row.push_back(r);
            p.value.push_back(random.uniform(-20, 20));
        }
        p.start.push_back(static_cast<Index>(p.row.size()));
    }
    p.low.assign(muscles, 0.0);
    p.high.assign(muscles, 1.0);
    p.tau = Eigen::VectorXd::Constant(rows, scale);
    p.reserve = Eigen::MatrixXd::Identity(rows, rows) * 1e-6;
    return p;
}

TEST(Coordination, WithoutActiveBoundsItIsTheLeastNormSolution) {
    CoordinationProblem p = random_problem(6, 2, 5.0);
    p.low.assign(6, -100.0);
    p.high.assign(6, 100.0);
    p.reserve *= 1e-6;
    Eigen::MatrixXd B(2, 6);
    for (int m = 0; m < 6; ++m) {
        B.col(m) << p.value[static_cast<std::size_t>(2 * m)],
            p.value[static_cast<std::size_t>(2 * m + 1)];
    }
    const Eigen::VectorXd a = least_squares(B, p.tau);  // the shortest
    const CoordinationResult result = coordinate_muscles(p);
    ASSERT_TRUE(result.has_converged);
    for (int m = 0; m < 6; ++m) {
        EXPECT_NEAR(result.activation[static_cast<std::size_t>(m)], a[m], 1e-9);
    }
}

// Karush-Kuhn-Tucker conditions of min sum a^p, whatever the exponent.
TEST(Coordination, SolutionsMeetTheOptimalityConditionsForAnyExponent) {
    for (const double p : {2.0, 3.0, 4.0, 1.5}) {
        for (const double scale : {1.0, 20.0, 60.0}) {
            CoordinationProblem problem = random_problem(12, 4, scale);
            problem.exponent = p;
            const CoordinationResult r = coordinate_muscles(problem);
            ASSERT_TRUE(r.has_converged) << p << " " << scale << " " << r.residual;
            Eigen::VectorXd sum = r.reserve;
            for (std::size_t m = 0; m < 12; ++m) {
                double pull = 0.0;
                for (Index k = 0; k < 4; ++k) {
                    const auto e = m * 4 + static_cast<std::size_t>(k);
                    sum[k] += problem.value[e] * r.activation[m];
                    pull += problem.value[e] * r.multiplier[k];
                }
                const double a = r.activation[m];
                const double gradient = std::pow(a, p - 1.0) - pull;
                if (a > 1e-9 && a < 1.0) {
                    EXPECT_NEAR(gradient, 0.0, 1e-6) << p;
                } else if (a >= 1.0) {
                    EXPECT_LE(gradient, 1e-9);
                } else {
                    EXPECT_GE(gradient, -1e-6);
                }
            }
            EXPECT_LT((sum - problem.tau).norm(), 1e-7 * (1.0 + problem.tau.norm()));
            // The reserves' own condition r = S y: nothing is hidden in them.
            EXPECT_LT((r.reserve - problem.reserve * r.multiplier).norm(),
                      1e-6 * (1.0 + problem.tau.norm()));
        }
    }
}

TEST(Coordination, ReservesTakeWhatMusclesCannot) {
    CoordinationProblem p;
    p.row = {0};
    p.value = {10.0};
    p.start = {0, 1};
    p.low = {0.0};
    p.high = {1.0};
    p.reserve = Eigen::MatrixXd::Identity(1, 1) * 0.01;
    p.tau = Eigen::VectorXd::Constant(1, 25.0);
    const CoordinationResult r = coordinate_muscles(p);
    EXPECT_TRUE(r.has_converged);
    EXPECT_NEAR(r.activation[0], 1.0, 1e-12);
    EXPECT_NEAR(r.reserve[0], 15.0, 1e-9);
}

// One hinge, a flexor and an extensor: the acceleration is reached by the right one alone.
TEST(Coordination, Ryu2021Eq12ReachesAccelerationsThatMusclesCanMake) {
    MusculoskeletalModel model;
    model.gravity = Vec3::Zero();
    model.bodies = {{.name = "arm", .mass = 1.0, .com = Vec3(0, -0.1, 0)}};
    model.bodies[0].inertia = Vec3(0.01, 0.01, 0.01).asDiagonal();
    model.coordinates = {{.name = "q"}};
    ModelJoint joint{.name = "elbow", .kind = JointKind::Hinge};
    joint.axes = standard_axes(JointKind::Hinge, 0);
    model.joints = {joint};
    for (const double side : {0.03, -0.03}) {
        MuscleUnit unit{.name = side > 0 ? "flexor" : "extensor"};
        PathPoint a;
        a.anchors = {{-1, Vec3(side, 0.2, 0), 1.0}};
        PathPoint b;
        b.anchors = {{0, Vec3(side, -0.05, 0), 1.0}};
        unit.points = {a, b};
        unit.fmax = 200.0;
        unit.fibre = 0.1;
        unit.tendon = 0.15;
        model.muscles.push_back(unit);
    }
    const std::vector<double> zero = {0.0};
    for (const double wanted : {50.0, -80.0}) {
        const AccelerationResult r =
            activations_for_acceleration(model, zero, zero, std::vector<double>{wanted}, 1e-6);
        EXPECT_TRUE(r.has_converged);
        EXPECT_NEAR(r.acceleration[0], wanted, 1e-2);
        EXPECT_NEAR(r.activation[wanted > 0 ? 1 : 0], 0.0, 1e-9);
        // I q'' = r F a with I about the joint.
        EXPECT_NEAR(r.activation[wanted > 0 ? 0 : 1],
                    std::abs(wanted) * (0.01 + 0.01) / (0.03 * 200.0), 1e-3);
    }
}

}  // namespace
}  // namespace sinew
