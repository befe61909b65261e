#include "sinew/linalg/symmetric9.h"

#include <xsimd/xsimd.hpp>

#include <algorithm>
#include <array>

namespace sinew {

namespace {

using Lane = xsimd::batch<double>;  // one entry of several matrices
constexpr std::size_t kLanes = Lane::size;
using Square = std::array<std::array<Lane, 9>, 9>;

/// Sums of squares above the diagonal and on it.
struct Sizes {
    Lane off = Lane(0.0);
    Lane diagonal = Lane(0.0);
};

Sizes sizes_of(const Square& A) {
    Sizes s;
    for (std::size_t i = 0; i < 9; ++i) {
        s.diagonal = xsimd::fma(A[i][i], A[i][i], s.diagonal);
        for (std::size_t j = i + 1; j < 9; ++j) {
            s.off = xsimd::fma(A[i][j], A[i][j], s.off);
        }
    }
    return s;
}

/// One Jacobi rotation in the plane of p and q, p < q, that makes entry (p, q) zero. Only the upper
/// half of A is kept.
void rotate(std::size_t p, std::size_t q, Square& A, Square& V) {
    const Lane apq = A[p][q];
    const Lane twice = 2.0 * apq;
    const Lane difference = A[q][q] - A[p][p];
    // t = tan of the angle, the smaller root of t^2 + 2 t theta - 1 = 0, theta = difference /
    // twice; without division by zero: t = sign twice / (|difference| + hypot)
    const Lane root = xsimd::sqrt(xsimd::fma(difference, difference, twice * twice));
    const Lane sum = xsimd::abs(difference) + root;
    const Lane t = xsimd::select(difference < 0.0, -twice, twice) / xsimd::max(sum, Lane(1e-300));
    const Lane c = 1.0 / xsimd::sqrt(xsimd::fma(t, t, Lane(1.0)));
    const Lane s = t * c;
    A[p][p] -= t * apq;
    A[q][q] += t * apq;
    A[p][q] = Lane(0.0);
    const auto turn = [&](Lane& x, Lane& y) {
        const Lane old = x;
        x = xsimd::fms(c, old, s * y);
        y = xsimd::fma(s, old, c * y);
    };
    for (std::size_t k = 0; k < p; ++k) {
        turn(A[k][p], A[k][q]);
    }
    for (std::size_t k = p + 1; k < q; ++k) {
        turn(A[p][k], A[k][q]);
    }
    for (std::size_t k = q + 1; k < 9; ++k) {
        turn(A[p][k], A[q][k]);
    }
    for (std::size_t k = 0; k < 9; ++k) {
        turn(V[p][k], V[q][k]);  // eigenvectors are the rows of V
    }
}

void diagonalise(Square& A, Square& V) {
    constexpr int kMostSweeps = 12;
    constexpr double kSmall = 1e-20;  // of the squares
    for (std::size_t i = 0; i < 9; ++i) {
        for (std::size_t j = 0; j < 9; ++j) {
            V[i][j] = Lane(i == j ? 1.0 : 0.0);
        }
    }
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        const Sizes s = sizes_of(A);
        if (xsimd::all(s.off <= kSmall * (s.diagonal + s.off))) {
            return;
        }
        for (std::size_t p = 0; p < 8; ++p) {
            for (std::size_t q = p + 1; q < 9; ++q) {
                rotate(p, q, A, V);
            }
        }
    }
}

}  // namespace

void take_absolute_eigenvalues(std::span<Symmetric9* const> matrices) {
    Square A, V;
    alignas(Lane::arch_type::alignment()) std::array<double, kLanes> entry = {};
    for (std::size_t first = 0; first < matrices.size(); first += kLanes) {
        const std::size_t count = std::min(kLanes, matrices.size() - first);
        for (std::size_t i = 0; i < 9; ++i) {
            for (std::size_t j = i; j < 9; ++j) {
                entry.fill(0.0);
                for (std::size_t l = 0; l < count; ++l) {
                    entry[l] = matrices[first + l]->data()[9 * i + j];
                }
                A[i][j] = Lane::load_aligned(entry.data());
            }
        }
        diagonalise(A, V);
        // sum_k |lambda_k| v_k v_k^T
        for (std::size_t i = 0; i < 9; ++i) {
            std::array<Lane, 9> scaled;
            for (std::size_t k = 0; k < 9; ++k) {
                scaled[k] = xsimd::abs(A[k][k]) * V[k][i];
            }
            for (std::size_t j = i; j < 9; ++j) {
                Lane sum = scaled[0] * V[0][j];
                for (std::size_t k = 1; k < 9; ++k) {
                    sum = xsimd::fma(scaled[k], V[k][j], sum);
                }
                sum.store_aligned(entry.data());
                for (std::size_t l = 0; l < count; ++l) {
                    matrices[first + l]->data()[9 * i + j] = entry[l];
                    matrices[first + l]->data()[9 * j + i] = entry[l];
                }
            }
        }
    }
}

bool is_positive_semidefinite(const Symmetric9& A) {
    constexpr double kRounding = 1e-12;
    const double raise = kRounding * A.diagonal().cwiseAbs().maxCoeff();
    Symmetric9 L = A;  // column by column; only the lower half counts
    for (int j = 0; j < 9; ++j) {
        const double pivot = L(j, j) + raise;
        if (!(pivot > 0.0)) {
            return false;
        }
        const double inverse = 1.0 / pivot;
        for (int k = j + 1; k < 9; ++k) {
            const double factor = L(k, j) * inverse;
            for (int i = k; i < 9; ++i) {
                L(i, k) -= factor * L(i, j);
            }
        }
    }
    return true;
}

}  // namespace sinew
