#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/SparseCholesky>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <set>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// w . x + c at every point.
Eigen::VectorXd linear(const Points& points, const Vec3& w, double c) {
    return ((points * w).array() + c).matrix();
}

// Right isosceles triangle: cot 90 = 0 opposite the hypotenuse, cot 45 = 1 opposite the legs.
TEST(CotangentLaplacian, Pinkall1993RightTriangleByHand) {
    const TriangleMesh mesh = support::one_triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
    const Mat3 L = cotangent_laplacian(mesh.points, mesh.triangles).toDense();
    Mat3 expected;
    expected << 1, -0.5, -0.5, -0.5, 0.5, 0, -0.5, 0, 0.5;
    EXPECT_LT((L - expected).norm(), 1e-15);
}

TEST(CotangentLaplacian, Pinkall1993EquilateralTriangleByHand) {
    const TriangleMesh mesh = support::one_triangle({0, 0, 5}, {2, 0, 5}, {1, std::sqrt(3.0), 5});
    const Mat3 L = cotangent_laplacian(mesh.points, mesh.triangles).toDense();
    const double half_cot = 0.5 / std::sqrt(3.0);
    const Mat3 expected = 3 * half_cot * Mat3::Identity() - half_cot * Mat3::Ones();
    EXPECT_LT((L - expected).norm(), 1e-15);
}

// Gradients of the corner tetrahedron: (-1,-1,-1), e_x, e_y, e_z; volume 1/6.
TEST(CotangentLaplacian, CornerTetByHand) {
    const TetMesh mesh = support::one_tet();
    const Eigen::Matrix4d L = cotangent_laplacian(mesh.points, mesh.tets).toDense();
    Eigen::Matrix4d expected;
    expected << 3, -1, -1, -1, -1, 1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1;
    EXPECT_LT((L - expected / 6.0).norm(), 1e-15);
}

TEST(CotangentLaplacian, LinearFunctionsVanishInsideFlatMeshes) {
    TriangleMesh square = support::open_square(8);
    // Moved off the regular grid, so that nothing cancels by symmetry.
    Random random(Seed{6});
    for (Eigen::Index i = 0; i < square.points.rows(); ++i) {
        const Vec3 p = point(square.points, i);
        if (p.x() > 0 && p.x() < 1 && p.y() > 0 && p.y() < 1) {
            square.points(i, 0) += random.uniform(-0.02, 0.02);
            square.points(i, 1) += random.uniform(-0.02, 0.02);
        }
    }
    const Eigen::VectorXd Lu =
        cotangent_laplacian(square.points, square.triangles) * linear(square.points, {2, -3, 1}, 7);
    double on_border = 0.0;
    for (Eigen::Index i = 0; i < square.points.rows(); ++i) {
        const Vec3 p = point(square.points, i);
        if (p.x() > 0 && p.x() < 1 && p.y() > 0 && p.y() < 1) {
            EXPECT_NEAR(Lu[i], 0.0, 1e-13);
        } else {
            on_border += std::abs(Lu[i]);
        }
    }
    EXPECT_GT(on_border, 1.0);
}

TEST(CotangentLaplacian, LinearFunctionsVanishInsideTetMeshes) {
    for (const TetMesh& mesh : {support::cube_of_tets(5), support::ball_of_tets(8, 0.5),
                                support::box_of_tets({8, 4, 3}, {1.0, 1e-2, 0.3})}) {
        const Triangles surface = boundary_triangles(mesh.tets);
        const std::set<Index> border(surface.data(), surface.data() + surface.size());
        const Eigen::VectorXd Lu =
            cotangent_laplacian(mesh.points, mesh.tets) * linear(mesh.points, {2, -3, 1}, 7);
        for (Eigen::Index i = 0; i < Lu.size(); ++i) {
            if (border.count(static_cast<Index>(i)) == 0) {
                EXPECT_NEAR(Lu[i], 0.0, 1e-12);
            }
        }
    }
}

template <class Elements>
void check_structure(const Points& points, const Elements& elements, const Eigen::VectorXd& sizes) {
    const SparseMatrix L = cotangent_laplacian(points, elements);
    const double scale = L.coeffs().cwiseAbs().maxCoeff();
    EXPECT_EQ((SparseMatrix(L.transpose()) - L).norm(), 0.0);
    EXPECT_LT((L * Eigen::VectorXd::Ones(points.rows())).cwiseAbs().maxCoeff(), 1e-12 * scale);
    EXPECT_GE(L.diagonal().minCoeff(), 0.0);
    Random random(Seed{1});
    for (int trial = 0; trial < 10; ++trial) {
        Eigen::VectorXd x(points.rows());
        for (double& value : x) {
            value = random.normal();
        }
        EXPECT_GT(x.dot(L * x), 0.0);
    }
    // int |grad x|^2, once by the gradient operator and once by the stiffness.
    const SparseMatrix G = gradient_operator(points, elements);
    Eigen::VectorXd W(3 * sizes.size());
    for (Eigen::Index e = 0; e < sizes.size(); ++e) {
        W.segment<3>(3 * e).setConstant(std::abs(sizes[e]));
    }
    const SparseMatrix GWG = G.transpose() * W.asDiagonal() * G;
    EXPECT_LT((GWG - L).norm(), 1e-12 * L.norm());
    // Masses: rows of the consistent one sum to the lumped one, both to the size of the mesh.
    const double total = sizes.cwiseAbs().sum();
    const Eigen::VectorXd lumped = lumped_mass(points, elements);
    const SparseMatrix M = consistent_mass(points, elements);
    EXPECT_NEAR(lumped.sum(), total, 1e-12 * total);
    EXPECT_LT((M * Eigen::VectorXd::Ones(points.rows()) - lumped).norm(), 1e-13 * lumped.norm());
}

