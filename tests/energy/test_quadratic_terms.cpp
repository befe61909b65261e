#include "sinew/base/error.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/energy/fem_quadratic.h"
#include "sinew/energy/pressure.h"
#include "sinew/energy/shape_contact.h"
#include "sinew/mesh/connectivity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/energy/term_support.h"
#include "tests/material/laws.h"
#include "tests/support/shapes.h"

namespace sinew {
namespace {

const Lame kSoft = lame_from_young(1.0e3, 0.4);

FemQuadratic quadratic_term(const QuadraticTets& q) {
    return {q,
            {std::make_shared<IsochoricNeoHookean>(kSoft)},
            std::vector<int>(static_cast<std::size_t>(q.tets.rows()), 0)};
}

TEST(FemQuadratic, DerivativesByDifferences) {
    const QuadraticTets q = quadratic_tets(support::cube_of_tets(1));
    const FemQuadratic term = quadratic_term(q);
    const Points x = support::shaken(q.points, 0.03, Seed{1});
    support::expect_force_is_minus_gradient(term, x, 1.0, 1e-6);
    support::expect_hessian_is_derivative_of_gradient(term, x, 1.0, 1e-6);
    support::expect_same_bytes_on_any_threads(term, x);
    EXPECT_NEAR(term.value(q.points), 0.0, 1e-9);
    EXPECT_LT(support::gradient_of(term, q.points).norm(), 1e-9);
}

// Middles halfway between their ends: the deformation of linear tetrahedra, so the same energy.
TEST(FemQuadratic, OfAffineElementsIsTheLinearEnergy) {
    const TetMesh cube = support::cube_of_tets(2);
    QuadraticTets q = quadratic_tets(cube);
    TetMesh moved = cube;
    moved.points = support::shaken(cube.points, 0.03, Seed{2});
    const Points x = quadratic_tets(moved).points;
    const FemElastic linear(cube, std::make_shared<IsochoricNeoHookean>(kSoft));
    const double energy = linear.value(moved.points);
    EXPECT_NEAR(quadratic_term(q).value(x), energy, 1e-10 * energy);
}

TEST(FemQuadratic, LoadsAndMassesAddUp) {
    const TetMesh cube = support::cube_of_tets(2);
    const QuadraticTets q = quadratic_tets(cube);
    const Points density = Eigen::RowVector3d(1.0, -2.0, 3.0).replicate(cube.tets.rows(), 1);
    const Points f = quadratic_body_forces(q, density);
    EXPECT_LT((f.colwise().sum() - Eigen::RowVector3d(1.0, -2.0, 3.0)).norm(), 1e-12);
    const std::vector<double> kg(static_cast<std::size_t>(cube.tets.rows()), 5.0);
    const std::vector<double> masses = quadratic_masses(q, kg);
    double sum = 0.0;
    for (const double m : masses) {
        EXPECT_GT(m, 0.0);
        sum += m;
    }
    EXPECT_NEAR(sum, 5.0, 1e-12);
}

SurfaceNodes faces_of(const TetMesh& mesh, const QuadraticTets* q) {
    const Triangles t = boundary_triangles(mesh.tets);
    SurfaceNodes nodes(t.rows(), q != nullptr ? 6 : 3);
    nodes.leftCols(3) = t;
    for (Eigen::Index i = 0; q != nullptr && i < t.rows(); ++i) {
        for (int k = 0; k < 3; ++k) {
            nodes(i, 3 + k) = q->middle(t(i, k), t(i, (k + 1) % 3));
        }
    }
    return nodes;
}

double enclosed_volume(const SurfaceNodes& faces, const Points& x) {
    double v = 0.0;
    for (Eigen::Index t = 0; t < faces.rows(); ++t) {
        v += point(x, faces(t, 0)).dot(point(x, faces(t, 1)).cross(point(x, faces(t, 2)))) / 6.0;
    }
    return v;
}

// Around a closed surface a pressure has the potential p V, and its derivative is symmetric.
TEST(Pressure, AroundAClosedSurfaceItsWorkIsPressureTimesVolume) {
    const TetMesh cube = support::cube_of_tets(2);
    const QuadraticTets q = quadratic_tets(cube);
    for (const bool is_quadratic : {false, true}) {
        const SurfaceNodes faces = faces_of(cube, is_quadratic ? &q : nullptr);
        const Pressure term(faces,
                            std::vector<double>(static_cast<std::size_t>(faces.rows()), 7.0));
        TetMesh moved = cube;
        moved.points = support::shaken(cube.points, 0.1, Seed{3});
        const Points from = is_quadratic ? q.points : cube.points;
        const Points to = is_quadratic ? quadratic_tets(moved).points : moved.points;
        const double change = enclosed_volume(faces, to) - enclosed_volume(faces, from);
        EXPECT_NEAR(term.work(from, to), -7.0 * change, 1e-12);
        support::expect_hessian_is_derivative_of_gradient(
            term, support::shaken(from, 0.05, Seed{4}), 1.0, 1e-7);
        EXPECT_LT(support::gradient_of(term, to).colwise().sum().norm(), 1e-12);
    }
}

// With a free border the tangent is the symmetric part: d.Hd is d.(dg/dx d) all the same.
TEST(Pressure, OnAPatchTheHessianIsTheSymmetricPartOfTheDerivative) {
    const TetMesh cube = support::cube_of_tets(1);
    const QuadraticTets q = quadratic_tets(cube);
    const SurfaceNodes patch = faces_of(cube, &q).topRows(3);
    const Pressure term(patch, {1.0, 2.0, 3.0});
    const Points x = support::shaken(q.points, 0.1, Seed{5});
    const BlockHessian H = support::hessian_of(term, x, Tangent::Exact);
    for (std::uint64_t k = 0; k < 5; ++k) {
        const Points d = support::shaken(Points::Zero(x.rows(), 3), 1.0, Seed{20 + k});
        const double h = 1e-5;
        const Points difference =
            (support::gradient_of(term, x + h * d) - support::gradient_of(term, x - h * d)) /
            (2.0 * h);
        const double told = d.cwiseProduct(H.times(d)).sum();
        EXPECT_NEAR(told, d.cwiseProduct(difference).sum(), 1e-7 * (1.0 + std::abs(told)));
        // The work along a small step is that of the force in its middle.
        const Points f = -support::gradient_of(term, x + 0.5 * h * d);
        EXPECT_NEAR(term.work(x, x + h * d), h * f.cwiseProduct(d).sum(), 1e-12);
    }
}

TEST(Pressure, TractionsAddUpToTheForce) {
    const TetMesh cube = support::cube_of_tets(2);
    const QuadraticTets q = quadratic_tets(cube);
    for (const bool is_quadratic : {false, true}) {
        const SurfaceNodes faces = faces_of(cube, is_quadratic ? &q : nullptr);
        const Points traction = Eigen::RowVector3d(1, 2, 3).replicate(faces.rows(), 1);
        const Points f = traction_forces(faces, is_quadratic ? q.points : cube.points, traction);
        EXPECT_LT((f.colwise().sum() - 6.0 * Eigen::RowVector3d(1, 2, 3)).norm(), 1e-12);
    }
}

TEST(ShapeContact, DerivativesByDifferencesAndForceOnTheShape) {
    const TetMesh cube = support::cube_of_tets(1);
    std::vector<Index> vertices = {0, 1, 2, 3, 4, 5, 6, 7};
    const std::vector<double> area(8, 0.5);
    for (const Shape& shape : {Shape(SphereShape{0.9}), Shape(HalfSpaceShape{})}) {
        const ShapeContact term({.shape = shape}, vertices, area, 1e3);
        const Points x = support::shaken(cube.points, 0.1, Seed{6});
        ASSERT_GT(term.value(x), 0.0);
        support::expect_force_is_minus_gradient(term, x, 1.0, 1e-6);
        support::expect_hessian_is_derivative_of_gradient(term, x, 1.0, 1e-5);
        const ShapeContact::Touch touch = term.touch(x);
        EXPECT_GT(touch.depth, 0.0);
        EXPECT_LT((touch.force - support::gradient_of(term, x).colwise().sum().transpose()).norm(),
                  1e-9 * touch.force.norm());
    }
}

}  // namespace
}  // namespace sinew
