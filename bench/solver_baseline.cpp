#include "sinew/base/timer.h"

// Eigen's METIS header uses std::cerr without including it, so this one goes first.
// clang-format off
#include <iostream>
// clang-format on
#include <Eigen/Dense>
#include <Eigen/MetisSupport>
#include <Eigen/SparseCholesky>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "bench/solver_bench.h"

namespace sinew::bench {
namespace {

// One linearised step towards determinant 1 [Saito2015, eq. 4].
Vec3 with_unit_product(const Vec3& s) {
    const Vec3 g(s[1] * s[2], s[0] * s[2], s[0] * s[1]);
    const double gg = g.squaredNorm();
    return gg > 0.0 ? Vec3(s - (s.prod() - 1.0) / gg * g) : s;
}

}  // namespace

std::optional<BaselineTimes> run_baseline(const BaselineScene& scene) {
    const TetMesh& rest = scene.rest;
    const auto n = rest.points.rows();
    const auto tets = static_cast<std::size_t>(rest.tets.rows());
    omp_set_num_threads(scene.threads);
    BaselineTimes times;

    std::vector<Mat3> inverse(tets);
    std::vector<double> volume(tets);
    std::vector<Eigen::Triplet<double>> triplets;
    for (std::size_t t = 0; t < tets; ++t) {
        const auto row = rest.tets.row(static_cast<Eigen::Index>(t));
        Mat3 D;
        for (int k = 0; k < 3; ++k) {
            D.col(k) = point(rest.points, row[k + 1]) - point(rest.points, row[0]);
        }
        inverse[t] = D.inverse();
        volume[t] = D.determinant() / 6.0;
        Eigen::Matrix<double, 4, 3> g;
        g << -inverse[t].colwise().sum(), inverse[t];
        const double w = volume[t] * (scene.rotation_weight + scene.volume_weight);
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) {
                triplets.emplace_back(row[a], row[b], w * g.row(a).dot(g.row(b)));
            }
        }
    }
    for (Eigen::Index i = 0; i < scene.bone_corners.rows(); ++i) {
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) {
                triplets.emplace_back(scene.bone_corners(i, a), scene.bone_corners(i, b),
                                      scene.bone_weight / 16.0);
            }
        }
    }
    Eigen::SparseMatrix<double> A(n, n);
    A.setFromTriplets(triplets.begin(), triplets.end());
    const Timer factor;
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower,
                                Eigen::MetisOrdering<int>>
        solver(A);
    times.factor_s = factor.seconds();

    Eigen::MatrixX3d x = rest.points;
    x.col(0) *= 1.02;
    std::vector<Mat3> target(tets);
    std::vector<double> samples;
    for (int k = 0; k < scene.iterations; ++k) {
        const Timer iteration;
#pragma omp parallel for
        for (std::size_t t = 0; t < tets; ++t) {
            const auto row = rest.tets.row(static_cast<Eigen::Index>(t));
            Mat3 D;
            for (int c = 0; c < 3; ++c) {
                D.col(c) = (x.row(row[c + 1]) - x.row(row[0])).transpose();
            }
            const Mat3 F = D * inverse[t];
            const Eigen::JacobiSVD<Mat3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
            Mat3 U = svd.matrixU();
            const Mat3& V = svd.matrixV();
            Vec3 s = svd.singularValues();
            if (U.determinant() * V.determinant() < 0.0) {
                U.col(2) *= -1.0;
                s[2] *= -1.0;
            }
            target[t] = volume[t] * (scene.rotation_weight * U * V.transpose() +
                                     scene.volume_weight * U * with_unit_product(s).asDiagonal() *
                                         V.transpose());
        }
        Eigen::MatrixX3d b = Eigen::MatrixX3d::Zero(n, 3);
        for (std::size_t t = 0; t < tets; ++t) {
            const auto row = rest.tets.row(static_cast<Eigen::Index>(t));
            const Mat3 f = target[t] * inverse[t].transpose();
            b.row(row[0]) -= f.rowwise().sum().transpose();
            for (int c = 0; c < 3; ++c) {
                b.row(row[c + 1]) += f.col(c).transpose();
            }
        }
        for (Eigen::Index i = 0; i < scene.bone_corners.rows(); ++i) {
            for (int c = 0; c < 4; ++c) {
                b.row(scene.bone_corners(i, c)) +=
                    0.25 * scene.bone_weight * scene.bone_targets.row(i);
            }
        }
#pragma omp parallel for
        for (int c = 0; c < 3; ++c) {
            x.col(c) = solver.solve(b.col(c));
        }
        samples.push_back(iteration.seconds());
    }
    std::sort(samples.begin(), samples.end());
    times.iteration_ms = samples.empty() ? 0.0 : 1e3 * samples[samples.size() / 2];
    return times;
}

}  // namespace sinew::bench