TEST(CotangentLaplacian, IsSymmetricSemidefiniteAndMadeOfGradients) {
    for (const TriangleMesh& mesh : {support::sphere(3, 0.3), support::torus(1, 0.2, 12, 40),
                                     support::open_square(5), support::cylinder(0.1, 2, 9, 3)}) {
        check_structure(mesh.points, mesh.triangles, triangle_areas(mesh));
    }
    for (const TetMesh& mesh :
         {support::one_tet(), support::cube_of_tets(3), support::ball_of_tets(6, 2.0),
          support::box_of_tets({5, 2, 2}, {1, 1e-3, 0.2})}) {
        check_structure(mesh.points, mesh.tets, tet_volumes(mesh));
    }
    TetMesh inverted = support::cube_of_tets(2);
    std::swap(inverted.tets(3, 1), inverted.tets(3, 2));
    check_structure(inverted.points, inverted.tets, tet_volumes(inverted));
}

TEST(GradientOperator, IsExactForLinearFunctions) {
    const Vec3 w(2, -3, 0.5);
    const TetMesh tets = support::ball_of_tets(6, 1.0);
    const Eigen::VectorXd g =
        gradient_operator(tets.points, tets.tets) * linear(tets.points, w, -4);
    for (Eigen::Index e = 0; e < tets.tets.rows(); ++e) {
        EXPECT_LT((g.segment<3>(3 * e) - w).norm(), 1e-11);
    }
    const TriangleMesh mesh = support::torus(1, 0.3, 10, 20);
    const Eigen::VectorXd h =
        gradient_operator(mesh.points, mesh.triangles) * linear(mesh.points, w, -4);
    const Points n = triangle_normals(mesh);
    for (Eigen::Index e = 0; e < mesh.triangles.rows(); ++e) {
        const Vec3 normal = n.row(e).transpose();
        EXPECT_LT((h.segment<3>(3 * e) - (w - w.dot(normal) * normal)).norm(), 1e-12);
    }
}

// x^2 - y^2 + x z is harmonic: prescribed on the sphere it must come back inside the ball. Halving
// the elements quarters the error.
TEST(CotangentLaplacian, HarmonicFunctionsOnABallConverge) {
    double before = 0.0;
    for (const int n : {8, 16}) {
        const TetMesh mesh = support::ball_of_tets(n, 1.0);
        const auto harmonic = [](const Vec3& p) {
            return p.x() * p.x() - p.y() * p.y() + p.x() * p.z();
        };
        const Triangles surface = boundary_triangles(mesh.tets);
        std::vector<char> is_border(static_cast<std::size_t>(mesh.points.rows()), 0);
        for (Eigen::Index i = 0; i < surface.size(); ++i) {
            is_border[static_cast<std::size_t>(surface.data()[i])] = 1;
        }
        // Prescribed values by elimination: rows and columns of border vertices become identity.
        SparseMatrix L = cotangent_laplacian(mesh.points, mesh.tets);
        Eigen::VectorXd known = Eigen::VectorXd::Zero(L.rows());
        for (Eigen::Index i = 0; i < L.rows(); ++i) {
            known[i] = is_border[static_cast<std::size_t>(i)] ? harmonic(point(mesh.points, i)) : 0;
        }
        Eigen::VectorXd rhs = -(L * known);
        for (int c = 0; c < L.outerSize(); ++c) {
            for (SparseMatrix::InnerIterator it(L, c); it; ++it) {
                if (is_border[static_cast<std::size_t>(it.row())] ||
                    is_border[static_cast<std::size_t>(c)]) {
                    it.valueRef() = it.row() == c ? 1.0 : 0.0;
                }
            }
        }
        for (Eigen::Index i = 0; i < rhs.size(); ++i) {
            rhs[i] = is_border[static_cast<std::size_t>(i)] ? known[i] : rhs[i];
        }
        const Eigen::SimplicialLDLT<SparseMatrix> solver(L);
        const Eigen::VectorXd u = solver.solve(rhs);
        const Eigen::VectorXd mass = lumped_mass(mesh.points, mesh.tets);
        double error = 0.0;
        for (Eigen::Index i = 0; i < u.size(); ++i) {
            error += mass[i] * std::pow(u[i] - harmonic(point(mesh.points, i)), 2);
        }
        error = std::sqrt(error);
        if (before > 0.0) {
            EXPECT_GT(before / error, 3.0) << "n = " << n;
        }
        before = error;
    }
    EXPECT_LT(before, 5e-3);
}

