#include "sinew/material/isochoric_neo_hookean.h"

#include "sinew/material/invariants.h"
#include "sinew/material/volume_functions.h"

#include <Eigen/LU>

namespace sinew {

namespace {

InvariantDerivatives derivatives(double mu, double kappa, const Mat3& F) {
    const double I1 = F.squaredNorm();
    const double J = F.determinant();
    const VolumeFunction shape = power_of_volume(J, -2.0 / 3.0);
    const VolumeFunction log = log_of_volume(J);
    return {.d1 = 0.5 * mu * shape.value,
            .dJ = 0.5 * mu * I1 * shape.first + 0.5 * kappa * (J - log.first),
            .dJJ = 0.5 * mu * I1 * shape.second + 0.5 * kappa * (1.0 - log.second),
            .d1J = 0.5 * mu * shape.first};
}

}  // namespace

IsochoricNeoHookean::IsochoricNeoHookean(const Lame& lame)
    : mu_(lame.mu), kappa_(bulk_modulus(lame)) {
    require_stable(lame, "isochoric neo-Hookean material");
}

double IsochoricNeoHookean::energy(const Mat3& F) const {
    const double J = F.determinant();
    return 0.5 * mu_ * (power_of_volume(J, -2.0 / 3.0).value * F.squaredNorm() - 3.0) +
           0.25 * kappa_ * (J * J - 1.0 - 2.0 * log_of_volume(J).value);
}

Mat3 IsochoricNeoHookean::stress(const Mat3& F) const {
    return stress_from_invariants(F, derivatives(mu_, kappa_, F));
}

Mat9 IsochoricNeoHookean::tangent(const Mat3& F, Tangent kind) const {
    return tangent_from_invariants(F, derivatives(mu_, kappa_, F), kind);
}

}  // namespace sinew
