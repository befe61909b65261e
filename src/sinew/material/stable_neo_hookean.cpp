#include "sinew/material/stable_neo_hookean.h"

#include "sinew/material/invariants.h"

#include <Eigen/LU>

#include <cmath>

namespace sinew {

namespace {

InvariantDerivatives derivatives(double mu, double lambda, double alpha, const Mat3& F) {
    const double I1 = F.squaredNorm();
    const double J = F.determinant();
    return {.d1 = 0.5 * mu * (1.0 - 1.0 / (I1 + 1.0)),
            .dJ = lambda * (J - alpha),
            .d11 = 0.5 * mu / ((I1 + 1.0) * (I1 + 1.0)),
            .dJJ = lambda};
}

}  // namespace

StableNeoHookean::StableNeoHookean(const Lame& lame)
    : mu_(4.0 / 3.0 * lame.mu),
      lambda_(lame.lambda + 5.0 / 6.0 * lame.mu),
      alpha_(1.0 + 0.75 * mu_ / lambda_),
      rest_energy_(0.5 * lambda_ * (1.0 - alpha_) * (1.0 - alpha_) - 0.5 * mu_ * std::log(4.0)) {
    require_stable(lame, "stable neo-Hookean material");
}

double StableNeoHookean::energy(const Mat3& F) const {
    const double I1 = F.squaredNorm();
    const double volume = F.determinant() - alpha_;
    return 0.5 * mu_ * (I1 - 3.0) + 0.5 * lambda_ * volume * volume -
           0.5 * mu_ * std::log(I1 + 1.0) - rest_energy_;
}

Mat3 StableNeoHookean::stress(const Mat3& F) const {
    return stress_from_invariants(F, derivatives(mu_, lambda_, alpha_, F));
}

Mat9 StableNeoHookean::tangent(const Mat3& F, Tangent kind) const {
    return tangent_from_invariants(F, derivatives(mu_, lambda_, alpha_, F), kind);
}

}  // namespace sinew
