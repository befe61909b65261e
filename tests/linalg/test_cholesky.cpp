#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/linalg/cholesky.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/SparseCholesky>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

Sparse to_eigen(const SparseSymmetric& A) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < A.size; ++i) {
        for (std::int64_t e = A.start[i]; e < A.start[i + 1]; ++e) {
            entries.emplace_back(i, A.column[e], A.value[e]);
        }
    }
    Sparse S(A.size, A.size);
    S.setFromTriplets(entries.begin(), entries.end());
    return S;
}

// Springs of random stiffness along the edges, and weak ones to the ground at a few vertices.
SparseSymmetric spring_network(const Edges& edges, int vertices, Seed seed) {
    Random random(seed);
    Triplets t(vertices);
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        const int index[2] = {edges(e, 0), edges(e, 1)};
        const double q[2] = {1.0, -1.0};
        t.add_outer(index, q, std::pow(10.0, random.uniform(-1, 1)));
    }
    for (int i = 0; i < vertices; i += 17) {
        t.add(i, i, 0.1);
    }
    return assemble(t);
}

SparseSymmetric path(int n) {
    Edges edges(n - 1, 2);
    for (int i = 0; i + 1 < n; ++i) {
        edges.row(i) << i, i + 1;
    }
    return spring_network(edges, n, Seed{1});
}

SparseSymmetric network(const TetMesh& mesh) {
    return spring_network(unique_edges(mesh.tets), static_cast<int>(mesh.points.rows()), Seed{2});
}

SparseSymmetric diagonal(int n) {
    Triplets t(n);
    for (int i = 0; i < n; ++i) {
        t.add(i, i, 1.0 + i);
    }
    return assemble(t);
}

SparseSymmetric full(int n) {
    Triplets t(n);
    Random random(Seed{4});
    std::vector<int> index(n);
    std::vector<double> q(n);
    for (int k = 0; k < 2 * n; ++k) {
        for (int i = 0; i < n; ++i) {
            index[i] = i;
            q[i] = random.normal();
        }
        t.add_outer(index, q, 1.0);
    }
    return assemble(t);
}

// Two cubes that do not touch, and loose vertices.
SparseSymmetric separate_pieces() {
    const Edges one = unique_edges(support::cube_of_tets(4).tets);
    Edges edges(2 * one.rows(), 2);
    edges << one, (one.array() + 125).matrix();
    Triplets t(300);
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        const int index[2] = {edges(e, 0), edges(e, 1)};
        const double q[2] = {1.0, -1.0};
        t.add_outer(index, q, 1.0);
    }
    for (int i = 0; i < 300; ++i) {
        t.add(i, i, 0.01);
    }
    return assemble(t);
}

std::vector<SparseSymmetric> family() {
    std::vector<SparseSymmetric> all;
    all.push_back(diagonal(1));
    all.push_back(diagonal(1000));
    all.push_back(path(2));
    all.push_back(path(3000));
    all.push_back(full(9));
    all.push_back(full(150));
    all.push_back(network(support::one_tet()));
    all.push_back(network(support::cube_of_tets(3)));
    all.push_back(network(support::cube_of_tets(11)));
    all.push_back(network(support::box_of_tets({60, 6, 4}, {10, 1, 1})));
    all.push_back(network(support::box_of_tets({40, 40, 1}, {1, 1, 0.01})));
    all.push_back(separate_pieces());
    return all;
}

Points random_rows(int n, Seed seed) {
    Random random(seed);
    Points b(n, 3);
    for (Eigen::Index i = 0; i < b.size(); ++i) {
        b.data()[i] = random.normal();
    }
    return b;
}

std::span<double> values(Points& p) {
    return {p.data(), static_cast<std::size_t>(p.size())};
}
std::span<const double> values(const Points& p) {
    return {p.data(), static_cast<std::size_t>(p.size())};
}

TEST(SparseCholesky, DoubleFactorsAgreeWithEigenOnEveryPattern) {
    for (const SparseSymmetric& A : family()) {
        SparseCholesky ours(A, {.store_double = true});
        ASSERT_TRUE(ours.factor(A).is_positive_definite);
        auto workspace = ours.make_workspace();
        const Points b = random_rows(A.size, Seed{3});
        Points x(A.size, 3);
        ours.solve(values(b), 3, values(x), workspace);
        const Eigen::SimplicialLDLT<Sparse> theirs(to_eigen(A));
        const Points expected = theirs.solve(b);
        EXPECT_LE((x - expected).norm(), 1e-10 * expected.norm()) << A.size << " unknowns";
    }
}

TEST(SparseCholesky, FloatFactorsLeaveASmallResidualAndRefineToDouble) {
    for (const SparseSymmetric& A : family()) {
        for (const bool in_float : {false, true}) {
            SparseCholesky ours(A, {.factor_in_float = in_float});
            ASSERT_TRUE(ours.factor(A).is_positive_definite);
            auto workspace = ours.make_workspace();
            const Points b = random_rows(A.size, Seed{5});
            Points x(A.size, 3);
            ours.solve(values(b), 3, values(x), workspace);
            EXPECT_LE((to_eigen(A) * x - b).norm(), 2e-3 * b.norm()) << A.size << " unknowns";
            const RefineResult refined = solve_refined(ours, A, values(b), 3, values(x), workspace,
                                                       {.max_steps = 20, .tolerance = 1e-12});
            EXPECT_LE(refined.residual, 1e-12) << A.size << " unknowns";
            EXPECT_LE((to_eigen(A) * x - b).norm(), 1.1e-12 * b.norm()) << A.size << " unknowns";
        }
    }
}

