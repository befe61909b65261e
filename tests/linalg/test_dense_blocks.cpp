#include "sinew/linalg/dense_blocks.h"

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace sinew::cholesky {
namespace {

// Sizes around those of the strips and tiles that the kernels work in.
constexpr std::array<int, 6> kSizes = {1, 2, 31, 33, 64, 70};
constexpr int kMore = 3;  // rows between columns that are not part of a block

template <class T>
using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

template <class T>
class DenseBlocks : public testing::Test {
protected:
    using Block = Dense<T>;
    // Sums of 70 products of numbers below 1.
    static constexpr T kRounding = T(100) * std::numeric_limits<T>::epsilon();

    static Block random(int rows, int columns) {
        return Block::Random(rows + kMore, columns);
    }
    // Well conditioned; what stands above the diagonal must not be read.
    static Block lower(int n) {
        Block L = random(n, n) / T(n);
        L.topRows(n).diagonal().array() += T(2);
        for (int j = 1; j < n; ++j) {
            L.col(j).head(j).setConstant(std::numeric_limits<T>::quiet_NaN());
        }
        return L;
    }
    static int ld(const Block& m) {
        return static_cast<int>(m.rows());
    }
};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(DenseBlocks, Numbers);

// Against sums written out.
TYPED_TEST(DenseBlocks, ProductsAreThoseOfTheDefinition) {
    using Matrix = Dense<TypeParam>;
    for (const int m : kSizes) {
        for (const int n : {1, 5, 64}) {
            const int k = 17;
            const Matrix A = this->random(m, k);
            const Matrix B = this->random(n, k);
            const Matrix before = this->random(m, n);
            Matrix C = before;
            subtract_product(m, n, k, A.data(), this->ld(A), B.data(), this->ld(B), C.data(),
                             this->ld(C));
            for (int i = 0; i < m + kMore; ++i) {
                for (int j = 0; j < n; ++j) {
                    TypeParam sum = before(i, j);
                    for (int l = 0; l < k && i < m; ++l) {
                        sum -= A(i, l) * B(j, l);
                    }
                    ASSERT_NEAR(C(i, j), sum, this->kRounding) << i << ' ' << j;
                }
            }
        }
    }
}

TYPED_TEST(DenseBlocks, SquaresTouchTheLowerTriangleAlone) {
    using Matrix = Dense<TypeParam>;
    for (const int n : kSizes) {
        const int k = 9;
        const Matrix A = this->random(n, k);
        const Matrix before = this->random(n, n);
        Matrix C = before;
        subtract_square(n, k, A.data(), this->ld(A), C.data(), this->ld(C));
        for (int i = 0; i < n + kMore; ++i) {
            for (int j = 0; j < n; ++j) {
                const TypeParam change =
                    i >= j && i < n ? -A.row(i).cwiseProduct(A.row(j)).sum() : TypeParam(0);
                ASSERT_NEAR(C(i, j), before(i, j) + change, this->kRounding) << i << ' ' << j;
            }
        }
    }
}

// Multiplying back gives what was divided.
TYPED_TEST(DenseBlocks, QuotientsMultiplyBack) {
    using Matrix = Dense<TypeParam>;
    for (const int m : kSizes) {
        for (const int n : {1, 8, 33, 64}) {
            const Matrix L = this->lower(n);
            const Matrix full = L.topRows(n).template triangularView<Eigen::Lower>();
            const Matrix before = this->random(m, n);
            Matrix B = before;
            divide_by_lower(m, n, L.data(), this->ld(L), B.data(), this->ld(B));
            EXPECT_LT((B.topRows(m) * full - before.topRows(m)).cwiseAbs().maxCoeff(),
                      this->kRounding);
            EXPECT_EQ(B.bottomRows(kMore), before.bottomRows(kMore));
            B = before;
            divide_by_transposed(m, n, L.data(), this->ld(L), B.data(), this->ld(B));
            EXPECT_LT((B.topRows(m) * full.transpose() - before.topRows(m)).cwiseAbs().maxCoeff(),
                      this->kRounding);
            EXPECT_EQ(B.bottomRows(kMore), before.bottomRows(kMore));
        }
    }
}

}  // namespace
}  // namespace sinew::cholesky