// M^-1 L x = 2 H n: a sphere of radius r has mean curvature 1/r everywhere.
TEST(VoronoiMass, Meyer2003MeanCurvatureOfASphere) {
    const double r = 0.25;
    const TriangleMesh mesh = support::sphere(4, r, {1, 1, 1});
    const SparseMatrix L = cotangent_laplacian(mesh.points, mesh.triangles);
    const Points Lx = L * mesh.points;
    const Eigen::VectorXd M = voronoi_mass(mesh.points, mesh.triangles);
    EXPECT_NEAR(M.sum(), surface_area(mesh), 1e-13);
    for (Eigen::Index i = 0; i < M.size(); ++i) {
        const Vec3 curvature = Lx.row(i).transpose() / (2.0 * M[i]);
        const Vec3 outward = (point(mesh.points, i) - Vec3::Ones()) / r;
        EXPECT_LT((curvature - outward / r).norm(), 0.01 / r);
    }
}

TEST(VoronoiMass, Meyer2003ObtuseTrianglesGiveHalfToTheirWideCorner) {
    const TriangleMesh mesh = support::one_triangle({0, 0, 0}, {1, 0.1, 0}, {-1, 0.1, 0});
    const Eigen::VectorXd M = voronoi_mass(mesh.points, mesh.triangles);
    EXPECT_LT((M - Vec3(0.05, 0.025, 0.025)).norm(), 1e-15);
    const TriangleMesh right = support::one_triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
    EXPECT_LT((voronoi_mass(right.points, right.triangles) - Vec3(0.25, 0.125, 0.125)).norm(),
              1e-15);
}

// int x^2 over the unit cube = 1/3 and over the unit square likewise: exact for linear functions.
TEST(ConsistentMass, IntegratesSquaresOfLinearFunctionsExactly) {
    const TetMesh cube = support::cube_of_tets(3);
    const Eigen::VectorXd x = cube.points.col(0);
    EXPECT_NEAR(x.dot(consistent_mass(cube.points, cube.tets) * x), 1.0 / 3.0, 1e-14);
    const TriangleMesh square = support::open_square(3);
    const Eigen::VectorXd y = square.points.col(1);
    EXPECT_NEAR(y.dot(consistent_mass(square.points, square.triangles) * y), 1.0 / 3.0, 1e-14);
}

TEST(CotangentLaplacian, RefusesElementsWithoutSizeAndNamesThem) {
    TriangleMesh mesh = support::sphere(1, 1.0);
    mesh.triangles.row(17) << 3, 3, 4;
    try {
        cotangent_laplacian(mesh.points, mesh.triangles);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.parts().where, "triangle 17");
    }
    const TriangleMesh flat = support::one_triangle({0, 0, 0}, {1, 0, 0}, {2, 1e-16, 0});
    EXPECT_THROW(gradient_operator(flat.points, flat.triangles), InputError);
    EXPECT_THROW(voronoi_mass(flat.points, flat.triangles), InputError);
    TetMesh tets = support::one_tet();
    tets.points.row(3) << 0.2, 0.2, 0;
    EXPECT_THROW(cotangent_laplacian(tets.points, tets.tets), InputError);
    tets.points(3, 2) = std::nan("");
    EXPECT_THROW(cotangent_laplacian(tets.points, tets.tets), InputError);
}

TEST(CotangentLaplacian, OfNothingIsEmptyAndIsolatedVerticesHaveEmptyRows) {
    EXPECT_EQ(cotangent_laplacian(Points(0, 3), Triangles(0, 3)).rows(), 0);
    EXPECT_EQ(gradient_operator(Points(0, 3), Tets(0, 4)).rows(), 0);
    TetMesh mesh = support::one_tet();
    mesh.points.conservativeResize(6, 3);
    mesh.points.bottomRows(2).setOnes();
    const SparseMatrix L = cotangent_laplacian(mesh.points, mesh.tets);
    EXPECT_EQ(L.rows(), 6);
    EXPECT_EQ(L.col(5).nonZeros(), 0);
}

TEST(CotangentLaplacian, GivesTheSameBytesOnOneAndTwoThreads) {
    const TetMesh mesh = support::ball_of_tets(14, 0.4);
    const auto build = [&](int threads) {
        const ThreadLimit limit(threads);
        return cotangent_laplacian(mesh.points, mesh.tets);
    };
    const SparseMatrix one = build(1), two = build(2);
    ASSERT_EQ(one.nonZeros(), two.nonZeros());
    EXPECT_EQ(std::memcmp(one.valuePtr(), two.valuePtr(),
                          static_cast<std::size_t>(one.nonZeros()) * sizeof(double)),
              0);
}

}  // namespace
}  // namespace sinew
