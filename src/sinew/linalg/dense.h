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

/// The smallest rotation that takes one direction to another; where they are opposite, one of them.
Eigen::Matrix3d turn_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

/// argmin_x |A x - b|, the shortest one where there are several.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

}  // namespace sinew
