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

Mat3 blended_growth(std::span<const GrowingShare> shares, bool keeps_volume) {
    double rest = 1.0;
    double volume = 0.0;
    const GrowingShare* largest = nullptr;
    Mat3 sum = Mat3::Zero();
    for (const GrowingShare& share : shares) {
        rest -= share.fraction;
        volume += share.fraction * share.stretch.volume();
        sum += share.fraction * stretch_tensor(share.fibre, share.stretch);
        if (largest == nullptr || share.fraction > largest->fraction) {
            largest = &share;
        }
    }
    if (largest == nullptr) {
        return Mat3::Identity();
    }
    rest = std::max(0.0, rest);
    sum += rest * Mat3::Identity();
    if (!keeps_volume) {
        return sum;
    }
    const double missing = (volume + rest) / sum.determinant();
    return stretch_tensor(largest->fibre, {.along = 1.0, .across = std::sqrt(missing)}) * sum;
}

}  // namespace sinew
