#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/planes.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/solver/fem_support.h"

namespace sinew {
namespace {

const Lame kTissue = lame_from_young(1.0e4, 0.4);

/// Unit cube whose inner vertices are displaced at rest, so that no two elements are alike.
TetMesh irregular_cube(int n) {
    TetMesh rest = support::cube_of_tets(n);
    const Points moved = support::jittered(rest.points, 0.15 / n, Seed{5});
    for (Eigen::Index i = 0; i < rest.points.rows(); ++i) {
        if (!support::on_unit_cube(point(rest.points, i))) {
            rest.points.row(i) = moved.row(i);
        }
    }
    return rest;
}

EnergyTerms elastic(const TetMesh& rest, std::shared_ptr<const Material> law) {
    return {std::make_shared<FemElastic>(rest, std::move(law))};
}

// Constant strain is a solution for every homogeneous material, and linear elements contain it.
TEST(Newton, PatchTestIsExact) {
    const TetMesh rest = irregular_cube(4);
    Mat3 A;
    A << 1.2, 0.15, 0.05, -0.1, 0.9, 0.1, 0.05, -0.05, 1.1;
    const Points affine = (rest.points * A.transpose()).rowwise() + Eigen::RowVector3d(3, -2, 1);
    VertexConstraints boundary;
    for (const Index v : support::vertices_where(rest.points, support::on_unit_cube)) {
        boundary.fix(v, point(affine, v));
    }
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        const NewtonResult result = minimise(elastic(rest, law), boundary, rest.points);
        EXPECT_EQ(result.report.status, NewtonStatus::Converged) << name;
        EXPECT_LT((result.x - affine).cwiseAbs().maxCoeff(), 1e-10) << name;
    }
}

/// A cube between rollers x, y, z = 0, its face x = 1 held at x = stretch.
VertexConstraints rollers(const TetMesh& rest, const std::vector<double>& stretch) {
    VertexConstraints c;
    for (Eigen::Index i = 0; i < rest.points.rows(); ++i) {
        const Vec3 p = point(rest.points, i);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto k = static_cast<int>(axis);
            if (p[k] < 1e-9) {
                c.keep_in_plane(static_cast<Index>(i), Vec3::Zero(), Vec3::Unit(k));
            }
            if (axis < stretch.size() && p[k] > 1.0 - 1e-9) {
                c.keep_in_plane(static_cast<Index>(i), stretch[axis] * Vec3::Unit(k),
                                Vec3::Unit(k));
            }
        }
    }
    return c;
}

double face_force(const EnergyTerms& terms, const TetMesh& rest, const Points& x) {
    const Points g = support::gradient_of(terms, x);
    double sum = 0.0;
    for (const Index v :
         support::vertices_where(rest.points, [](const Vec3& p) { return p.x() > 1.0 - 1e-9; })) {
        sum += g(v, 0);
    }
    return sum;
}

