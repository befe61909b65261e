#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/energy/masses.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/projective_spring.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/linalg/svd3.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/solver/local_global.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

using Terms = EnergyTerms;

std::vector<double> same(Eigen::Index count, double value) {
    return std::vector<double>(static_cast<std::size_t>(count), value);
}

std::shared_ptr<ProjectiveTets> elastic(const TetMesh& mesh, double w_rot, double w_vol) {
    return std::make_shared<ProjectiveTets>(mesh, same(mesh.tets.rows(), w_rot),
                                            same(mesh.tets.rows(), w_vol));
}

std::vector<Index> vertices_where(const Points& x, const std::function<bool(const Vec3&)>& is_in) {
    std::vector<Index> list;
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
        if (is_in(point(x, i))) {
            list.push_back(static_cast<Index>(i));
        }
    }
    return list;
}

Points rows_of(const Points& x, const std::vector<Index>& list) {
    Points rows(static_cast<Eigen::Index>(list.size()), 3);
    for (std::size_t k = 0; k < list.size(); ++k) {
        rows.row(static_cast<Eigen::Index>(k)) = x.row(list[k]);
    }
    return rows;
}

std::vector<Mat3> growth_of(const TetMesh& mesh) {
    // The right half grows across the x axis.
    std::vector<Mat3> growth;
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        const double x = mesh.points(mesh.tets(t, 0), 0);
        growth.push_back(Vec3(1.0, x > 0.5 ? 1.3 : 1.0, x > 0.5 ? 1.3 : 1.0).asDiagonal());
    }
    return growth;
}

void expect_energy_never_rises(const LocalGlobalReport& report) {
    for (std::size_t k = 1; k < report.energy.size(); ++k) {
        EXPECT_LE(report.energy[k], report.energy[k - 1] * (1 + 2e-6) + 1e-15) << "iteration " << k;
    }
}

TEST(LocalGlobal, RestIsAnEquilibrium) {
    const TetMesh mesh = support::cube_of_tets(4);
    LocalGlobal solver(mesh.points.rows(), {elastic(mesh, 1, 10)});
    Points x = mesh.points;
    const LocalGlobalReport report = solver.minimise(x);
    EXPECT_EQ(report.status, LocalGlobalStatus::Converged);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(x, mesh.points);
}

TEST(LocalGlobal, EnergyNeverRisesWithAndWithoutAcceleration) {
    const TetMesh mesh = support::box_of_tets({12, 4, 4}, {3, 1, 1});
    const auto fixed =
        vertices_where(mesh.points, [](const Vec3& p) { return p.x() < 1e-9 || p.x() > 3 - 1e-9; });
    for (const int window : {0, 5}) {
        LocalGlobal solver(mesh.points.rows(), {elastic(mesh, 1, 10)}, fixed);
        Points x = mesh.points;
        for (const Index v : fixed) {
            if (x(v, 0) > 1.5) {  // one end turned by a right angle and pulled
                x.row(v) << x(v, 0) + 0.5, 0.5 - (x(v, 2) - 0.5), 0.5 + (x(v, 1) - 0.5);
            }
        }
        const auto report = solver.minimise(x, {.max_iterations = 60, .window = window});
        EXPECT_GE(report.iterations, 10);
        expect_energy_never_rises(report);
        EXPECT_LT(report.energy.back(), 0.5 * report.energy.front());
    }
}

TEST(LocalGlobal, FixedVerticesStayExactlyAndSoftOnesNearly) {
    const TetMesh mesh = support::cube_of_tets(3);
    const auto low = vertices_where(mesh.points, [](const Vec3& p) { return p.y() < 1e-9; });
    const auto high = vertices_where(mesh.points, [](const Vec3& p) { return p.y() > 1 - 1e-9; });
    Points targets = rows_of(mesh.points, high);
    targets.col(1).array() += 0.2;
    const auto anchor = std::make_shared<Pins>(high, targets, same(targets.rows(), 100.0));
    LocalGlobal solver(mesh.points.rows(), {elastic(mesh, 1, 1), anchor}, low);
    Points x = mesh.points;
    const auto report = solver.minimise(x);
    EXPECT_EQ(report.status, LocalGlobalStatus::Converged);
    EXPECT_EQ(rows_of(x, low), rows_of(mesh.points, low));
    EXPECT_LE((rows_of(x, high) - targets).cwiseAbs().maxCoeff(), 0.01);
    EXPECT_GT((rows_of(x, high) - targets).cwiseAbs().maxCoeff(), 1e-6);
}

