#include "sinew/material/corotated.h"

#include "sinew/material/stretches.h"

#include <algorithm>

namespace sinew {

namespace {
/// Where two stretches cancel, the nearest rotation jumps and the curvature is unbounded: it is cut
/// off at this sum of stretches.
constexpr double kSmallestStretchSum = 1e-6;
}  // namespace

Corotated::Corotated(const Lame& lame) : lame_(lame) {
    require_stable(lame, "corotated material");
}

double Corotated::energy(const Mat3& F) const {
    const Vec3 strain = signed_svd(F).s - Vec3::Ones();
    const double trace = strain.sum();
    return lame_.mu * strain.squaredNorm() + 0.5 * lame_.lambda * trace * trace;
}

// P = 2 mu (F - R) + lambda tr(R^T F - I) R: the derivative of R drops out, since R is optimal.
Mat3 Corotated::stress(const Mat3& F) const {
    const SignedSvd s = signed_svd(F);
    const Vec3 strain = s.s - Vec3::Ones();
    const Vec3 principal = 2.0 * lame_.mu * strain + Vec3::Constant(lame_.lambda * strain.sum());
    return s.U * principal.asDiagonal() * s.V.transpose();
}

Mat9 Corotated::tangent(const Mat3& F, Tangent kind) const {
    const SignedSvd s = signed_svd(F);
    const double trace = s.s.sum() - 3.0;
    StretchDerivatives d;
    d.stretch = Mat3::Constant(lame_.lambda);
    d.stretch.diagonal().array() += 2.0 * lame_.mu;
    for (int k = 0; k < 3; ++k) {
        const double sum = s.s[(k + 1) % 3] + s.s[(k + 2) % 3];
        d.flip[k] = 2.0 * lame_.mu;
        d.twist[k] = 2.0 * lame_.mu + (2.0 * lame_.lambda * trace - 4.0 * lame_.mu) /
                                          std::max(sum, kSmallestStretchSum);
    }
    return tangent_from_stretches(s, d, kind);
}

}  // namespace sinew