/// The stretch of the free directions at which their stress vanishes, by bisection.
double free_stretch(const Material& law, const std::function<Vec3(double)>& stretches) {
    double low = 0.3;
    double high = 2.0;
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (low + high);
        const Mat3 F = stretches(middle).asDiagonal();
        (law.stress(F)(2, 2) < 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

TEST(Newton, UniaxialStretchHasTheForceAndTheLateralStretchOfTheLaw) {
    const TetMesh rest = irregular_cube(3);
    for (const double stretch : {0.8, 1.2, 1.5}) {
        for (const auto& [name, law, free] : support::all_laws(kTissue)) {
            const EnergyTerms terms = elastic(rest, law);
            const NewtonResult result = minimise(terms, rollers(rest, {stretch}), rest.points);
            const double s = free_stretch(*law, [&](double l) { return Vec3(stretch, l, l); });
            const Mat3 P = law->stress(Vec3(stretch, s, s).asDiagonal());
            EXPECT_NEAR(face_force(terms, rest, result.x), P(0, 0), 1e-6 * std::abs(P(0, 0)))
                << name;
            EXPECT_NEAR(result.x.col(2).maxCoeff(), s, 1e-6) << name;
        }
    }
}

// The table of the compressible neo-Hookean law with E = 1, nu = 0.45 (see the closed forms of
// tests/material), now as the answer of the solver.
TEST(Newton, UniaxialStretchOfCompressibleNeoHookeanMatchesTheTable) {
    const TetMesh rest = irregular_cube(2);
    const auto law = std::make_shared<CompressibleNeoHookean>(lame_from_young(1.0, 0.45));
    const EnergyTerms terms = elastic(rest, law);
    const double cases[][3] = {
        {0.8, -0.249930, 1.104462}, {1.2, 0.170239, 0.920634}, {1.5, 0.358614, 0.830679}};
    for (const auto& [stretch, force, lateral] : cases) {
        const NewtonResult result = minimise(terms, rollers(rest, {stretch}), rest.points);
        EXPECT_NEAR(face_force(terms, rest, result.x), force, 1e-6);
        EXPECT_NEAR(result.x.col(1).maxCoeff(), lateral, 1e-6);
    }
}

TEST(Newton, EquibiaxialStretchHasTheForceOfTheLaw) {
    const TetMesh rest = irregular_cube(3);
    for (const double stretch : {0.9, 1.25, 1.5}) {
        for (const auto& [name, law, free] : support::all_laws(kTissue)) {
            const EnergyTerms terms = elastic(rest, law);
            const NewtonResult result =
                minimise(terms, rollers(rest, {stretch, stretch}), rest.points);
            const double s =
                free_stretch(*law, [&](double l) { return Vec3(stretch, stretch, l); });
            const Mat3 P = law->stress(Vec3(stretch, stretch, s).asDiagonal());
            EXPECT_NEAR(face_force(terms, rest, result.x), P(0, 0), 1e-6 * std::abs(P(0, 0)))
                << name;
            EXPECT_NEAR(result.x.col(2).maxCoeff(), s, 1e-6) << name;
        }
    }
}

// Incompressible limit: nu = 0.4999995 brings the isochoric law to l - l^-2 within 1e-6.
TEST(Newton, NearlyIncompressibleUniaxialForceIsLambdaMinusItsInverseSquare) {
    const TetMesh rest = support::cube_of_tets(2);
    const auto law = std::make_shared<IsochoricNeoHookean>(Lame{.mu = 1.0, .lambda = 2.0e6});
    const EnergyTerms terms = elastic(rest, law);
    for (const double l : {0.7, 1.25, 1.5, 2.0}) {
        const NewtonResult result = minimise(terms, rollers(rest, {l}), rest.points);
        EXPECT_NEAR(face_force(terms, rest, result.x), l - 1.0 / (l * l), 2e-6) << l;
    }
}

// The whole boundary follows the shear; the traction on the face y = 1 is P e_y, and for
// neo-Hookean solids P_xy = sigma_xy = mu g.
TEST(Newton, SimpleShearHasTheTractionOfTheLaw) {
    const TetMesh rest = irregular_cube(3);
    const double g = 0.4;
    Mat3 F = Mat3::Identity();
    F(0, 1) = g;
    const Points sheared = rest.points * F.transpose();
    VertexConstraints boundary;
    for (const Index v : support::vertices_where(rest.points, support::on_unit_cube)) {
        boundary.fix(v, point(sheared, v));
    }
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        const EnergyTerms terms = elastic(rest, law);
        const NewtonResult result = minimise(terms, boundary, rest.points);
        // Virtual work of moving every vertex by its height along x: P_xy times the volume.
        const double work = support::gradient_of(terms, result.x).col(0).dot(rest.points.col(1));
        const Mat3 P = law->stress(F);
        EXPECT_NEAR(work, P(0, 1), 1e-6 * std::abs(P(0, 1))) << name;
        if (name == "compressible_neo_hookean" || name == "isochoric_neo_hookean") {
            EXPECT_NEAR(work, kTissue.mu * g, 1e-6 * kTissue.mu) << name;
        }
    }
}

TEST(Newton, LinearElasticityTakesOneIteration) {
    const TetMesh rest = irregular_cube(3);
    EnergyTerms terms = elastic(rest, std::make_shared<Linear>(kTissue));
    Points load = Points::Zero(rest.points.rows(), 3);
    load.col(1).setConstant(-1.0);
    terms.push_back(std::make_shared<ConstantForces>(load));
    const NewtonResult result = minimise(terms, rollers(rest, {}), rest.points);
    EXPECT_EQ(result.report.status, NewtonStatus::Converged);
    EXPECT_EQ(result.report.iterations, 1);
    EXPECT_LT(result.report.residual.back(), 1e-9);
}

TEST(Newton, EnergyNeverRisesAndTheEndIsQuadratic) {
    const TetMesh rest = irregular_cube(4);
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        EnergyTerms terms = elastic(rest, law);
        Points load = Points::Zero(rest.points.rows(), 3);
        load.col(0).setConstant(8.0);
        terms.push_back(std::make_shared<ConstantForces>(load));
        VertexConstraints fixed;
        for (const Index v :
             support::vertices_where(rest.points, [](const Vec3& p) { return p.y() < 1e-9; })) {
            fixed.fix(v, point(rest.points, v));
        }
        const NewtonResult result =
            minimise(terms, fixed, support::jittered(rest.points, 0.3, Seed{9}));
        const NewtonReport& report = result.report;
        ASSERT_EQ(report.energy.size(), static_cast<std::size_t>(report.iterations) + 1);
        ASSERT_EQ(report.residual.size(), report.energy.size());
        for (std::size_t i = 1; i < report.energy.size(); ++i) {
            EXPECT_LE(report.energy[i], report.energy[i - 1] + 1e-9) << name;
        }
        EXPECT_EQ(report.status, NewtonStatus::Converged) << name;
        EXPECT_EQ(report.step.back(), 1.0) << name;
        if (report.iterations > 2 && free) {
            EXPECT_LT(report.residual.back(), 1e-2 * report.residual[report.residual.size() - 2])
                << name;
        }
    }
}