// The same minimisation, written plainly: dense matrices, double precision, one loop.
Points slow_projective_dynamics(const TetMesh& mesh, double w_rot, double w_vol,
                                const std::vector<Index>& fixed, Points x, int iterations) {
    const Eigen::Index n = x.rows();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    std::vector<Eigen::Matrix<double, 3, 4>> gradients;
    std::vector<double> volumes;
    for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
        Mat3 e;
        for (int k = 0; k < 3; ++k) {
            e.col(k) =
                point(mesh.points, mesh.tets(t, k + 1)) - point(mesh.points, mesh.tets(t, 0));
        }
        const Mat3 B = e.inverse();
        Eigen::Matrix<double, 3, 4> G;  // F^T = G X
        G << -B.transpose().rowwise().sum(), B.transpose();
        gradients.push_back(G);
        volumes.push_back(e.determinant() / 6);
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) {
                A(mesh.tets(t, a), mesh.tets(t, b)) +=
                    (w_rot + w_vol) * volumes.back() * G.col(a).dot(G.col(b));
            }
        }
    }
    Eigen::VectorXd is_fixed = Eigen::VectorXd::Zero(n);
    for (const Index v : fixed) {
        is_fixed[v] = 1;
        A.row(v).setZero();
        A(v, v) = 1;
    }
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A);
    for (int k = 0; k < iterations; ++k) {
        Eigen::MatrixXd b = Eigen::MatrixXd::Zero(n, 3);
        for (Eigen::Index t = 0; t < mesh.tets.rows(); ++t) {
            Eigen::Matrix<double, 4, 3> X;
            for (int c = 0; c < 4; ++c) {
                X.row(c) = x.row(mesh.tets(t, c));
            }
            const Mat3 F = (gradients[t] * X).transpose();
            const Mat3 P = w_rot * nearest_rotation(F) + w_vol * nearest_with_determinant(F, 1.0);
            const Eigen::Matrix<double, 4, 3> add =
                volumes[t] * gradients[t].transpose() * P.transpose();
            for (int c = 0; c < 4; ++c) {
                b.row(mesh.tets(t, c)) += add.row(c);
            }
        }
        for (const Index v : fixed) {
            b.row(v) = x.row(v);
        }
        x = lu.solve(b);
    }
    return x;
}

TEST(LocalGlobal, Komaritzan213AgreesWithASlowDenseImplementationStepByStep) {
    const TetMesh mesh = support::box_of_tets({4, 2, 2}, {2, 1, 1});
    const auto fixed =
        vertices_where(mesh.points, [](const Vec3& p) { return p.x() < 1e-9 || p.x() > 2 - 1e-9; });
    Points start = mesh.points;
    for (const Index v : fixed) {
        start(v, 0) *= 1.3;
    }
    LocalGlobal solver(mesh.points.rows(), {elastic(mesh, 1, 4)}, fixed);
    for (const int iterations : {1, 2, 10}) {
        Points x = start;
        solver.minimise(x, {.max_iterations = iterations, .tolerance = 1e-12, .window = 0});
        const Points expected = slow_projective_dynamics(mesh, 1, 4, fixed, start, iterations);
        EXPECT_LE((x - expected).cwiseAbs().maxCoeff(), 2e-6) << iterations << " iterations";
    }
}

TEST(LocalGlobal, Saito2015VolumeConstraintReachesItsTarget) {
    const TetMesh mesh = support::cube_of_tets(4);
    const auto tets = elastic(mesh, 1e-4, 1);
    for (const double ratio : {1.0, 1.4, 0.7}) {
        tets->set_volume_ratio(same(mesh.tets.rows(), ratio));
        LocalGlobal solver(mesh.points.rows(), {tets});
        Points x = mesh.points;
        x.col(0) *= 1.2;
        solver.minimise(x, {.max_iterations = 300, .tolerance = 1e-6});
        EXPECT_LE(tets->volume_error(x).largest, 1e-3) << ratio;
        EXPECT_LE(tets->volume_error(x).total, 1e-3) << ratio;
    }
}

