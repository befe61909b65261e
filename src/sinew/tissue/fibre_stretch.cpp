#include "sinew/tissue/fibre_stretch.h"

#include "sinew/base/error.h"
#include "sinew/linalg/svd3.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <cmath>

namespace sinew {

FibreStretch grown_by(double alpha) {
    return {.along = 1.0, .across = alpha};
}

FibreStretch contracted_by(double beta) {
    return {.along = 1.0 / beta, .across = std::sqrt(beta)};
}

double contraction_of(double activation) {
    return 1.0 + kFullContraction * activation;
}

FibreStretch contraction_rate(double activation) {
    const double beta = contraction_of(activation);
    return {.along = -kFullContraction / (beta * beta),
            .across = 0.5 * kFullContraction / std::sqrt(beta)};
}

Mat3 stretch_tensor(const Vec3& fibre, const FibreStretch& stretch) {
    return stretch.across * Mat3::Identity() +
           (stretch.along - stretch.across) * fibre * fibre.transpose();
}

Mat3 blend_deformations(std::span<const Mat3> F, std::span<const double> weights) {
    SINEW_ASSERT(F.size() == weights.size(), "{} matrices, {} weights", F.size(), weights.size());
    Eigen::Vector4d rotation = Eigen::Vector4d::Zero();
    Mat3 stretch = Mat3::Zero();
    double total = 0.0;
    for (std::size_t i = 0; i < F.size(); ++i) {
        // F = R S, R = U V^T, S = V diag(s) V^T
        const SignedSvd svd = signed_svd(F[i]);
        stretch += weights[i] * svd.V * svd.s.asDiagonal() * svd.V.transpose();
        const Eigen::Vector4d q =
            Eigen::Quaterniond(Mat3(svd.U * svd.V.transpose())).normalized().coeffs();
        // q and -q are the same rotation: take the one nearer to the sum so far.
        rotation += (rotation.dot(q) < 0.0 ? -weights[i] : weights[i]) * q;
        total += weights[i];
    }
    Eigen::Quaterniond mean;
    mean.coeffs() = rotation;
    return mean.normalized().toRotationMatrix() * (stretch / total);
}

namespace {

// S = sum of fractions times their stretches, and volumes; the rest is unchanged.
struct BlendedShares {
    Mat3 sum = Mat3::Zero();
    double volume = 0.0;
    const GrowingShare* largest = nullptr;

    explicit BlendedShares(std::span<const GrowingShare> shares) {
        double rest = 1.0;
        for (const GrowingShare& share : shares) {
            rest -= share.fraction;
            volume += share.fraction * share.stretch.volume();
            sum += share.fraction * stretch_tensor(share.fibre, share.stretch);
            if (largest == nullptr || share.fraction > largest->fraction) {
                largest = &share;
            }
        }
        rest = std::max(0.0, rest);
        sum += rest * Mat3::Identity();
        volume += rest;
    }
    // Ratio of the volume that is missing, which the fibre of the largest fraction takes across.
    double missing() const {
        return volume / sum.determinant();
    }
};

}  // namespace

Mat3 blended_growth(std::span<const GrowingShare> shares, bool keeps_volume) {
    const BlendedShares blend(shares);
    if (blend.largest == nullptr || !keeps_volume) {
        return blend.sum;
    }
    return stretch_tensor(blend.largest->fibre,
                          {.along = 1.0, .across = std::sqrt(blend.missing())}) *
           blend.sum;
}

// G = A S with A = d d^T + sqrt(m) (I - d d^T), m = V / det S:
//   dG = dA S + A dS,   dA = dm / (2 sqrt(m)) (I - d d^T),   dm = dV / det S - m tr(S^-1 dS).
Mat3 blended_growth_rate(std::span<const GrowingShare> shares, std::span<const FibreStretch> rates,
                         bool keeps_volume) {
    SINEW_ASSERT(shares.size() == rates.size(), "{} fractions, {} rates", shares.size(),
                 rates.size());
    const BlendedShares blend(shares);
    Mat3 dS = Mat3::Zero();
    double dV = 0.0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const FibreStretch& s = shares[i].stretch;
        dS += shares[i].fraction * stretch_tensor(shares[i].fibre, rates[i]);
        dV += shares[i].fraction *
              (rates[i].along * s.across * s.across + 2.0 * s.along * s.across * rates[i].across);
    }
    if (blend.largest == nullptr || !keeps_volume) {
        return dS;
    }
    const double m = blend.missing();
    const double dm = dV / blend.sum.determinant() - m * (blend.sum.inverse() * dS).trace();
    const Vec3& d = blend.largest->fibre;
    const Mat3 dA = 0.5 * dm / std::sqrt(m) * (Mat3::Identity() - d * d.transpose());
    return dA * blend.sum + stretch_tensor(d, {.along = 1.0, .across = std::sqrt(m)}) * dS;
}

}  // namespace sinew
