#include "sinew/material/symmetric_arap.h"

#include "sinew/linalg/dense.h"
#include "sinew/material/stretches.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::symmetric_arap {

double stiffness(const Mat3& D_M, double mu) {
    const double square = D_M.squaredNorm();
    return square > 0.0 ? 3.0 * mu * std::abs(D_M.determinant()) / 6.0 / square : 0.0;
}

double energy(const Mat3& D_S, const Mat3& D_M, double k) {
    const SignedSvd s = signed_svd(D_S * D_M.transpose());
    return k * (D_S - s.U * s.V.transpose() * D_M).squaredNorm();
}

Mat3 gradient(const Mat3& D_S, const Mat3& D_M, double k) {
    const SignedSvd s = signed_svd(D_S * D_M.transpose());
    return 2.0 * k * (D_S - s.U * s.V.transpose() * D_M);
}

// E = k (|D_S|^2 + |D_M|^2 - 2 sum_i sigma_i) with sigma the signed stretches of G = D_S D_M^T. The
// second derivative of the sum by G has three modes, the twists T_k with values
// d_k = 2 / (sigma_i + sigma_j), so with w_k = sqrt(d_k) vec(T_k D_M)
//
//   H = 2 k (I - W W^T),   W = (w_0, w_1, w_2).
//
// W W^T and the 3x3 matrix W^T W have the same non-zero eigenvalues s_m, with eigenvectors
// q_m = W y_m / sqrt(s_m). H is semidefinite once no s_m exceeds 1.
Mat9 hessian(const Mat3& D_S, const Mat3& D_M, double k, Tangent kind) {
    const SignedSvd s = signed_svd(D_S * D_M.transpose());
    // Curvature is cut off where two stretches cancel and R jumps.
    const double smallest_sum =
        std::max(1e-6 * D_M.squaredNorm(), std::numeric_limits<double>::min());
    Eigen::Matrix<double, 9, 3> W;
    for (int m = 0; m < 3; ++m) {
        const int i = (m + 1) % 3;
        const int j = (m + 2) % 3;
        const double sum = std::max(s.s[i] + s.s[j], smallest_sum);
        const Mat3 twist =
            s.U.col(i) * s.V.col(j).transpose() - s.U.col(j) * s.V.col(i).transpose();
        // T = twist / sqrt 2
        const Mat3 column = std::sqrt(1.0 / sum) * twist * D_M;
        W.col(m) = column.reshaped();
    }
    Mat9 H = 2.0 * k * Mat9::Identity();
    if (kind == Tangent::Exact) {
        H.noalias() -= (2.0 * k * W) * W.transpose();
        return H;
    }
    const Mat3 S = W.transpose() * W;
    const SymmetricEigen3 eigen = symmetric_eigen(S);
    for (int m = 0; m < 3; ++m) {
        const double value = eigen.values[m];
        if (value > 0.0) {
            const Eigen::Matrix<double, 9, 1> q = W * eigen.vectors.col(m);
            H.noalias() -= (2.0 * k * std::min(1.0, 1.0 / value) * q) * q.transpose();
        }
    }
    return H;
}

}  // namespace sinew::symmetric_arap
