#include "sinew/material/shape_volume.h"

#include "sinew/material/stretches.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

/// Where two stretches cancel, the nearest rotation jumps and the curvature is unbounded: it is cut
/// off at this sum of stretches.
constexpr double kSmallestShapeSum = 1e-6;
/// Where a body is swollen to twice its target, the nearest stretches leave the even ones: likewise
/// cut off, relative to their square.
constexpr double kSmallestVolumeCurvature = 1e-6;

// dp/ds of the nearest stretches p of product `ratio`. They satisfy p_i (p_i - s_i) = m for all i,
// so with a_i = p_i^2 + m and S = sum 1 / a_i
//
//   dp_i/ds_j = (p_i^2 / a_i) delta_ij - (p_i / a_i) (p_j / a_j) / S.
Mat3 volume_derivative(const Vec3& p, const Vec3& s) {
    Vec3 a = p.cwiseProduct(2.0 * p - s);
    for (int i = 0; i < 3; ++i) {
        const double least = kSmallestVolumeCurvature * p[i] * p[i];
        a[i] = std::abs(a[i]) < least ? std::copysign(least, a[i]) : a[i];
    }
    const Vec3 b = p.cwiseQuotient(a);
    Mat3 D = -b * b.transpose() / a.cwiseInverse().sum();
    D.diagonal() += p.cwiseProduct(b);
    return D;
}

}  // namespace

double ShapeVolume::energy(const Mat3& F) const {
    const Vec3 s = signed_svd(F).s;
    double density = rotation_ * (s - Vec3::Ones()).squaredNorm();
    if (volume_ > 0.0) {
        density += volume_ * (s - volume_singular_values(s, ratio_)).squaredNorm();
    }
    return 0.5 * density;
}

// R and P are nearest, so their derivatives drop out: P_K = w_rot (F - R) + w_vol (F - P).
Mat3 ShapeVolume::stress(const Mat3& F) const {
    const SignedSvd s = signed_svd(F);
    Vec3 principal = rotation_ * (s.s - Vec3::Ones());
    if (volume_ > 0.0) {
        principal += volume_ * (s.s - volume_singular_values(s.s, ratio_));
    }
    return s.U * principal.asDiagonal() * s.V.transpose();
}

Mat9 ShapeVolume::tangent(const Mat3& F, Tangent kind) const {
    const SignedSvd s = signed_svd(F);
    StretchDerivatives d;
    d.stretch = (rotation_ + volume_) * Mat3::Identity();
    d.flip.setConstant(rotation_);
    const Vec3 p = volume_ > 0.0 ? volume_singular_values(s.s, ratio_) : Vec3::Ones();
    if (volume_ > 0.0) {
        d.stretch -= volume_ * volume_derivative(p, s.s);
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        const double sum = std::max(s.s[i] + s.s[j], kSmallestShapeSum);
        d.twist[k] = rotation_ + volume_ - (2.0 * rotation_ + volume_ * (p[i] + p[j])) / sum;
        if (volume_ > 0.0) {
            // (p_i - p_j) / (s_i - s_j) = p_i / (p_i + p_j - s_j), from the equation of p.
            const double below = p[i] + p[j] - s.s[j];
            const double least = kSmallestVolumeCurvature * (p[i] + p[j]);
            d.flip[k] +=
                volume_ *
                (1.0 - p[i] / (std::abs(below) < least ? std::copysign(least, below) : below));
        }
    }
    return tangent_from_stretches(s, d, kind);
}

}  // namespace sinew
