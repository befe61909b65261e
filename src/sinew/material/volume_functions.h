#pragma once

#include <cmath>

namespace sinew {

/// A function of the volume ratio J with its first two derivatives.
struct VolumeFunction {
    double value;
    double first;
    double second;
};

/// Below this ratio of volume, laws with a logarithm or a negative power of J are continued by
/// their second-order Taylor polynomial in J: twice continuously differentiable and finite for
/// every J, so that inverted elements are pushed back instead of ending the computation. Tissue
/// squeezed to a tenth of its volume is outside what these laws describe anyway.
inline constexpr double kSmallestVolumeRatio = 0.1;

namespace detail {
/// a + b d + c d^2 / 2 at d = J - kSmallestVolumeRatio
inline VolumeFunction continued(double J, const VolumeFunction& at) {
    const double d = J - kSmallestVolumeRatio;
    return {at.value + d * (at.first + 0.5 * d * at.second), at.first + d * at.second, at.second};
}
}  // namespace detail

/// ln J, continued below kSmallestVolumeRatio.
inline VolumeFunction log_of_volume(double J) {
    const double x = J < kSmallestVolumeRatio ? kSmallestVolumeRatio : J;
    const VolumeFunction f{std::log(x), 1.0 / x, -1.0 / (x * x)};
    return J < kSmallestVolumeRatio ? detail::continued(J, f) : f;
}

/// J^p, continued below kSmallestVolumeRatio.
inline VolumeFunction power_of_volume(double J, double p) {
    const double x = J < kSmallestVolumeRatio ? kSmallestVolumeRatio : J;
    const double value = std::pow(x, p);
    const VolumeFunction f{value, p * value / x, p * (p - 1.0) * value / (x * x)};
    return J < kSmallestVolumeRatio ? detail::continued(J, f) : f;
}

}  // namespace sinew
