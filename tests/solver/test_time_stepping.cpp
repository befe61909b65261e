#include "sinew/base/error.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/masses.h"
#include "sinew/solver/time_stepping.h"

#include <gtest/gtest.h>

#include "tests/solver/fem_support.h"

namespace sinew {
namespace {

const Lame kMoving = lame_from_young(1.0e4, 0.4);

struct Body {
    TetMesh rest = support::box_of_tets({3, 1, 1}, {0.6, 0.2, 0.2});
    std::vector<double> masses = lumped_masses(
        rest, std::vector<double>(static_cast<std::size_t>(rest.tets.rows()), 1000.0));
    EnergyTerms terms = {
        std::make_shared<FemElastic>(rest, std::make_shared<StableNeoHookean>(kMoving))};
};

Vec3 momentum(const Body& body, const MovingPoints& s) {
    Vec3 sum = Vec3::Zero();
    for (Eigen::Index i = 0; i < s.v.rows(); ++i) {
        sum += body.masses[static_cast<std::size_t>(i)] * point(s.v, i);
    }
    return sum;
}

Vec3 angular_momentum(const Body& body, const MovingPoints& s) {
    Vec3 sum = Vec3::Zero();
    for (Eigen::Index i = 0; i < s.v.rows(); ++i) {
        sum += body.masses[static_cast<std::size_t>(i)] * point(s.x, i).cross(point(s.v, i));
    }
    return sum;
}

double kinetic_energy(const Body& body, const MovingPoints& s) {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < s.v.rows(); ++i) {
        sum += 0.5 * body.masses[static_cast<std::size_t>(i)] * point(s.v, i).squaredNorm();
    }
    return sum;
}

double total_energy(const Body& body, const MovingPoints& s) {
    return kinetic_energy(body, s) + body.terms[0]->value(s.x);
}

/// Strained, spinning and flying.
MovingPoints thrown(const Body& body) {
    MovingPoints s{body.rest.points, body.rest.points, 0.0};
    s.x.col(0) *= 1.1;
    for (Eigen::Index i = 0; i < s.v.rows(); ++i) {
        s.v.row(i) = (Vec3(0.5, 1.0, 3.0).cross(point(s.x, i)) + Vec3(1, 2, -1)).transpose();
    }
    return s;
}

TEST(ImplicitEuler, MomentumIsConservedInFreeFlight) {
    const Body body;
    ImplicitEuler stepper(body.terms, body.masses, {}, {.step = 0.01});
    MovingPoints s = thrown(body);
    const Vec3 before = momentum(body, s);
    for (int i = 0; i < 30; ++i) {
        EXPECT_EQ(stepper.advance(s).status, NewtonStatus::Converged);
        EXPECT_LT((momentum(body, s) - before).norm(), 1e-9 * before.norm());
    }
    EXPECT_NEAR(s.time, 0.3, 1e-12);
}

// Implicit Euler falls by g h^2 n (n + 1) / 2 in n steps.
TEST(ImplicitEuler, FreeFallIsTheOneByHand) {
    Body body;
    body.terms.push_back(
        std::make_shared<ConstantForces>(gravity_forces(body.masses, {0, -10, 0})));
    const double h = 0.02;
    ImplicitEuler stepper(body.terms, body.masses, {}, {.step = h});
    MovingPoints s{body.rest.points, 0.0 * body.rest.points, 0.0};
    const int n = 10;
    for (int i = 0; i < n; ++i) {
        stepper.advance(s);
    }
    const Points expected =
        body.rest.points.rowwise() - Eigen::RowVector3d(0, 10.0 * h * h * n * (n + 1) / 2.0, 0);
    EXPECT_LT((s.x - expected).cwiseAbs().maxCoeff(), 1e-9);
}

// Without forces the damped velocity shrinks by 1 / (1 + d h) in every step.
TEST(ImplicitEuler, MassDampingShrinksFreeVelocitiesAsByHand) {
    const Body body;
    ImplicitEuler stepper(body.terms, body.masses, {}, {.step = 0.05, .mass_damping = 4.0});
    MovingPoints s{body.rest.points, 0.0 * body.rest.points, 0.0};
    s.v.col(0).setConstant(1.0);
    stepper.advance(s);
    stepper.advance(s);
    EXPECT_LT((s.v.col(0).array() - 1.0 / (1.2 * 1.2)).abs().maxCoeff(), 1e-9);
}

TEST(ImplicitEuler, ComesToRestWhereStaticsDoes) {
    Body body;
    VertexConstraints fixed;
    for (const Index v :
         support::vertices_where(body.rest.points, [](const Vec3& p) { return p.x() < 1e-9; })) {
        fixed.fix(v, point(body.rest.points, v));
    }
    body.terms.push_back(std::make_shared<ConstantForces>(gravity_forces(body.masses, {0, -3, 0})));
    const Points statics = minimise(body.terms, fixed, body.rest.points).x;
    ImplicitEuler stepper(body.terms, body.masses, fixed, {.step = 0.1, .mass_damping = 2.0});
    MovingPoints s{body.rest.points, 0.0 * body.rest.points, 0.0};
    for (int i = 0; i < 150; ++i) {
        stepper.advance(s);
    }
    EXPECT_GT((statics - body.rest.points).cwiseAbs().maxCoeff(), 0.01);
    EXPECT_LT((s.x - statics).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(MixedStepper, Teran2003Section43MomentumIsConservedWithImplicitDamping) {
    const Body body;
    const MixedStepper stepper(body.terms, body.masses, FemViscosity(body.rest, 2000.0, 1000.0), {},
                               {.step = 5e-4, .tolerance = 1e-12});
    MovingPoints s = thrown(body);
    const Vec3 before = momentum(body, s);
    const Vec3 spin = angular_momentum(body, s);
    const double energy = total_energy(body, s);
    int iterations = 0;
    for (int i = 0; i < 200; ++i) {
        const MixedStepReport report = stepper.advance(s);
        EXPECT_TRUE(report.is_converged);
        iterations += report.iterations;
    }
    EXPECT_GT(iterations, 200);
    EXPECT_LT((momentum(body, s) - before).norm(), 1e-9 * before.norm());
    EXPECT_LT((angular_momentum(body, s) - spin).norm(), 1e-2 * spin.norm());
    EXPECT_LT(total_energy(body, s), 0.995 * energy);  // damping takes the vibration
}

TEST(MixedStepper, WithoutDampingEnergyAndBothMomentaAreKept) {
    const Body body;
    const double limit = compute_stable_step(body.terms, body.masses, body.rest.points);
    const MixedStepper stepper(body.terms, body.masses, std::nullopt, {}, {.step = 0.1 * limit});
    MovingPoints s = thrown(body);
    const double energy = total_energy(body, s);
    const Vec3 spin = angular_momentum(body, s);
    for (int i = 0; i < 2000; ++i) {
        stepper.advance(s);
        ASSERT_NEAR(total_energy(body, s), energy, 2e-3 * energy);
    }
    EXPECT_LT((angular_momentum(body, s) - spin).norm(), 1e-9 * spin.norm());
}

// Halving the step quarters the error: second order.
TEST(MixedStepper, IsOfSecondOrder) {
    const Body body;
    const double limit = compute_stable_step(body.terms, body.masses, body.rest.points);
    const double duration = 20.0 * limit;
    const auto end = [&](int steps) {
        const MixedStepper stepper(body.terms, body.masses, std::nullopt, {},
                                   {.step = duration / steps});
        MovingPoints s = thrown(body);
        for (int i = 0; i < steps; ++i) {
            stepper.advance(s);
        }
        return s.x;
    };
    const Points reference = end(3200);
    const double coarse = (end(100) - reference).norm();
    const double fine = (end(200) - reference).norm();
    EXPECT_NEAR(coarse / fine, 4.0, 0.3);
}

TEST(MixedStepper, StableBelowTheLimitAndNotAbove) {
    const Body body;
    const double limit = compute_stable_step(body.terms, body.masses, body.rest.points);
    const auto grows = [&](double step) {
        const MixedStepper stepper(body.terms, body.masses, std::nullopt, {}, {.step = step});
        MovingPoints s{support::jittered(body.rest.points, 1e-6, Seed{1}), 0.0 * body.rest.points,
                       0.0};
        for (int i = 0; i < 150; ++i) {
            stepper.advance(s);
        }
        return !((s.x - body.rest.points).cwiseAbs().maxCoeff() < 1e-3);
    };
    EXPECT_FALSE(grows(0.9 * limit));
    EXPECT_TRUE(grows(1.2 * limit));
}

// Damping so strong that treating it explicitly would blow up at this step: eta / (rho edge^2)
// times the step is far above 1.
TEST(MixedStepper, DampingPutsNoLimitOnTheStep) {
    const Body body;
    const double limit = compute_stable_step(body.terms, body.masses, body.rest.points);
    const double eta = 1e5;
    EXPECT_GT(eta / (1000.0 * 0.04) * limit, 5.0);
    const MixedStepper stepper(body.terms, body.masses, FemViscosity(body.rest, eta, eta), {},
                               {.step = 0.5 * limit});
    MovingPoints s{body.rest.points, support::jittered(0.0 * body.rest.points, 0.1, Seed{1}), 0.0};
    const double energy = total_energy(body, s);
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(stepper.advance(s).is_converged);
        EXPECT_LT(total_energy(body, s), energy);
    }
}

TEST(TimeStepping, BadMassesStatesAndOptionsAreRefused) {
    const Body body;
    std::vector<double> masses = body.masses;
    masses[2] = -1.0;
    EXPECT_THROW(ImplicitEuler(body.terms, masses, {}), InputError);
    masses[2] = 0.0;
    EXPECT_THROW(MixedStepper(body.terms, masses, std::nullopt, {}), InputError);
    EXPECT_THROW(ImplicitEuler(body.terms, body.masses, {}, {.step = 0.0}), InputError);
    const MixedStepper stepper(body.terms, body.masses, std::nullopt, {});
    MovingPoints s{Points::Zero(2, 3), Points::Zero(2, 3), 0.0};
    EXPECT_THROW(stepper.advance(s), InputError);
}

}  // namespace
}  // namespace sinew
