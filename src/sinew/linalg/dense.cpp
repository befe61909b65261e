#include "sinew/linalg/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/QR>

namespace sinew {

SymmetricEigen3 symmetric_eigen(const Eigen::Matrix3d& A) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(A);
    return {eigen.eigenvalues(), eigen.eigenvectors()};
}

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A);
    return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
    return A.ldlt().solve(b);
}

Eigen::MatrixXd solve_symmetric_columns(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
    return A.ldlt().solve(B);
}

Eigen::VectorXd solve_positive_definite(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
    return A.llt().solve(b);
}

Eigen::MatrixXd cholesky_factor(const Eigen::MatrixXd& A) {
    const Eigen::LLT<Eigen::MatrixXd> factor(A);
    return factor.info() == Eigen::Success ? Eigen::MatrixXd(factor.matrixL()) : Eigen::MatrixXd();
}

Eigen::Matrix3d turn_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
    return Eigen::Quaterniond::FromTwoVectors(from, to).toRotationMatrix();
}

Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
    return A.completeOrthogonalDecomposition().solve(b);
}

}  // namespace sinew
