#include "sinew/linalg/dense.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

TEST(Dense, EigenvectorsOfSymmetricMatricesDiagonaliseThem) {
    Eigen::Matrix3d A;
    A << 2, 1, 0, 1, 2, 0, 0, 0, 5;  // 1, 3, 5
    const SymmetricEigen3 three = symmetric_eigen(A);
    EXPECT_LT((three.values - Eigen::Vector3d(1, 3, 5)).norm(), 1e-14);
    EXPECT_LT(
        (three.vectors.transpose() * A * three.vectors - Eigen::Matrix3d(three.values.asDiagonal()))
            .norm(),
        1e-13);
    const SymmetricEigen any = symmetric_eigen(Eigen::MatrixXd(A));
    EXPECT_LT((any.values - three.values).norm(), 1e-14);
}

TEST(Dense, SolvesSymmetricSystemsThatBendBothWays) {
    Eigen::MatrixXd A(2, 2);
    A << 1, 2, 2, 1;  // eigenvalues 3 and -1; A^-1 = [-1 2; 2 -1] / 3
    EXPECT_LT((solve_symmetric(A, Eigen::Vector2d(3, 0)) - Eigen::Vector2d(-1, 2)).norm(), 1e-14);
    Eigen::MatrixXd inverse(2, 2);
    inverse << -1, 2, 2, -1;
    const Eigen::MatrixXd found = solve_symmetric_columns(A, 3 * Eigen::MatrixXd::Identity(2, 2));
    EXPECT_LT((found - inverse).norm(), 1e-14);
    EXPECT_EQ(cholesky_factor(A).size(), 0);
}

TEST(Dense, FactorsOfPositiveDefiniteMatricesAreTriangular) {
    Eigen::MatrixXd A(2, 2);
    A << 4, 2, 2, 5;
    Eigen::MatrixXd L(2, 2);
    L << 2, 0, 1, 2;
    EXPECT_LT((cholesky_factor(A) - L).norm(), 1e-15);
    EXPECT_LT((solve_positive_definite(A, Eigen::Vector2d(8, 12)) - Eigen::Vector2d(1, 2)).norm(),
              1e-14);
}

TEST(Dense, TurnsTakeOneDirectionToTheOther) {
    const Eigen::Vector3d a = Eigen::Vector3d(1, 2, 3).normalized();
    for (const Eigen::Vector3d& b :
         {Eigen::Vector3d(-2, 1, 0.5), Eigen::Vector3d(a), Eigen::Vector3d(-a)}) {
        const Eigen::Matrix3d R = turn_between(a, b);
        EXPECT_LT((R * a - b.normalized()).norm(), 1e-12);
        EXPECT_LT((R * R.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-12);
    }
}

TEST(Dense, LeastSquaresOfAFlatProblemIsTheShortest) {
    Eigen::MatrixXd A(2, 3);
    A << 1, 1, 0, 2, 2, 0;  // x + y = 2, twice
    const Eigen::VectorXd x = least_squares(A, Eigen::Vector2d(2, 4));
    EXPECT_LT((x - Eigen::Vector3d(1, 1, 0)).norm(), 1e-13);
}

}  // namespace
}  // namespace sinew
