#pragma once

#include "sinew/linalg/cholesky.h"

#include <cstddef>
#include <vector>

namespace sinew {

/// Which entries of a matrix are its diagonal, row by row.
std::vector<std::size_t> diagonal_of(const SparseSymmetric& A);

/// Factorises A. Where it has no factor because nothing holds the body, more and more is added to
/// its diagonal, from a millionth of the mean on, until it has one or the mean is reached.
/// @param diagonal  of `diagonal_of`
FactorResult factor_raised(SparseSymmetric& A, const std::vector<std::size_t>& diagonal,
                           SparseCholesky& cholesky);

}  // namespace sinew
