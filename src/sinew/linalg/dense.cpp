#include "sinew/linalg/dense.h"

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

Eigen::Matrix3d turn_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
    return Eigen::Quaterniond::FromTwoVectors(from, to).toRotationMatrix();
}

Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
    return A.completeOrthogonalDecomposition().solve(b);
}

}  // namespace sinew
