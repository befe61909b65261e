#pragma once

namespace sinew::cholesky {

/// Products and triangular systems on dense column-major blocks, for T = float and double. They run
/// on the calling thread and are compiled for the instruction set of the build, so their rounding
/// is the same on every computer that runs it.

/// C -= A B^T for C of m x n, A of m x k and B of n x k.
template <class T>
void subtract_product(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc);
/// The lower triangle of C -= A A^T for C of n x n and A of n x k.
template <class T>
void subtract_square(int n, int k, const T* A, int lda, T* C, int ldc);
/// B = B L^-1 for B of m x n and a lower triangular L; n <= kMaxPanel.
template <class T>
void divide_by_lower(int m, int n, const T* L, int ldl, T* B, int ldb);
/// B = B L^-T, the same way.
template <class T>
void divide_by_transposed(int m, int n, const T* L, int ldl, T* B, int ldb);

}  // namespace sinew::cholesky
