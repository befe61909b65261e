#include "sinew/linalg/dense_blocks.h"

#include "sinew/linalg/cholesky_panels.h"

#include <Eigen/Core>
#include <xsimd/xsimd.hpp>

#include <algorithm>
#include <cstddef>

namespace sinew::cholesky {
namespace {

template <class T>
using Block = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>, Eigen::Unaligned,
                         Eigen::OuterStride<>>;
template <class T>
using ConstBlock = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>,
                              Eigen::Unaligned, Eigen::OuterStride<>>;

// Rows of one column that are solved at once: as many as fit into half of the registers.
constexpr int kBatches = 8;
template <class T>
constexpr int kStripRows = kBatches* static_cast<int>(xsimd::batch<T>::size);

// In a strip of rows: column j less the columns first .. last - 1, each times a factor, over `by`.
template <class T>
void solve_column(T* strip, int ld, int j, int first, int last, const T* factors,
                  std::ptrdiff_t step, T by) {
    using Batch = xsimd::batch<T>;
    T* to = strip + static_cast<std::ptrdiff_t>(j) * ld;
    Batch sum[kBatches];
    for (int i = 0; i < kBatches; ++i) {
        sum[i] = Batch::load_unaligned(to + i * static_cast<int>(Batch::size));
    }
    for (int k = first; k < last; ++k) {
        const Batch factor(factors[k * step]);
        const T* from = strip + static_cast<std::ptrdiff_t>(k) * ld;
        for (int i = 0; i < kBatches; ++i) {
            sum[i] = xsimd::fnma(
                factor, Batch::load_unaligned(from + i * static_cast<int>(Batch::size)), sum[i]);
        }
    }
    const Batch inverse(T{1} / by);
    for (int i = 0; i < kBatches; ++i) {
        (sum[i] * inverse).store_unaligned(to + i * static_cast<int>(Batch::size));
    }
}

// Calls solve(strip, ld) for strips of all rows. Those that fill no strip are solved in a copy that
// does.
template <class T, class Solve>
void solve_in_strips(int m, int n, T* B, int ldb, const Solve& solve) {
    constexpr int kRows = kStripRows<T>;
    int row = 0;
    for (; row + kRows <= m; row += kRows) {
        solve(B + row, ldb);
    }
    if (row < m) {
        T copy[kRows * kMaxPanel];
        std::fill_n(copy, kRows * n, T{0});
        Block<T> rest(copy, m - row, n, Eigen::OuterStride<>(kRows));
        Block<T> rows(B + row, m - row, n, Eigen::OuterStride<>(ldb));
        rest = rows;
        solve(copy, kRows);
        rows = rest;
    }
}

}  // namespace

template <class T>
void subtract_product(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C,
                      int ldc) {
    Block<T>(C, m, n, Eigen::OuterStride<>(ldc)).noalias() -=
        ConstBlock<T>(A, m, k, Eigen::OuterStride<>(lda)) *
        ConstBlock<T>(B, n, k, Eigen::OuterStride<>(ldb)).transpose();
}

template <class T>
void subtract_square(int n, int k, const T* A, int lda, T* C, int ldc) {
    Block<T>(C, n, n, Eigen::OuterStride<>(ldc))
        .template selfadjointView<Eigen::Lower>()
        .rankUpdate(ConstBlock<T>(A, n, k, Eigen::OuterStride<>(lda)), T{-1});
}

// x_j = (b_j - sum_k>j x_k L_kj) / L_jj, from the last column to the first.
template <class T>
void divide_by_lower(int m, int n, const T* L, int ldl, T* B, int ldb) {
    solve_in_strips(m, n, B, ldb, [&](T* strip, int ld) {
        for (int j = n - 1; j >= 0; --j) {
            const T* column = L + static_cast<std::ptrdiff_t>(j) * ldl;
            solve_column(strip, ld, j, j + 1, n, column, 1, column[j]);
        }
    });
}

// x_j = (b_j - sum_k<j x_k L_jk) / L_jj
template <class T>
void divide_by_transposed(int m, int n, const T* L, int ldl, T* B, int ldb) {
    solve_in_strips(m, n, B, ldb, [&](T* strip, int ld) {
        for (int j = 0; j < n; ++j) {
            const T* row = L + j;
            solve_column(strip, ld, j, 0, j, row, ldl, row[static_cast<std::ptrdiff_t>(j) * ldl]);
        }
    });
}

template void subtract_product(int, int, int, const float*, int, const float*, int, float*, int);
template void subtract_product(int, int, int, const double*, int, const double*, int, double*, int);
template void subtract_square(int, int, const float*, int, float*, int);
template void subtract_square(int, int, const double*, int, double*, int);
template void divide_by_lower(int, int, const float*, int, float*, int);
template void divide_by_lower(int, int, const double*, int, double*, int);
template void divide_by_transposed(int, int, const float*, int, float*, int);
template void divide_by_transposed(int, int, const double*, int, double*, int);

}  // namespace sinew::cholesky
