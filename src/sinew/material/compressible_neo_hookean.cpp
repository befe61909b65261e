#include "sinew/material/compressible_neo_hookean.h"

#include "sinew/material/invariants.h"
#include "sinew/material/volume_functions.h"

#include <Eigen/LU>

namespace sinew {

namespace {

InvariantDerivatives derivatives(const Lame& lame, const Mat3& F) {
    const VolumeFunction log = log_of_volume(F.determinant());
    const double slope = lame.lambda * log.value - lame.mu;  // d psi / d ln J
    return {.d1 = 0.5 * lame.mu,
            .dJ = slope * log.first,
            .dJJ = slope * log.second + lame.lambda * log.first * log.first};
}

}  // namespace

CompressibleNeoHookean::CompressibleNeoHookean(const Lame& lame) : lame_(lame) {
    require_stable(lame, "compressible neo-Hookean material");
}

double CompressibleNeoHookean::energy(const Mat3& F) const {
    const double log = log_of_volume(F.determinant()).value;
    return 0.5 * lame_.mu * (F.squaredNorm() - 3.0) + log * (0.5 * lame_.lambda * log - lame_.mu);
}

Mat3 CompressibleNeoHookean::stress(const Mat3& F) const {
    return stress_from_invariants(F, derivatives(lame_, F));
}

Mat9 CompressibleNeoHookean::tangent(const Mat3& F, Tangent kind) const {
    return tangent_from_invariants(F, derivatives(lame_, F), kind);
}

}  // namespace sinew
