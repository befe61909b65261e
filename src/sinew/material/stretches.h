#pragma once

#include "sinew/linalg/svd3.h"
#include "sinew/material/material.h"

namespace sinew {

/// Second derivatives of an isotropic energy psi(sigma), sigma the signed stretches
/// [Smith2019, analytic eigensystems]. With i, j the two indices other than k:
///   flip[k]  = (psi_i - psi_j) / (sigma_i - sigma_j)   of the mode  U (e_i e_j^T + e_j e_i^T) V^T
///   twist[k] = (psi_i + psi_j) / (sigma_i + sigma_j)   of the mode  U (e_i e_j^T - e_j e_i^T) V^T
/// are eigenvalues of d2 psi / dF2 (modes to be normalised); the other three come from
/// `stretch`(i, j) = psi_ij.
struct StretchDerivatives {
    Mat3 stretch;
    Vec3 flip;
    Vec3 twist;
};

/// The tangent put together from its modes. With Tangent::PositiveSemidefinite negative eigenvalues
/// become zero.
Mat9 tangent_from_stretches(const SignedSvd& s, const StretchDerivatives& d, Tangent kind);

/// The nearest symmetric matrix without negative eigenvalues.
Mat3 without_negative_eigenvalues(const Mat3& A);

}  // namespace sinew
