#pragma once

#include <Eigen/Core>

namespace sinew {

// Eigen's decompositions behind plain functions: each is compiled once, here, and not in every file
// that needs one.

/// A = vectors diag(values) vectors^T, values ascending.
struct SymmetricEigen3 {
    Eigen::Vector3d values;
    Eigen::Matrix3d vectors;
};
/// Of a symmetric matrix; only its lower half is read.
SymmetricEigen3 symmetric_eigen(const Eigen::Matrix3d& A);

struct SymmetricEigen {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);

/// A^-1 b for a symmetric A that need not be positive definite (LDL^T with pivots).
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::MatrixXd solve_symmetric_columns(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// A^-1 b for a symmetric positive definite A (L L^T); what is not gives numbers without meaning.
Eigen::VectorXd solve_positive_definite(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

/// L with A = L L^T and zeros above its diagonal; empty where A is not positive definite.
Eigen::MatrixXd cholesky_factor(const Eigen::MatrixXd& A);

/// The smallest rotation that takes one direction to another; where they are opposite, one of them.
Eigen::Matrix3d turn_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

/// argmin_x |A x - b|, the shortest one where there are several.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

}  // namespace sinew
