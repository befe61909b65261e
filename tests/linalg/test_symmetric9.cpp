#include "sinew/base/random.h"
#include "sinew/linalg/dense.h"
#include "sinew/linalg/symmetric9.h"

#include <gtest/gtest.h>

#include <vector>

namespace sinew {
namespace {

Symmetric9 random_symmetric(Random& random, double scale) {
    Symmetric9 A;
    for (int i = 0; i < 9; ++i) {
        for (int j = 0; j <= i; ++j) {
            A(i, j) = A(j, i) = scale * random.uniform(-1.0, 1.0);
        }
    }
    return A;
}

Symmetric9 absolute(const Symmetric9& A) {
    const SymmetricEigen eigen = symmetric_eigen(Eigen::MatrixXd(A));
    const Eigen::MatrixXd scaled = eigen.vectors * eigen.values.cwiseAbs().asDiagonal();
    return scaled * eigen.vectors.transpose();
}

TEST(Symmetric9, AbsoluteEigenvaluesAreThoseOfTheGeneralSolver) {
    Random random(Seed{3}, 0);
    std::vector<Symmetric9> matrices;
    for (int i = 0; i < 23; ++i) {  // of very different size side by side; not a multiple of four
        matrices.push_back(random_symmetric(random, i % 3 == 0 ? 1e-6 : 1e7));
    }
    // Multiple eigenvalues, a multiple of the unit matrix, nothing at all.
    matrices.push_back(-4.0 * Symmetric9::Identity());
    matrices.push_back(Symmetric9::Zero());
    const Eigen::Matrix<double, 9, 1> v = random_symmetric(random, 1.0).col(0);
    matrices.push_back(-3.0 * v * v.transpose());
    std::vector<Symmetric9> out = matrices;
    std::vector<Symmetric9*> list;
    for (Symmetric9& M : out) {
        list.push_back(&M);
    }
    take_absolute_eigenvalues(list);
    for (std::size_t i = 0; i < out.size(); ++i) {
        EXPECT_LE((out[i] - absolute(matrices[i])).norm(), 1e-10 * matrices[i].norm()) << i;
        EXPECT_EQ(out[i], out[i].transpose());
    }
}

TEST(Symmetric9, PositiveSemidefiniteIsToldFromTheSmallestEigenvalue) {
    Random random(Seed{4}, 0);
    int positive = 0;
    for (int i = 0; i < 200; ++i) {
        Symmetric9 A = random_symmetric(random, 2.0);
        const double least = symmetric_eigen(Eigen::MatrixXd(A)).values[0];
        A.diagonal().array() += random.uniform(0.9, 1.1) * -least;
        const bool expected = symmetric_eigen(Eigen::MatrixXd(A)).values[0] > 0.0;
        EXPECT_EQ(is_positive_semidefinite(A), expected) << i;
        positive += static_cast<int>(expected);
    }
    EXPECT_GT(positive, 50);
    EXPECT_LT(positive, 150);
    EXPECT_TRUE(is_positive_semidefinite(Symmetric9::Identity()));
}

}  // namespace
}  // namespace sinew
