#pragma once

#include "sinew/material/material.h"

namespace sinew {

/// Invariants of F with C = F^T F, written by its stretches:
///   I1 = tr C                        = sum sigma_i^2
///   I2 = ((tr C)^2 - tr C^2) / 2     = sum_{i<j} sigma_i^2 sigma_j^2
///   J  = det F                       = sigma_1 sigma_2 sigma_3
struct Invariants {
    double I1;
    double I2;
    double J;
};
Invariants compute_invariants(const Mat3& F);

/// Partial derivatives of an energy psi(I1, I2, J); names left out are zero.
struct InvariantDerivatives {
    double d1 = 0.0, d2 = 0.0, dJ = 0.0;
    double d11 = 0.0, d22 = 0.0, dJJ = 0.0;
    double d12 = 0.0, d1J = 0.0, d2J = 0.0;
};

/// P = 2 d1 F + 2 d2 (I1 F - F F^T F) + dJ cof F
Mat3 stress_from_invariants(const Mat3& F, const InvariantDerivatives& d);

/// dP / dF. Exact without any decomposition; the semidefinite one through the stretches of F.
Mat9 tangent_from_invariants(const Mat3& F, const InvariantDerivatives& d, Tangent kind);

/// d det F / dF = J F^-T, defined for singular F too.
Mat3 cofactors(const Mat3& F);

}  // namespace sinew
