#include "sinew/geometry/dense_cholesky.h"

#include "sinew/base/parallel.h"
#include "sinew/base/progress.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <utility>
#include <vector>

namespace sinew {

namespace {

constexpr Eigen::Index kTile = 192;  // rows and columns that stay in the second-level cache

}  // namespace

bool factor_dense_cholesky(Eigen::Ref<Eigen::MatrixXd> A, const Progress& progress) {
    const Eigen::Index n = A.rows();
    const Eigen::Index tiles = (n + kTile - 1) / kTile;
    const auto begin = [](Eigen::Index t) { return t * kTile; };
    const auto size = [&](Eigen::Index t) { return std::min(kTile, n - t * kTile); };
    for (Eigen::Index k = 0; k < tiles; ++k) {
        progress.check_cancelled();
        auto diagonal = A.block(begin(k), begin(k), size(k), size(k));
        Eigen::Ref<Eigen::MatrixXd> in_place(diagonal);
        const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> small(in_place);
        if (small.info() != Eigen::Success) {
            return false;
        }
        // Tiles below the diagonal: A_ik <- A_ik L_kk^-T.
        parallel_for(static_cast<std::size_t>(tiles - k - 1), 1,
                     [&](std::size_t first, std::size_t last) {
                         for (std::size_t t = first; t < last; ++t) {
                             const Eigen::Index i = k + 1 + static_cast<Eigen::Index>(t);
                             auto tile = A.block(begin(i), begin(k), size(i), size(k));
                             diagonal.triangularView<Eigen::Lower>()
                                 .transpose()
                                 .solveInPlace<Eigen::OnTheRight>(tile);
                         }
                     });
        // The rest: A_ij <- A_ij - A_ik A_jk^T for j <= i.
        std::vector<std::pair<Eigen::Index, Eigen::Index>> rest;
        for (Eigen::Index i = k + 1; i < tiles; ++i) {
            for (Eigen::Index j = k + 1; j <= i; ++j) {
                rest.emplace_back(i, j);
            }
        }
        parallel_for(rest.size(), 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t t = first; t < last; ++t) {
                const auto [i, j] = rest[t];
                A.block(begin(i), begin(j), size(i), size(j)).noalias() -=
                    A.block(begin(i), begin(k), size(i), size(k)) *
                    A.block(begin(j), begin(k), size(j), size(k)).transpose();
            }
        });
    }
    return true;
}

void solve_dense_cholesky(const Eigen::Ref<const Eigen::MatrixXd>& L,
                          Eigen::Ref<Eigen::MatrixXd> b) {
    L.triangularView<Eigen::Lower>().solveInPlace(b);
    L.transpose().triangularView<Eigen::Upper>().solveInPlace(b);
}

}  // namespace sinew
