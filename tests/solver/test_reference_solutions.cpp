#include "sinew/energy/constant_forces.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <numbers>

#include "tests/solver/fem_support.h"

namespace sinew {
namespace {

/// Vertical displacement (mm) of the middle of the loaded edge, (48, 52) mm, of Cook's membrane:
/// corners (0, 0), (48, 44), (48, 60), (0, 44) mm, 1 mm thick, plane strain, clamped left, 1 N
/// upward along the right edge. n is even.
double cook_tip(int n) {
    TetMesh rest = support::box_of_tets({n, n, 1}, {1.0, 1.0, 1.0});
    for (Eigen::Index i = 0; i < rest.points.rows(); ++i) {
        const Vec3 u = point(rest.points, i);
        const double low = 44.0 * u.x();
        const double high = 44.0 + 16.0 * u.x();
        rest.points.row(i) << 0.048 * u.x(), 1e-3 * (low + (high - low) * u.y()), 1e-3 * u.z();
    }
    VertexConstraints constraints;
    Points load = Points::Zero(rest.points.rows(), 3);
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
            for (int k = 0; k <= 1; ++k) {
                const auto v = static_cast<Index>((i * (n + 1) + j) * 2 + k);
                if (i == 0) {
                    constraints.fix(v, point(rest.points, v));
                } else {
                    constraints.keep_in_plane(v, point(rest.points, v), Vec3::UnitZ());
                }
                if (i == n) {
                    // A constant traction: half shares at the ends of the edge.
                    load(v, 1) = 0.5 / n * (j == 0 || j == n ? 0.5 : 1.0);
                }
            }
        }
    }
    const double mu = 422.5e3;
    const double nu = 0.3;
    const auto law = std::make_shared<IsochoricNeoHookean>(lame_from_young(2 * mu * (1 + nu), nu));
    const EnergyTerms terms = {std::make_shared<FemElastic>(rest, law),
                               std::make_shared<ConstantForces>(load)};
    const NewtonResult result = minimise(terms, constraints, rest.points);
    EXPECT_EQ(result.report.status, NewtonStatus::Converged);
    const auto middle = static_cast<Index>((n * (n + 1) + n / 2) * 2);
    return 1e3 * (result.x(middle, 1) - rest.points(middle, 1));
}

TEST(ReferenceSolutions, CooksMembraneConvergesFromBelowTo1474) {
    const double d16 = cook_tip(16);
    const double d32 = cook_tip(32);
    const double d64 = cook_tip(64);
    EXPECT_LT(d16, d32);
    EXPECT_LT(d32, d64);
    EXPECT_LT(d64, 14.74);
    EXPECT_GT(d64, 0.99 * 14.74);
    // Second order in the edge length: extrapolating the last two meshes meets the reference.
    EXPECT_NEAR(d64 + (d64 - d32) / 3.0, 14.74, 0.02);
}

/// Tip deflection of a cantilever 1 x 0.2 x 0.2 m under an end load, linear elasticity, nu = 0.
double cantilever_tip(int cells, double load, double E) {
    const TetMesh rest = support::box_of_tets({5 * cells, cells, cells}, {1.0, 0.2, 0.2});
    VertexConstraints fixed;
    Points force = Points::Zero(rest.points.rows(), 3);
    const std::vector<Index> end =
        support::vertices_where(rest.points, [](const Vec3& p) { return p.x() > 1.0 - 1e-9; });
    for (const Index v :
         support::vertices_where(rest.points, [](const Vec3& p) { return p.x() < 1e-9; })) {
        fixed.fix(v, point(rest.points, v));
    }
    for (const Index v : end) {
        force(v, 1) = load / static_cast<double>(end.size());
    }
    const EnergyTerms terms = {
        std::make_shared<FemElastic>(rest, std::make_shared<Linear>(lame_from_young(E, 0.0))),
        std::make_shared<ConstantForces>(force)};
    const Points u = minimise(terms, fixed, rest.points).x - rest.points;
    double sum = 0.0;
    for (const Index v : end) {
        sum += u(v, 1);
    }
    return sum / static_cast<double>(end.size());
}

// Euler-Bernoulli with Timoshenko's shear: P L^3 / (3 E I) + P L / (k G A), k = 5/6, G = E / 2.
TEST(ReferenceSolutions, CantileverConvergesToTimoshenko) {
    const double E = 1e6;
    const double load = 1.0;
    const double I = std::pow(0.2, 4) / 12.0;
    const double expected = load / (3.0 * E * I) + load / (5.0 / 6.0 * 0.5 * E * 0.04);
    const double coarse = cantilever_tip(5, load, E);
    const double fine = cantilever_tip(10, load, E);
    EXPECT_LT(coarse, fine);
    EXPECT_LT(fine, expected);
    EXPECT_NEAR(fine + (fine - coarse) / 3.0, expected, 0.01 * expected);
}

/// Elastic energy of a bar 1 x 0.25 x 0.25 m whose right end is turned by a quarter turn.
double twist_energy(int cells) {
    const TetMesh rest = support::box_of_tets({4 * cells, cells, cells}, {1.0, 0.25, 0.25});
    const Mat3 turn = Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitX()).toRotationMatrix();
    const Vec3 axis(0.0, 0.125, 0.125);
    VertexConstraints ends;
    Points start = rest.points;
    for (Eigen::Index i = 0; i < rest.points.rows(); ++i) {
        const Vec3 p = point(rest.points, i);
        const Mat3 part =
            Eigen::AngleAxisd(0.5 * std::numbers::pi * p.x(), Vec3::UnitX()).toRotationMatrix();
        start.row(i) = (axis + part * (p - axis)).transpose();
        if (p.x() < 1e-9) {
            ends.fix(static_cast<Index>(i), p);
        } else if (p.x() > 1.0 - 1e-9) {
            ends.fix(static_cast<Index>(i), axis + turn * (p - axis));
        }
    }
    const auto law = std::make_shared<StableNeoHookean>(lame_from_young(1e5, 0.3));
    const EnergyTerms terms = {std::make_shared<FemElastic>(rest, law)};
    const NewtonResult result = minimise(terms, ends, start);
    EXPECT_EQ(result.report.status, NewtonStatus::Converged);
    EXPECT_EQ(count_inverted(result.x, rest.tets), 0);
    // From the untwisted bar, the same solution.
    if (cells <= 2) {
        EXPECT_LT((minimise(terms, ends, rest.points).x - result.x).norm(), 1e-6);
    }
    return result.report.energy.back();
}

TEST(ReferenceSolutions, TwistedBarConvergesToTheFineMesh) {
    const double coarse = twist_energy(2);
    const double middle = twist_energy(4);
    const double fine = twist_energy(8);
    EXPECT_GT(coarse, middle);
    EXPECT_GT(middle, fine);
    EXPECT_LT(middle, 1.3 * fine);
    // Errors of second order fall by four.
    EXPECT_NEAR((coarse - middle) / (middle - fine), 4.0, 1.5);
    // Saint-Venant's torsion of a square bar, c = 0.1406: G c a^4 (angle)^2 / (2 L), at small
    // twist.
    const double angle = 0.5 * std::numbers::pi;
    const double torsion = 1e5 / 2.6 * 0.1406 * std::pow(0.25, 4) * angle * angle / 2.0;
    EXPECT_NEAR(fine + (fine - middle) / 3.0, torsion, 0.05 * torsion);
}

}  // namespace
}  // namespace sinew
