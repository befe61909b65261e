#pragma once

#include "sinew/material/lame.h"
#include "sinew/material/material.h"

namespace sinew {

/// Rubber-like law that stays well behaved through inversion.
///
///   psi = mu/2 (I1 - 3) + lambda/2 (J - alpha)^2 - mu/2 ln(I1 + 1) + constant
///   alpha = 1 + mu/lambda - mu/(4 lambda)        [Smith2018, stable law; Kadlecek2022, eq. 2.9]
///
/// Departs: [Kadlecek2022] prints alpha = 1 + mu/lambda - (mu/4) lambda, which is neither free of
/// units nor free of stress at rest: P(I) = (3/4 mu + lambda (1 - alpha)) I vanishes only for
/// alpha = 1 + 3 mu / (4 lambda), as in [Smith2018]. The constant makes the rest state cost
/// nothing.
class StableNeoHookean final : public Material {
public:
    /// The law that agrees with linear elasticity of these Lame coefficients at small strain:
    ///   mu = 4/3 mu_lame,   lambda = lambda_lame + 5/6 mu_lame   [Smith2018, Lame constants]
    /// @throws InputError  unless mu > 0 and lambda + 5/6 mu > 0
    explicit StableNeoHookean(const Lame& lame);

    double energy(const Mat3& F) const override;
    Mat3 stress(const Mat3& F) const override;
    Mat9 tangent(const Mat3& F, Tangent kind) const override;

private:
    double mu_;
    double lambda_;
    double alpha_;
    double rest_energy_;
};

}  // namespace sinew
