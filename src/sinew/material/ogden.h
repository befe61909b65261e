#pragma once

#include "sinew/material/material.h"

#include <vector>

namespace sinew {

/// Constants of Ogden's law.
struct OgdenConstants {
    struct Term {
        double mu = 0.0;     ///< Pa, of the sign of alpha
        double alpha = 0.0;  ///< exponent, not 0
    };
    std::vector<Term> terms = {};
    double K = 0.0;  ///< bulk modulus, Pa, > 0
};

/// Rubber and soft tissue by powers of the stretches.
///
///   psi = sum_p mu_p/alpha_p (s1^alpha_p + s2^alpha_p + s3^alpha_p - 3) + K/4 (J^2 - 1 - 2 ln J),
///   s_i = J^(-1/3) sigma_i                                                           [Ogden1972]
///
/// Small-strain shear modulus sum mu_p alpha_p / 2. Departs: powers of stretches below
/// kSmallestVolumeRatio, and of J (volume_functions.h), are continued.
class Ogden final : public Material {
public:
    /// @throws InputError  outside the ranges above, or without terms
    explicit Ogden(OgdenConstants constants);

    double energy(const Mat3& F) const override;
    Mat3 stress(const Mat3& F) const override;
    Mat9 tangent(const Mat3& F, Tangent kind) const override;

private:
    OgdenConstants c_;
};

}  // namespace sinew
