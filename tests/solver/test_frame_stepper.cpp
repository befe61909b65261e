#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/planes.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/material/corotated.h"
#include "sinew/solver/local_global.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

// A bar held at one end, its other end pulled aside by springs.
struct PulledBar {
    TetMesh mesh = support::box_of_tets({12, 3, 3}, {1.2, 0.3, 0.3});
    std::vector<int> free = {};
    std::vector<Index> fixed = {};
    EnergyTerms terms = {};

    PulledBar() {
        std::vector<Pins::Pin> pulls;
        for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
            const auto v = static_cast<Index>(i);
            if (mesh.points(i, 0) < 1e-9) {
                fixed.push_back(v);
            } else {
                free.push_back(v);
            }
            if (mesh.points(i, 0) > 1.2 - 1e-9) {
                pulls.push_back({v, point(mesh.points, i) + Vec3(0.0, 0.2, 0.0), 5.0});
            }
        }
        const auto count = static_cast<std::size_t>(mesh.tets.rows());
        terms = {std::make_shared<ProjectiveTets>(mesh, std::vector<double>(count, 100.0),
                                                  std::vector<double>(count, 100.0)),
                 std::make_shared<Pins>(pulls)};
    }
};

TEST(FrameStepper, ReportsTheResidualOfFixedIterationsAndStopsWhereItIsAskedTo) {
    const PulledBar bar;
    FrameStepper stepper(bar.mesh.points.rows(), bar.terms, bar.free);
    double last = 2.0;
    for (const int iterations : {2, 20, 200}) {
        Points x = bar.mesh.points;
        const StepReport report = stepper.iterate(x, {.iterations = iterations, .tolerance = 1e-4});
        EXPECT_EQ(report.iterations, iterations);
        ASSERT_EQ(report.residual.size(), 1u);
        EXPECT_LT(report.residual.back(), last);
        EXPECT_EQ(report.status == SolverStatus::Converged, report.residual.back() <= 1e-4);
        last = report.residual.back();
    }
    Points x = bar.mesh.points;
    const StepReport stopped =
        stepper.iterate(x, {.iterations = 5000, .tolerance = 1e-3, .is_stopping = true});
    EXPECT_EQ(stopped.status, SolverStatus::Converged);
    EXPECT_LT(stopped.iterations, 5000);
    EXPECT_LE(stopped.residual.back(), 1e-3);
    EXPECT_GT(stopped.residual[stopped.residual.size() - 2], 1e-3);
    // At rest nothing is left to do, whatever rounding says.
    FrameStepper alone(bar.mesh.points.rows(), {bar.terms[0]}, bar.free);
    x = bar.mesh.points;
    EXPECT_EQ(alone.iterate(x, {.iterations = 1}).status, SolverStatus::Converged);
}

TEST(FrameStepper, PlainStepsEndWhereGuardedOnesDo) {
    const PulledBar bar;
    LocalGlobal guarded(bar.mesh.points.rows(), bar.terms, bar.fixed);
    Points expected = bar.mesh.points;
    guarded.minimise(expected, {.max_iterations = 1000, .tolerance = 1e-6});
    FrameStepper stepper(bar.mesh.points.rows(), bar.terms, bar.free);
    Points x = bar.mesh.points;
    stepper.iterate(x, {.iterations = 2000, .tolerance = 1e-6, .is_stopping = true});
    EXPECT_GT((expected - bar.mesh.points).cwiseAbs().maxCoeff(), 0.05);
    EXPECT_LT((x - expected).cwiseAbs().maxCoeff(), 1e-4);
}

