// Kernels of linalg beside what Eigen offers for the same work.

#include "sinew/base/arrays.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/linalg/batch3.h"
#include "sinew/linalg/cholesky.h"

#include <Eigen/SVD>
#include <Eigen/SparseCholesky>
#include <benchmark/benchmark.h>

#include <vector>

namespace sinew {
namespace {

constexpr std::size_t kMatrices = 65536;

// Nine planes of matrices near the identity.
std::vector<float> moderate_matrices() {
    std::vector<float> planes(9 * kMatrices);
    Random random(Seed{1});
    for (std::size_t i = 0; i < kMatrices; ++i) {
        for (std::size_t k = 0; k < 9; ++k) {
            planes[k * kMatrices + i] =
                static_cast<float>((k % 4 == 0 ? 1.0 : 0.0) + 0.1 * random.normal());
        }
    }
    return planes;
}

void report(benchmark::State& state, std::size_t per_iteration) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(per_iteration));
}

void eigen_jacobi_svd(benchmark::State& state) {
    const std::vector<float> planes = moderate_matrices();
    for (auto _ : state) {
        for (std::size_t i = 0; i < 4096; ++i) {
            Eigen::Matrix3f F;
            for (std::size_t k = 0; k < 9; ++k) {
                F(static_cast<Eigen::Index>(k / 3), static_cast<Eigen::Index>(k % 3)) =
                    planes[k * kMatrices + i];
            }
            const Eigen::JacobiSVD<Eigen::Matrix3f> svd(F,
                                                        Eigen::ComputeFullU | Eigen::ComputeFullV);
            benchmark::DoNotOptimize(svd.singularValues().sum());
        }
    }
    report(state, 4096);
}
BENCHMARK(eigen_jacobi_svd)->Unit(benchmark::kMillisecond);

void signed_svd_batches(benchmark::State& state) {
    const ThreadLimit one(1);
    const std::vector<float> F = moderate_matrices();
    std::vector<float> U(F.size()), V(F.size()), s(3 * kMatrices);
    for (auto _ : state) {
        batch_signed_svd({F.data(), kMatrices}, kMatrices, {U.data(), kMatrices}, s.data(),
                         {V.data(), kMatrices});
        benchmark::DoNotOptimize(s[0]);
    }
    report(state, kMatrices);
}
BENCHMARK(signed_svd_batches)->Unit(benchmark::kMillisecond);

void pull_batches(benchmark::State& state) {
    const ThreadLimit one(1);
    const std::vector<float> F = moderate_matrices();
    const std::vector<float> ratio(kMatrices, 1.0f);
    std::vector<float> H(F.size());
    for (auto _ : state) {
        batch_pull({F.data(), kMatrices}, kMatrices, 1.0f, 10.0f, ratio.data(),
                   {H.data(), kMatrices});
        benchmark::DoNotOptimize(H[0]);
    }
    report(state, kMatrices);
}
BENCHMARK(pull_batches)->Unit(benchmark::kMillisecond);

// A grid of n x n x n unknowns, each joined to six others.
SparseSymmetric grid(int n) {
    Triplets triplets(n * n * n);
    const int step[3] = {1, n, n * n};
    for (int i = 0; i < n * n * n; ++i) {
        triplets.add(i, i, 6.1);
        for (const int before : step) {
            if (i / before % n > 0) {
                triplets.add(i, i - before, -1.0);
            }
        }
    }
    return assemble(triplets);
}

Eigen::SparseMatrix<double> in_eigen(const SparseSymmetric& A) {
    std::vector<Eigen::Triplet<double>> triplets;
    for (int i = 0; i < A.size; ++i) {
        for (auto e = A.start[at(i)]; e < A.start[static_cast<std::size_t>(i) + 1]; ++e) {
            triplets.emplace_back(i, A.column[at(e)], A.value[at(e)]);
        }
    }
    Eigen::SparseMatrix<double> B(A.size, A.size);
    B.setFromTriplets(triplets.begin(), triplets.end());
    return B;
}

void eigen_factorise(benchmark::State& state) {
    const Eigen::SparseMatrix<double> A = in_eigen(grid(static_cast<int>(state.range(0))));
    for (auto _ : state) {
        const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(A);
        benchmark::DoNotOptimize(factor.info());
    }
}
BENCHMARK(eigen_factorise)->Arg(24)->Unit(benchmark::kMillisecond);

void factorise(benchmark::State& state) {
    const SparseSymmetric A = grid(static_cast<int>(state.range(0)));
    for (auto _ : state) {
        SparseCholesky factor(A);
        benchmark::DoNotOptimize(factor.factor(A).is_positive_definite);
    }
}
BENCHMARK(factorise)->Arg(24)->Unit(benchmark::kMillisecond);

void eigen_solve_three(benchmark::State& state) {
    const Eigen::SparseMatrix<double> A = in_eigen(grid(static_cast<int>(state.range(0))));
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(A);
    const Eigen::MatrixX3d b = Eigen::MatrixX3d::Ones(A.rows(), 3);
    for (auto _ : state) {
        const Eigen::MatrixX3d x = factor.solve(b);
        benchmark::DoNotOptimize(x(0, 0));
    }
}
BENCHMARK(eigen_solve_three)->Arg(24)->Unit(benchmark::kMillisecond);

void solve_three(benchmark::State& state) {
    const ThreadLimit one(1);
    const SparseSymmetric A = grid(static_cast<int>(state.range(0)));
    SparseCholesky factor(A);
    factor.factor(A);
    auto workspace = factor.make_workspace();
    const std::vector<double> b(3 * static_cast<std::size_t>(A.size), 1.0);
    std::vector<double> x(b.size());
    for (auto _ : state) {
        factor.solve(b, 3, x, workspace);
        benchmark::DoNotOptimize(x[0]);
    }
}
BENCHMARK(solve_three)->Arg(24)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sinew
