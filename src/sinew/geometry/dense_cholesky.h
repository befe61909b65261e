#pragma once

#include <Eigen/Core>

namespace sinew {

class Progress;

/// Replaces the lower triangle of the symmetric positive definite A by its factor L, A = L L^T, in
/// parallel by tiles, with the same bits on any number of threads. The upper triangle is not read.
/// @return false when a pivot is not positive; A then holds nothing of use
/// @throws Cancelled
bool factor_dense_cholesky(Eigen::Ref<Eigen::MatrixXd> A, const Progress& progress);

/// Solves L L^T x = b in place, for every column of b.
void solve_dense_cholesky(const Eigen::Ref<const Eigen::MatrixXd>& L,
                          Eigen::Ref<Eigen::MatrixXd> b);

}  // namespace sinew
