#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/geometry/dense_cholesky.h"
#include "sinew/geometry/rbf_warp.h"
#include "sinew/linalg/dense.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

Points random_points(Eigen::Index n, double size, Seed seed) {
    Random random(seed);
    Points p(n, 3);
    for (Eigen::Index i = 0; i < p.size(); ++i) {
        p.data()[i] = random.uniform(-size, size);
    }
    return p;
}

/// A bend and a twist: nothing affine about it.
Points bent(const Points& points) {
    Points q = points;
    for (Eigen::Index i = 0; i < q.rows(); ++i) {
        const Vec3 p = point(points, i);
        q.row(i) << p.x() + 0.3 * std::sin(2 * p.y()), p.y() + 0.2 * p.x() * p.z(),
            p.z() + 0.1 * std::cos(3 * p.x());
    }
    return q;
}

TEST(RbfWarp, AffineMapsAreReproducedEverywhere) {
    const Points source = random_points(200, 0.5, Seed{1});
    const RbfWarp warp(source, support::affine(source));
    const Points anywhere = random_points(500, 5.0, Seed{2});
    EXPECT_LT((warp.apply(anywhere) - support::affine(anywhere)).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT(warp.largest_residual(), 1e-14);
    // Four centres determine nothing but an affine map.
    const Points four = support::one_tet().points;
    const RbfWarp smallest(four, support::affine(four));
    EXPECT_LT((smallest.apply(anywhere) - support::affine(anywhere)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(RbfWarp, CentresReachTheirTargets) {
    for (const double size : {1.0, 1e-3, 1e3}) {
        const Points unit = random_points(300, 1.0, Seed{3});
        const Points source = ((size * unit).array() + 7 * size).matrix();
        const Points target = size * bent(unit);
        const RbfWarp warp(source, target);
        EXPECT_LT((warp.apply(source) - target).cwiseAbs().maxCoeff(), 1e-10 * size);
        EXPECT_LT(warp.largest_residual(), 1e-10 * size);
        EXPECT_EQ(warp.at(point(source, 5)), point(warp.apply(source), 5));
    }
}

// The same saddle point system by a general factorisation, straight from the definition.
TEST(RbfWarp, OneSystemServesManyTargets) {
    const TriangleMesh ball = support::sphere(2, 1.0);
    const RbfSystem system(ball.points);
    for (const double factor : {0.5, 1.7}) {
        Points target = ball.points;
        target.col(1) = factor * target.col(1).array().square();
        const Vec3 p(0.1, 0.2, -0.3);
        EXPECT_EQ(system.to(target).at(p), RbfWarp(ball.points, target).at(p));
    }
    EXPECT_THROW(system.to(Points(ball.points.topRows(5))), InputError);
}

TEST(RbfWarp, Duchon1977AgreesWithTheFullSystemSolvedAtOnce) {
    const Eigen::Index n = 60;
    const Points c = random_points(n, 1.0, Seed{4});
    const Points t = bent(c);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + 4, n + 4);
    for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index j = 0; j < n; ++j) {
            A(i, j) = std::pow((c.row(i) - c.row(j)).norm(), 3);
        }
        A.row(i).tail<4>() << 1, c.row(i);
        A.col(i).tail<4>() << 1, c.row(i).transpose();
    }
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(n + 4, 3);
    b.topRows(n) = t;
    Eigen::MatrixXd x(n + 4, 3);
    for (int k = 0; k < 3; ++k) {
        x.col(k) = least_squares(A, b.col(k));
    }
    const Points queries = random_points(100, 1.5, Seed{5});
    const Points mapped = RbfWarp(c, t).apply(queries);
    for (Eigen::Index q = 0; q < queries.rows(); ++q) {
        Eigen::RowVector3d expected = x.row(n) + queries.row(q) * x.bottomRows(3);
        for (Eigen::Index j = 0; j < n; ++j) {
            expected += std::pow((queries.row(q) - c.row(j)).norm(), 3) * x.row(j);
        }
        EXPECT_LT((mapped.row(q) - expected).norm(), 1e-10);
    }
}

TEST(RbfWarp, ManyCentresApproachTheMapThatTheySample) {
    const Points queries = random_points(400, 0.8, Seed{7});
    double before = 1.0;
    for (const Eigen::Index n : {50, 400}) {
        const Points source = random_points(n, 1.0, Seed{6});
        const double error =
            (RbfWarp(source, bent(source)).apply(queries) - bent(queries)).rowwise().norm().mean();
        EXPECT_LT(error, before / 5.0);
        before = error;
    }
    EXPECT_LT(before, 5e-3);
}

TEST(RbfWarp, SmoothingTradesClosenessForSmoothness) {
    const Points source = random_points(100, 1.0, Seed{8});
    const Points noisy = source + 0.01 * random_points(100, 1.0, Seed{9});
    const RbfWarp exact(source, noisy), smooth(source, noisy, {.smoothing = 10.0});
    EXPECT_LT(exact.largest_residual(), 1e-10);
    EXPECT_GT(smooth.largest_residual(), 1e-3);
    EXPECT_LT(smooth.largest_residual(), 0.03);
    const Points queries = random_points(200, 1.0, Seed{10});
    EXPECT_LT((smooth.apply(queries) - queries).norm(), (exact.apply(queries) - queries).norm());
    // The reported residual is the true one.
    EXPECT_NEAR((smooth.apply(source) - noisy).rowwise().norm().maxCoeff(),
                smooth.largest_residual(), 1e-10);
    // Points that coincide are welcome then.
    Points twice = source;
    twice.row(1) = twice.row(0);
    EXPECT_NO_THROW(RbfWarp(twice, noisy, {.smoothing = 1e-3}));
}

TEST(RbfWarp, RefusesUnusableCentresAndSaysWhich) {
    const Points source = random_points(50, 1.0, Seed{11});
    EXPECT_THROW(RbfWarp(source, source.topRows(49)), InputError);
    EXPECT_THROW(RbfWarp(source.topRows(3), source.topRows(3)), InputError);
    EXPECT_THROW(RbfWarp(Points(0, 3), Points(0, 3)), InputError);
    Points planar = source;
    planar.col(1) = planar.col(0);
    EXPECT_THROW(RbfWarp(planar, source), InputError);
    EXPECT_THROW(RbfWarp(Points::Zero(9, 3), Points::Zero(9, 3)), InputError);
    Points with_nan = source;
    with_nan(7, 1) = std::nan("");
    EXPECT_THROW(RbfWarp(with_nan, source), InputError);
    EXPECT_THROW(RbfWarp(source, with_nan), InputError);
    EXPECT_THROW(RbfWarp(source, source, {.smoothing = -1}), InputError);
    for (const double apart : {0.0, 1e-9}) {
        Points twice = source;
        twice.row(33) = twice.row(12).array() + apart;
        try {
            RbfWarp(twice, bent(source));
            ADD_FAILURE() << "accepted centres " << apart << " apart";
        } catch (const InputError& error) {
            EXPECT_NE(error.parts().where.find("12 and 33"), std::string::npos) << error.what();
        }
    }
}

TEST(RbfWarp, GivesTheSameBytesOnOneAndTwoThreads) {
    const Points source = random_points(500, 1.0, Seed{12});
    const Points queries = random_points(1000, 1.0, Seed{13});
    const auto run = [&](int threads) {
        const ThreadLimit limit(threads);
        return RbfWarp(source, bent(source)).apply(queries);
    };
    EXPECT_EQ(run(1), run(2));
}

TEST(RbfWarp, CanBeCancelled) {
    const Points source = random_points(50, 1.0, Seed{14});
    const Progress progress;
    progress.cancel();
    EXPECT_THROW(RbfWarp(source, bent(source), {}, progress), Cancelled);
}

TEST(DenseCholesky, MultipliesBackToTheMatrix) {
    for (const Eigen::Index n : {1, 5, 192, 193, 390}) {
        Random random(Seed{15});
        Eigen::MatrixXd B(n, n);
        for (Eigen::Index i = 0; i < B.size(); ++i) {
            B.data()[i] = random.normal();
        }
        const Eigen::MatrixXd A = B * B.transpose() + Eigen::MatrixXd::Identity(n, n);
        Eigen::MatrixXd L = A;
        ASSERT_TRUE(factor_dense_cholesky(L, {}));
        const Eigen::MatrixXd lower = L.triangularView<Eigen::Lower>();
        EXPECT_LT((lower * lower.transpose() - A).norm(), 1e-12 * A.norm());
        Eigen::MatrixXd x = Eigen::MatrixXd::Ones(n, 2);
        solve_dense_cholesky(L, x);
        EXPECT_LT((A * x - Eigen::MatrixXd::Ones(n, 2)).norm(), 1e-8);
        Eigen::MatrixXd indefinite = A;
        indefinite(n - 1, n - 1) = -1.0;
        EXPECT_FALSE(factor_dense_cholesky(indefinite, {}));
    }
}

}  // namespace
}  // namespace sinew