// A floor as contact with a diagonal of its own ends where the floor as a term does.
TEST(FrameStepper, ContactsWithADiagonalEqualTheTermThatTheyStandFor) {
    const PulledBar bar;
    std::vector<Planes::Plane> planes;
    for (const int v : bar.free) {
        planes.push_back({.vertex = v,
                          .origin = Vec3(0.0, 0.35, 0.0),
                          .normal = -Vec3::UnitY(),
                          .stiffness = 30.0,
                          .is_one_sided = true});
    }
    const auto ceiling = std::make_shared<Planes>(planes);
    EnergyTerms with = bar.terms;
    with.push_back(ceiling);
    const StepRule rule{.iterations = 3000, .tolerance = 1e-5, .is_stopping = true};
    FrameStepper whole(bar.mesh.points.rows(), with, bar.free);
    Points expected = bar.mesh.points;
    EXPECT_EQ(whole.iterate(expected, rule).status, SolverStatus::Converged);

    FrameStepper stepper(bar.mesh.points.rows(), bar.terms, bar.free);
    stepper.factor_contacts(std::vector<double>(bar.free.size(), 30.0));
    TermScratch scratch;
    stepper.set_contacts(
        [&](const Points& now, Points& force) { ceiling->add_force(now, force, scratch); });
    Points x = bar.mesh.points;
    EXPECT_EQ(stepper.iterate(x, rule).status, SolverStatus::Converged);
    EXPECT_LT((x - expected).cwiseAbs().maxCoeff(), 1e-4);
    // Without them the bar goes through.
    stepper.set_contacts({});
    Points through = bar.mesh.points;
    stepper.iterate(through, rule);
    EXPECT_GT(through.col(1).maxCoeff(), x.col(1).maxCoeff() + 0.01);
}

TEST(FrameStepper, InertiaAndDampingMoveAFreeBodyAsImplicitEulerDoes) {
    const TetMesh mesh = support::cube_of_tets(2);
    const auto count = static_cast<std::size_t>(mesh.tets.rows());
    std::vector<int> all(static_cast<std::size_t>(mesh.points.rows()));
    std::iota(all.begin(), all.end(), 0);
    constexpr double kStep = 0.1;
    FrameStepper stepper(mesh.points.rows(),
                         {std::make_shared<ProjectiveTets>(mesh, std::vector<double>(count, 1e3),
                                                           std::vector<double>(count, 1e3))},
                         all, std::vector<double>(all.size(), 2.0 / (kStep * kStep)));
    Points x = mesh.points;
    Points v = Points::Zero(x.rows(), 3);
    v.col(0).setConstant(1.0);
    const Points before = x;
    x = stepper.predict(x, v, kStep);
    stepper.iterate(x, {.iterations = 10});
    stepper.set_velocities(before, x, 0.5, kStep, v);
    EXPECT_LT((x.col(0) - before.col(0)).array().abs().maxCoeff(), 0.1 + 1e-6);
    EXPECT_GT((x.col(0) - before.col(0)).array().abs().minCoeff(), 0.1 - 1e-6);
    EXPECT_NEAR(v.col(0).mean(), 0.5, 1e-6);
}

// y = x + dt v + dt^2 M^-1 f [Komaritzan, algorithm 2.1]: without momentum the forces remain.
TEST(FrameStepper, ForcesMoveThePredictionWithoutMomentumToo) {
    const PulledBar bar;
    const auto n = static_cast<std::size_t>(bar.mesh.points.rows());
    FrameStepper stepper(bar.mesh.points.rows(), bar.terms, bar.free, std::vector<double>(n, 8.0));
    Points forces = Points::Zero(bar.mesh.points.rows(), 3);
    forces.col(1).setConstant(-4.0);
    stepper.set_external_forces(forces);
    const Points v = Points::Constant(bar.mesh.points.rows(), 3, 7.0);
    const Points y = stepper.predict(bar.mesh.points, v, 0.0);
    const Points d = y - bar.mesh.points;
    for (const int i : bar.free) {
        EXPECT_NEAR(d(i, 1), -0.5, 1e-15);
        EXPECT_EQ(d(i, 0), 0.0);
    }
    EXPECT_EQ(d(bar.fixed.front(), 1), 0.0);
}

TEST(FrameStepper, SameBytesOnOneAndTwoThreads) {
    const PulledBar bar;
    std::vector<Points> results;
    std::vector<double> residuals;
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        FrameStepper stepper(bar.mesh.points.rows(), bar.terms, bar.free);
        Points x = bar.mesh.points;
        residuals.push_back(stepper.iterate(x, {.iterations = 15}).residual.back());
        results.push_back(x);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(residuals[0], residuals[1]);
}

TEST(FrameStepper, TermsWithoutProjectionAreRefused) {
    const TetMesh mesh = support::one_tet();
    const auto law = std::make_shared<Corotated>(Lame{.mu = 1.0, .lambda = 1.0});
    EXPECT_THROW(FrameStepper(4, {std::make_shared<FemElastic>(mesh, law)}, {0, 1, 2, 3}),
                 InputError);
}

}  // namespace
}  // namespace sinew
