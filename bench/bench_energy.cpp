// Forces and Hessians of elastic tetrahedra at the size of a body, each beside the obvious way to
// do the same. Rates are tetrahedra per second.
#include "sinew/base/random.h"
#include "sinew/energy/fem_elastic.h"
#include "sinew/material/corotated.h"
#include "sinew/material/stable_neo_hookean.h"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <benchmark/benchmark.h>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

const Lame kTissue = lame_from_young(30e3, 0.45);

/// 74 088 vertices, 413 526 tetrahedra.
const TetMesh& flesh() {
    static const TetMesh mesh = support::cube_of_tets(41);
    return mesh;
}

const Points& bent() {
    static const Points points = [] {
        Points x = flesh().points;
        Random random(Seed{1});
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            x.data()[i] += random.uniform(-0.003, 0.003);
        }
        return x;
    }();
    return points;
}

template <class Law>
const FemElastic& term() {
    static const FemElastic elastic(flesh(), std::make_shared<Law>(kTissue));
    return elastic;
}

void count_tets(benchmark::State& state) {
    state.SetItemsProcessed(state.iterations() * flesh().tets.rows());
}

template <class Law>
void forces_finite_volume(benchmark::State& state) {
    Points g = Points::Zero(bent().rows(), 3);
    for (auto _ : state) {
        term<Law>().add_gradient(bent(), g);
        benchmark::DoNotOptimize(g.data());
    }
    count_tets(state);
}

/// What a first version does: invert the rest edges each time, Eigen's SVD, one after another.
void forces_naive_corotated(benchmark::State& state) {
    Points g = Points::Zero(bent().rows(), 3);
    const Tets& tets = flesh().tets;
    for (auto _ : state) {
        for (Eigen::Index t = 0; t < tets.rows(); ++t) {
            const Mat3 D_m = edge_matrix(flesh().points, tets, t);
            const Mat3 inverse = D_m.inverse();
            const Mat3 F = edge_matrix(bent(), tets, t) * inverse;
            const Eigen::JacobiSVD<Mat3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
            const Mat3 R = svd.matrixU() * svd.matrixV().transpose();
            const Mat3 P = 2.0 * kTissue.mu * (F - R) +
                           kTissue.lambda * ((R.transpose() * F).trace() - 3.0) * R;
            const Mat3 G = D_m.determinant() / 6.0 * P * inverse.transpose();
            for (int c = 0; c < 3; ++c) {
                g.row(tets(t, c + 1)) += G.col(c).transpose();
                g.row(tets(t, 0)) -= G.col(c).transpose();
            }
        }
        benchmark::DoNotOptimize(g.data());
    }
    count_tets(state);
}

template <class Law>
void hessian_blocks(benchmark::State& state) {
    BlockPattern pattern(bent().rows());
    term<Law>().add_pattern(pattern);
    BlockHessian H(pattern);
    for (auto _ : state) {
        H.set_zero();
        term<Law>().add_hessian(bent(), Tangent::PositiveSemidefinite, H);
        benchmark::DoNotOptimize(H.block(0).data());
    }
    count_tets(state);
}

/// What a first version does: clamp the eigenvalues of the 9x9 tangent numerically, collect
/// triplets, build the matrix anew.
void hessian_naive_triplets(benchmark::State& state) {
    const StableNeoHookean law(kTissue);
    const FiniteVolumeTets& elements = term<StableNeoHookean>().elements();
    const Eigen::Index n = 3 * bent().rows();
    for (auto _ : state) {
        std::vector<Eigen::Triplet<double>> triplets;
        for (Eigen::Index t = 0; t < elements.count(); ++t) {
            const Mat9 C = law.tangent(elements.deformation_gradient(bent(), t), Tangent::Exact);
            const Eigen::SelfAdjointEigenSolver<Mat9> eigen(C);
            const Mat9 clamped = eigen.eigenvectors() *
                                 eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
                                 eigen.eigenvectors().transpose();
            Eigen::Matrix<double, 9, 12> dF = Eigen::Matrix<double, 9, 12>::Zero();
            for (int c = 0; c < 3; ++c) {
                for (int k = 0; k < 3; ++k) {
                    const Mat3 part =
                        elements.normals(t)(c, k) / elements.volume(t) * Mat3::Identity();
                    dF.block<3, 3>(3 * c, 3 * (k + 1)) = part;
                    dF.block<3, 3>(3 * c, 0) -= part;
                }
            }
            const Eigen::Matrix<double, 12, 12> K =
                elements.volume(t) * dF.transpose() * clamped * dF;
            for (int a = 0; a < 12; ++a) {
                for (int b = 0; b < 12; ++b) {
                    triplets.emplace_back(3 * elements.tets()(t, a / 3) + a % 3,
                                          3 * elements.tets()(t, b / 3) + b % 3, K(a, b));
                }
            }
        }
        Eigen::SparseMatrix<double> H(n, n);
        H.setFromTriplets(triplets.begin(), triplets.end());
        benchmark::DoNotOptimize(H.valuePtr());
    }
    count_tets(state);
}

BENCHMARK(forces_finite_volume<Corotated>)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(forces_naive_corotated)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(forces_finite_volume<StableNeoHookean>)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(hessian_blocks<StableNeoHookean>)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(hessian_blocks<Corotated>)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(hessian_naive_triplets)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace sinew