TEST(Newton, ArrivesWhenAWholeStepHardlyMovesAnything) {
    const TetMesh rest = irregular_cube(3);
    const EnergyTerms terms = elastic(rest, std::make_shared<StableNeoHookean>(kTissue));
    const VertexConstraints held = rollers(rest, {1.4});
    const NewtonResult whole = minimise(terms, held, rest.points);
    constexpr double kStill = 1e-3;
    const NewtonResult early = minimise(terms, held, rest.points, {.still = kStill});
    EXPECT_EQ(early.report.status, NewtonStatus::Converged);
    EXPECT_LT(early.report.iterations, whole.report.iterations);
    EXPECT_EQ(early.report.step.back(), 1.0);
    EXPECT_LT((early.x - whole.x).rowwise().norm().maxCoeff(), kStill);
    // The exact Hessian is not tried above the residual from which it may be.
    const NewtonResult projected = minimise(terms, held, rest.points, {.exact_below = 0.0});
    EXPECT_EQ(projected.report.projected_hessians, projected.report.iterations);
    EXPECT_LT((projected.x - whole.x).rowwise().norm().maxCoeff(), 1e-6);
}

TEST(Newton, SoftPinsAndPlanesComeNearTheHardOnes) {
    const TetMesh rest = support::cube_of_tets(2);
    const auto law = std::make_shared<StableNeoHookean>(kTissue);
    VertexConstraints hard;
    std::vector<Pins::Pin> pins;
    std::vector<Planes::Plane> slides;
    for (Eigen::Index i = 0; i < rest.points.rows(); ++i) {
        const Vec3 p = point(rest.points, i);
        const auto v = static_cast<Index>(i);
        if (p.y() < 1e-9) {
            hard.fix(v, p);
            pins.push_back({v, p, 1e8});
        }
        if (p.y() > 1.0 - 1e-9) {
            hard.keep_in_plane(v, {0, 1.3, 0}, {0, 1, 0});
            slides.push_back({v, {0, 1.3, 0}, {0, 1, 0}, 1e8});
        }
    }
    const EnergyTerms stiff = elastic(rest, law);
    EnergyTerms soft = stiff;
    soft.push_back(std::make_shared<Pins>(pins));
    soft.push_back(std::make_shared<Planes>(slides));
    const Points a = minimise(stiff, hard, rest.points).x;
    const Points b = minimise(soft, {}, rest.points).x;
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_GT((a - b).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(a.col(1).maxCoeff(), 1.3, 1e-12);
}

TEST(Newton, OneAndTwoThreadsGiveTheSameBytes) {
    const TetMesh rest = irregular_cube(7);
    const EnergyTerms terms = elastic(rest, std::make_shared<StableNeoHookean>(kTissue));
    const auto run = [&](int threads) {
        const ThreadLimit limit(threads);
        return minimise(terms, rollers(rest, {1.3}), support::jittered(rest.points, 0.02, Seed{3}))
            .x;
    };
    const Points one = run(1);
    const Points two = run(2);
    EXPECT_EQ(
        std::memcmp(one.data(), two.data(), static_cast<std::size_t>(one.size()) * sizeof(double)),
        0);
}

TEST(Newton, SymbolicWorkServesSeveralSolves) {
    const TetMesh rest = irregular_cube(3);
    const EnergyTerms terms = elastic(rest, std::make_shared<Corotated>(kTissue));
    NewtonSolver solver(terms, rest.points.rows(), rollers(rest, {1.2}));
    const Points first = solver.solve(terms, rest.points).x;
    const Points again = solver.solve(terms, support::jittered(rest.points, 0.05, Seed{2})).x;
    EXPECT_LT((first - again).norm(), 1e-8);
}

TEST(Newton, ReportsTheIterationLimit) {
    const TetMesh rest = irregular_cube(2);
    const EnergyTerms terms = elastic(rest, std::make_shared<StableNeoHookean>(kTissue));
    const NewtonResult result =
        minimise(terms, rollers(rest, {2.0}), rest.points, {.max_iterations = 1});
    EXPECT_EQ(result.report.status, NewtonStatus::IterationLimit);
    EXPECT_EQ(result.report.iterations, 1);
}

TEST(Newton, CanBeCancelled) {
    const TetMesh rest = irregular_cube(2);
    const EnergyTerms terms = elastic(rest, std::make_shared<StableNeoHookean>(kTissue));
    const Progress progress;
    progress.cancel();
    EXPECT_THROW(minimise(terms, rollers(rest, {2.0}), rest.points, {}, progress), Cancelled);
}

TEST(Newton, BadStartsAndOptionsAreRefused) {
    const TetMesh rest = irregular_cube(2);
    const EnergyTerms terms = elastic(rest, std::make_shared<StableNeoHookean>(kTissue));
    NewtonSolver solver(terms, rest.points.rows(), {});
    EXPECT_THROW(solver.solve(terms, Points::Zero(3, 3)), InputError);
    Points bad = rest.points;
    bad(0, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(solver.solve(terms, bad), InputError);
    EXPECT_THROW(solver.solve(terms, rest.points, {.tolerance = 0.0}), InputError);
}

TEST(Newton, EverythingFixedNeedsNoUnknowns) {
    const TetMesh rest = support::one_tet();
    const EnergyTerms terms = elastic(rest, std::make_shared<StableNeoHookean>(kTissue));
    VertexConstraints all;
    for (Index v = 0; v < 4; ++v) {
        all.fix(v, 2.0 * point(rest.points, v));
    }
    const NewtonResult result = minimise(terms, all, rest.points);
    EXPECT_EQ(result.report.status, NewtonStatus::Converged);
    EXPECT_EQ(result.x, 2.0 * rest.points);
}

}  // namespace
}  // namespace sinew
