#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <span>

namespace sinew {

using Symmetric9 = Eigen::Matrix<double, 9, 9>;

/// Replaces each matrix by the one with the same eigenvectors and the absolute values of its
/// eigenvalues. By Jacobi rotations on several matrices at once, to 1e-10 of their norm; a matrix
/// gives the same bits whenever it stands in the same list.
void take_absolute_eigenvalues(std::span<Symmetric9* const> matrices);

/// Whether a Cholesky factor exists once the diagonal is raised by 1e-12 of its largest entry.
bool is_positive_semidefinite(const Symmetric9& A);

}  // namespace sinew