TEST(LocalGlobal, RecoversFromRandomCollapsedAndFlatStates) {
    const TetMesh mesh = support::box_of_tets({6, 3, 3}, {2, 1, 1});
    const auto fixed = vertices_where(mesh.points, [](const Vec3& p) { return p.x() < 1e-9; });
    std::vector<Points> starts;
    Random random(Seed{9});
    Points x = mesh.points;
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
        x.row(i) << random.uniform(0, 2), random.uniform(0, 1), random.uniform(0, 1);
    }
    starts.push_back(x);
    starts.push_back(Points::Zero(x.rows(), 3));
    Points flat = mesh.points;
    flat.col(1).setConstant(0.5);
    starts.push_back(flat);
    Points mirrored = mesh.points;
    mirrored.col(0) *= -1;
    starts.push_back(mirrored);
    for (std::size_t k = 0; k < starts.size(); ++k) {
        LocalGlobal solver(mesh.points.rows(), {elastic(mesh, 1, 1)}, fixed);
        Points from = starts[k];
        for (const Index v : fixed) {
            from.row(v) = mesh.points.row(v);
        }
        const auto report = solver.minimise(from, {.max_iterations = 2000, .tolerance = 1e-9});
        expect_energy_never_rises(report);
        EXPECT_LE((from - mesh.points).cwiseAbs().maxCoeff(), 1e-3) << "start " << k;
    }
}

