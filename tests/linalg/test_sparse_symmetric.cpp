#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/linalg/sparse_symmetric.h"

#include <Eigen/Core>
#include <gtest/gtest.h>

namespace sinew {
namespace {

Eigen::MatrixXd dense(const SparseSymmetric& A) {
    Eigen::MatrixXd D = Eigen::MatrixXd::Zero(A.size, A.size);
    for (int i = 0; i < A.size; ++i) {
        for (std::int64_t e = A.start[i]; e < A.start[i + 1]; ++e) {
            D(i, A.column[e]) += A.value[e];
        }
    }
    return D;
}

TEST(SparseSymmetric, SumsTripletsOnBothSidesOfTheDiagonal) {
    Triplets t(3);
    t.add(0, 2, 5.0);
    t.add(2, 0, 1.0);
    t.add(1, 1, 3.0);
    t.add(1, 1, 0.5);
    const SparseSymmetric A = assemble(t);
    Eigen::Matrix3d expected;
    expected << 0, 0, 6, 0, 3.5, 0, 6, 0, 0;
    EXPECT_EQ(dense(A), expected);
    EXPECT_EQ(A.entries(), 5);  // the diagonal is always there
}

TEST(SparseSymmetric, OuterProductsMatchDenseOnesEvenWithRepeatedUnknowns) {
    Random random(Seed{1});
    Triplets t(6);
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(6, 6);
    for (int k = 0; k < 50; ++k) {
        int index[4];
        double q[4];
        Eigen::VectorXd row = Eigen::VectorXd::Zero(6);
        for (int a = 0; a < 4; ++a) {
            index[a] = static_cast<int>(random.below(6));
            q[a] = random.normal();
            row[index[a]] += q[a];
        }
        const double w = random.uniform(0.1, 2);
        t.add_outer(index, q, w);
        expected += w * row * row.transpose();
    }
    EXPECT_LE((dense(assemble(t)) - expected).norm(), 1e-13 * expected.norm());
}

TEST(SparseSymmetric, RefillGivesTheBytesOfANewAssembly) {
    Random random(Seed{2});
    Triplets first(40);
    Triplets second(40);
    for (int k = 0; k < 500; ++k) {
        const int i = static_cast<int>(random.below(40));
        const int j = static_cast<int>(random.below(40));
        first.add(i, j, random.normal());
        second.add(i, j, random.normal());
    }
    SparseAssembly assembly(first);
    assembly.refill(second);
    EXPECT_EQ(assembly.matrix().value, assemble(second).value);
    Triplets shorter(40);
    EXPECT_THROW(assembly.refill(shorter), InputError);
}

TEST(SparseSymmetric, IndexOutsideIsAnInputError) {
    Triplets t(2);
    t.add(0, 2, 1.0);
    EXPECT_THROW(assemble(t), InputError);
}

TEST(SparseSymmetric, ProductsAndSubmatricesMatchDenseOnes) {
    Random random(Seed{3});
    Triplets t(30);
    for (int k = 0; k < 200; ++k) {
        t.add(static_cast<int>(random.below(30)), static_cast<int>(random.below(30)),
              random.normal());
    }
    const SparseSymmetric A = assemble(t);
    const Eigen::MatrixXd D = dense(A);
    Eigen::Matrix<double, 30, 3, Eigen::RowMajor> x;
    for (int i = 0; i < x.size(); ++i) {
        x.data()[i] = random.normal();
    }
    Eigen::Matrix<double, 30, 3, Eigen::RowMajor> y;
    multiply(A, {x.data(), 90}, 3, {y.data(), 90});
    EXPECT_LE((y - D * x).norm(), 1e-13 * D.norm());
    Eigen::VectorXd y1(30);
    const Eigen::VectorXd x1 = x.col(0);
    multiply(A, {x1.data(), 30}, 1, {y1.data(), 30});
    EXPECT_LE((y1 - D * x1).norm(), 1e-13 * D.norm());

    const std::vector<int> keep = {0, 3, 4, 17, 29};
    const Eigen::MatrixXd S = dense(submatrix(A, keep));
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) {
            EXPECT_EQ(S(i, j), D(keep[i], keep[j]));
        }
    }
}

}  // namespace
}  // namespace sinew
