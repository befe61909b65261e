#pragma once

#include "sinew/material/material.h"

namespace sinew {

/// F = U diag(sigma) V^T with rotations U and V (det = +1): sigma[0] >= sigma[1] >= |sigma[2]|, and
/// sigma[2] carries the sign of det F.
struct Stretches {
    Mat3 U;
    Vec3 sigma;
    Mat3 V;
};
Stretches signed_svd(const Mat3& F);

/// Second derivatives of an isotropic energy psi(sigma) [Smith2019, analytic eigensystems].
/// With i, j the two indices other than k:
///   flip[k]  = (psi_i - psi_j) / (sigma_i - sigma_j),   mode U (e_i e_j^T + e_j e_i^T) V^T / sqrt
///   2 twist[k] = (psi_i + psi_j) / (sigma_i + sigma_j),   mode U (e_i e_j^T - e_j e_i^T) V^T /
///   sqrt 2
/// are eigenvalues of d2 psi / dF2; the other three come from `stretch`(i, j) = psi_ij.
struct StretchDerivatives {
    Mat3 stretch;
    Vec3 flip;
    Vec3 twist;
};

/// The tangent put together from its modes. With Tangent::PositiveSemidefinite negative eigenvalues
/// become zero.
Mat9 tangent_from_stretches(const Stretches& s, const StretchDerivatives& d, Tangent kind);

/// The nearest symmetric matrix without negative eigenvalues.
Mat3 without_negative_eigenvalues(const Mat3& A);

}  // namespace sinew