TEST(SparseCholesky, OneColumnIsTheSameAsOneOfThree) {
    const SparseSymmetric A = network(support::cube_of_tets(8));
    for (const bool in_double : {false, true}) {
        SparseCholesky ours(A, {.store_double = in_double});
        ASSERT_TRUE(ours.factor(A).is_positive_definite);
        auto workspace = ours.make_workspace();
        const Points b = random_rows(A.size, Seed{6});
        Points x(A.size, 3);
        ours.solve(values(b), 3, values(x), workspace);
        for (int c = 0; c < 3; ++c) {
            const Eigen::VectorXd bc = b.col(c);
            Eigen::VectorXd xc(A.size);
            ours.solve({bc.data(), static_cast<std::size_t>(A.size)}, 1,
                       {xc.data(), static_cast<std::size_t>(A.size)}, workspace);
            EXPECT_LE((xc - x.col(c)).norm(), (in_double ? 1e-13 : 1e-4) * xc.norm());
        }
    }
}

TEST(SparseCholesky, RefactorsOnTheSamePattern) {
    const TetMesh mesh = support::cube_of_tets(7);
    SparseSymmetric A = network(mesh);
    SparseCholesky ours(A, {.store_double = true});
    ASSERT_TRUE(ours.factor(A).is_positive_definite);
    A = spring_network(unique_edges(mesh.tets), A.size, Seed{77});
    ASSERT_TRUE(ours.factor(A).is_positive_definite);
    auto workspace = ours.make_workspace();
    const Points b = random_rows(A.size, Seed{7});
    Points x = b;
    ours.solve(values(x), 3, values(x), workspace);  // in place
    EXPECT_LE((to_eigen(A) * x - b).norm(), 1e-11 * b.norm());
}

TEST(SparseCholesky, AnAnalysisServesAnotherFactorOfThePattern) {
    const SparseSymmetric A = network(support::box_of_tets({4, 4, 6}, Vec3::Ones()));
    const std::vector<double> b(static_cast<std::size_t>(A.size), 1.0);
    std::vector<double> x[2] = {b, b};
    const SparseCholesky analysed(A);
    SparseCholesky shared(analysed, {.factor_in_float = true});
    SparseCholesky own(A, {.factor_in_float = true});
    int k = 0;
    for (SparseCholesky* factor : {&shared, &own}) {
        ASSERT_TRUE(factor->factor(A).is_positive_definite);
        SparseCholesky::Workspace workspace = factor->make_workspace();
        factor->solve(b, 1, x[k++], workspace);
    }
    EXPECT_EQ(x[0], x[1]);
}

TEST(SparseCholesky, NamesThePivotThatIsNotPositive) {
    SparseSymmetric A = network(support::cube_of_tets(6));
    SparseCholesky ours(A);
    // A vertex pulled so hard that its own row alone is indefinite.
    for (std::int64_t e = A.start[50]; e < A.start[51]; ++e) {
        if (A.column[e] == 50) {
            A.value[e] = -1e6;
        }
    }
    const FactorResult result = ours.factor(A);
    EXPECT_FALSE(result.is_positive_definite);
    EXPECT_EQ(result.pivot, 50);
    EXPECT_LT(result.pivot_value, 0.0);
}

// Nothing holds the network: adding a constant costs nothing, so the matrix is singular.
TEST(SparseCholesky, FloatingNetworksAreReportedNotSolved) {
    Triplets t(216);
    const Edges edges = unique_edges(support::cube_of_tets(5).tets);
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        const int index[2] = {edges(e, 0), edges(e, 1)};
        const double q[2] = {1.0, -1.0};
        t.add_outer(index, q, 1.0);
    }
    const SparseSymmetric A = assemble(t);
    const FactorResult result = SparseCholesky(A).factor(A);
    EXPECT_FALSE(result.is_positive_definite);
    EXPECT_GE(result.pivot, 0);
}

TEST(SparseCholesky, SameBytesOnOneAndTwoThreads) {
    const SparseSymmetric A = network(support::box_of_tets({24, 18, 14}, {2, 1, 1}));
    std::vector<Points> solutions;
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        SparseCholesky ours(A);
        ASSERT_TRUE(ours.factor(A).is_positive_definite);
        auto workspace = ours.make_workspace();
        Points x = random_rows(A.size, Seed{8});
        ours.solve(values(x), 3, values(x), workspace);
        solutions.push_back(x);
    }
    EXPECT_EQ(solutions[0], solutions[1]);
}

TEST(SparseCholesky, FillIsNearThatOfNestedDissectionInTheory) {
    // n log2(n) * 31/4 for an n-vertex square grid [George1973]; relaxed supernodes add some.
    const SparseSymmetric A = network(support::box_of_tets({80, 80, 1}, {1, 1, 0.01}));
    const double n = 81 * 81 * 2;
    EXPECT_LT(static_cast<double>(SparseCholesky(A).nonzeros()), 31.0 / 4.0 * n * std::log2(n));
}

}  // namespace
}  // namespace sinew