TEST(LocalGlobal, Saito2015RestMatrixAndExactMatrixGrowToTheSameShape) {
    const TetMesh mesh = support::box_of_tets({10, 4, 4}, {1, 0.4, 0.4});
    const auto fixed = vertices_where(mesh.points, [](const Vec3& p) { return p.x() < 1e-9; });
    const auto tets = elastic(mesh, 1, 10);
    LocalGlobal solver(mesh.points.rows(), {tets}, fixed);
    tets->set_growth(growth_of(mesh));
    Points rest_matrix = mesh.points;
    const auto quasi = solver.minimise(rest_matrix, {.max_iterations = 400, .tolerance = 1e-6});
    ASSERT_TRUE(solver.refactor().is_positive_definite);
    Points exact_matrix = mesh.points;
    const auto exact = solver.minimise(exact_matrix, {.max_iterations = 400, .tolerance = 1e-6});
    EXPECT_EQ(quasi.status, LocalGlobalStatus::Converged);
    EXPECT_EQ(exact.status, LocalGlobalStatus::Converged);
    EXPECT_LE((rest_matrix - exact_matrix).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_NEAR(quasi.energy.back(), exact.energy.back(), 1e-4 * exact.energy.back());
    expect_energy_never_rises(quasi);
}

TEST(LocalGlobal, Saito2015Eq5AttachmentsFollowTheirTargets) {
    const TetMesh mesh = support::cube_of_tets(3);
    // The centres of some tetrahedra are samples of a bone that moves by 0.3 along z.
    Tets corners(20, 4);
    Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor> barycentric(20, 4);
    Points targets(20, 3);
    for (int i = 0; i < 20; ++i) {
        corners.row(i) = mesh.tets.row(8 * i);
        barycentric.row(i).setConstant(0.25);
        targets.row(i).setZero();
        for (int k = 0; k < 4; ++k) {
            targets.row(i) += 0.25 * mesh.points.row(corners(i, k));
        }
        targets(i, 2) += 0.3;
    }
    const auto bone = std::make_shared<Pins>(corners, barycentric, targets, same(20, 100.0));
    LocalGlobal solver(mesh.points.rows(), {elastic(mesh, 1, 1), bone});
    Points x = mesh.points;
    const auto report = solver.minimise(x, {.max_iterations = 200, .tolerance = 1e-7});
    EXPECT_EQ(report.status, LocalGlobalStatus::Converged);
    Points expected = mesh.points;
    expected.col(2).array() += 0.3;
    EXPECT_LE((x - expected).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(LocalGlobal, AccelerationHalvesTheIterations) {
    const TetMesh mesh = support::box_of_tets({10, 4, 4}, {1.2, 0.5, 0.5});
    const auto fixed = vertices_where(mesh.points, [](const Vec3& p) { return p.x() < 1e-9; });
    const auto tets = elastic(mesh, 1, 10);
    LocalGlobal solver(mesh.points.rows(), {tets}, fixed);
    tets->set_growth(growth_of(mesh));
    Points converged = mesh.points;
    const double minimum =
        solver.minimise(converged, {.max_iterations = 250, .tolerance = 1e-8}).energy.back();
    const auto iterations_to = [&](double level, int window) {
        Points x = mesh.points;
        const auto report =
            solver.minimise(x, {.max_iterations = 250, .tolerance = 1e-8, .window = window});
        const auto is_there = [&](double e) { return e <= (1 + level) * minimum; };
        return std::find_if(report.energy.begin(), report.energy.end(), is_there) -
               report.energy.begin();
    };
    EXPECT_LE(2 * iterations_to(1e-3, 5), iterations_to(1e-3, 0));
}

TEST(LocalGlobal, SameBytesOnOneAndTwoThreads) {
    const TetMesh mesh = support::cube_of_tets(10);
    const auto fixed = vertices_where(mesh.points, [](const Vec3& p) { return p.x() < 1e-9; });
    std::vector<Points> results;
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        const auto tets = elastic(mesh, 1, 10);
        LocalGlobal solver(mesh.points.rows(), {tets}, fixed);
        tets->set_growth(growth_of(mesh));
        Points x = mesh.points;
        solver.minimise(x, {.max_iterations = 12});
        results.push_back(x);
    }
    EXPECT_EQ(results[0], results[1]);
}

TEST(LocalGlobal, FreeFlightKeepsMomentumAndFallsAsNewtonSays) {
    const TetMesh mesh = support::cube_of_tets(3);
    const Eigen::Index n = mesh.points.rows();
    LocalGlobal solver(n, {elastic(mesh, 100, 100)});
    const double dt = 0.01;
    ASSERT_TRUE(solver.set_dynamics(same(n, 0.1), dt).is_positive_definite);
    Points gravity = Points::Zero(n, 3);
    gravity.col(1).setConstant(-9.81 * 0.1);
    solver.set_external_forces(gravity);
    Points x = mesh.points;
    x.col(0) *= 1.05;  // wobbling
    Points v = Points::Zero(n, 3);
    v.col(2).setConstant(1.0);
    const Eigen::RowVector3d centre = x.colwise().mean();
    const int steps = 40;
    for (int k = 0; k < steps; ++k) {
        solver.advance(x, v, 1.0, {.max_iterations = 8, .window = 0});
    }
    const Eigen::RowVector3d speed = v.colwise().mean();
    EXPECT_NEAR(speed[0], 0.0, 1e-5);
    EXPECT_NEAR(speed[1], -9.81 * dt * steps, 1e-4);
    EXPECT_NEAR(speed[2], 1.0, 1e-5);
    // Implicit Euler: sum_k k dt^2 g = g dt^2 steps (steps + 1) / 2.
    const Eigen::RowVector3d moved = x.colwise().mean() - centre;
    EXPECT_NEAR(moved[1], -9.81 * dt * dt * steps * (steps + 1) / 2, 1e-4);
    EXPECT_NEAR(moved[2], dt * steps, 1e-5);
}

TEST(LocalGlobal, Komaritzan214DampingScalesVelocities) {
    const TetMesh mesh = support::one_tet();
    LocalGlobal solver(4, {elastic(mesh, 1, 1)});
    solver.set_dynamics(same(4, 1.0), 0.1);
    Points x = mesh.points;
    Points v = Points::Zero(4, 3);
    v.col(0).setConstant(1.0);
    solver.advance(x, v, 0.5);
    EXPECT_NEAR(v(2, 0), 0.5, 1e-6);
    EXPECT_NEAR(x(0, 0), 0.1, 1e-6);
}

TEST(LocalGlobal, ChangingConstraintsGiveTheResultOfANewFactorisation) {
    const TetMesh mesh = support::cube_of_tets(4);
    const auto low = vertices_where(mesh.points, [](const Vec3& p) { return p.y() < 1e-9; });
    const auto high =
        vertices_where(mesh.points, [](const Vec3& p) { return p.y() > 1 - 1e-9 && p.x() > 0.4; });
    Points targets = rows_of(mesh.points, high);
    targets.col(0).array() += 0.3;
    const auto pull = std::make_shared<Pins>(high, targets, same(targets.rows(), 50.0));
    const LocalGlobalOptions options{.max_iterations = 200, .tolerance = 1e-7};
    LocalGlobal all(mesh.points.rows(), {elastic(mesh, 1, 1), pull}, low);
    Points expected = mesh.points;
    const auto reference = all.minimise(expected, options);
    for (const ChangingMethod method :
         {ChangingMethod::Woodbury, ChangingMethod::SecondMatrix, ChangingMethod::ConjugateGradient,
          ChangingMethod::Automatic}) {
        LocalGlobal solver(mesh.points.rows(), {elastic(mesh, 1, 1)}, low);
        const std::shared_ptr<ProjectiveConstraints> list[1] = {pull};
        solver.set_changing(list, method);
        Points x = mesh.points;
        const auto report = solver.minimise(x, options);
        EXPECT_EQ(report.status, LocalGlobalStatus::Converged);
        EXPECT_LE((x - expected).cwiseAbs().maxCoeff(), 1e-5);
        EXPECT_LE(report.iterations, reference.iterations + 5);
        // And they go again.
        solver.set_changing({});
        solver.minimise(x, options);
        EXPECT_LE((x - mesh.points).cwiseAbs().maxCoeff(), 1e-4);
    }
}

// The corners of the cost model: few rows, rows that change at once, many rows that stay.
TEST(LocalGlobal, CheapestMethodFollowsTheMeasuredCosts) {
    EXPECT_EQ(cheapest_method(3, 10), ChangingMethod::Woodbury);
    EXPECT_EQ(cheapest_method(200, 10), ChangingMethod::Woodbury);
    EXPECT_EQ(cheapest_method(2000, 10), ChangingMethod::SecondMatrix);
    EXPECT_EQ(cheapest_method(500, 1), ChangingMethod::ConjugateGradient);
}

// Saito 2015, section 4: ten iterations are enough, and the rest matrix costs few of them.
TEST(LocalGlobal, Saito2015TenIterationsReachOnePercentOnAGrowingMuscle) {
    const TetMesh mesh = support::box_of_tets({14, 6, 6}, {0.3, 0.1, 0.1});
    const auto fixed = vertices_where(mesh.points, [](const Vec3& p) {
        return (p - Vec3(p.x(), 0.05, 0.05)).norm() < 0.02;  // a bone along the middle
    });
    const auto tets = elastic(mesh, 200, 2000);
    LocalGlobal solver(mesh.points.rows(), {tets}, fixed);
    tets->set_growth(std::vector<Mat3>(static_cast<std::size_t>(mesh.tets.rows()),
                                       Vec3(1.0, 1.1, 1.1).asDiagonal()));
    Points converged = mesh.points;
    const double minimum =
        solver.minimise(converged, {.max_iterations = 300, .tolerance = 1e-8}).energy.back();
    Points x = mesh.points;
    const double rest = solver.minimise(x, {.max_iterations = 10}).energy.back();
    EXPECT_LE(rest, 1.01 * minimum);
    solver.refactor();
    Points y = mesh.points;
    const double exact = solver.minimise(y, {.max_iterations = 10}).energy.back();
    EXPECT_LE(exact, 1.01 * minimum);
}

TEST(LocalGlobal, ReportsProgressAndCanBeCancelled) {
    const TetMesh mesh = support::cube_of_tets(3);
    LocalGlobal solver(mesh.points.rows(), {elastic(mesh, 1, 10)});
    Points x = mesh.points;
    x.col(1) = x.col(1).cwiseProduct(x.col(0));
    int calls = 0;
    const Progress progress;
    EXPECT_THROW(solver.minimise(x, {.max_iterations = 50, .tolerance = 1e-12}, progress,
                                 [&](int iteration, const Points&) {
                                     EXPECT_EQ(iteration, ++calls);
                                     if (calls == 3) {
                                         progress.cancel();
                                     }
                                 }),
                 Cancelled);
    EXPECT_EQ(calls, 3);
    EXPECT_TRUE(x.allFinite());
}

TEST(LocalGlobal, BadInputIsNamed) {
    const TetMesh mesh = support::one_tet();
    const Index outside[1] = {4};
    EXPECT_THROW(LocalGlobal(4, {elastic(mesh, 1, 1)}, outside), InputError);
    LocalGlobal solver(4, {elastic(mesh, 1, 1)});
    Points x = Points::Constant(4, 3, std::nan(""));
    EXPECT_THROW(solver.minimise(x), InputError);
    x = mesh.points;
    EXPECT_THROW(solver.minimise(x, {.tolerance = -1}), InputError);
    Points v = Points::Zero(4, 3);
    EXPECT_THROW(solver.advance(x, v, 1.0), InputError);
}

// Forces not far above the rounding of single precision are noisy: the search went on learning from
// noise there, and ended up to a whole load away from equilibrium.
TEST(LocalGlobal, LoadsNearSinglePrecisionConverge) {
    const TetMesh bar = support::box_of_tets({24, 4, 4}, {0.3, 0.05, 0.05});
    const auto held = vertices_where(bar.points, [](const Vec3& p) { return p.x() < 1e-9; });
    for (const double gravity : {0.981, 0.0981, 0.00981}) {
        LocalGlobal solver(bar.points.rows(), Terms{elastic(bar, 1e5, 0.0)}, held);
        const std::vector<double> masses = lumped_masses(bar, same(bar.tets.rows(), 1000.0));
        solver.set_external_forces(gravity_forces(masses, {0.0, -gravity, 0.0}));
        Points x = bar.points;
        const LocalGlobalReport report = solver.minimise(x, {.max_iterations = 400});
        EXPECT_EQ(report.status, LocalGlobalStatus::Converged) << gravity;
        EXPECT_LE(report.residual.back(), 1e-5) << gravity;
    }
}

}  // namespace
}  // namespace sinew
