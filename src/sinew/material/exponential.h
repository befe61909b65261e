#pragma once

#include "sinew/material/volume_functions.h"

namespace sinew {

/// Above this exponent e^q - 1 is continued by its second-order Taylor polynomial: laws with
/// exponentials stay finite for every deformation gradient. No tissue bears e^50 times its
/// stiffness.
inline constexpr double kLargestExponent = 50.0;

/// e^q - 1 with its first two derivatives by q.
inline VolumeFunction exponential(double q) {
    const double x = q < kLargestExponent ? q : kLargestExponent;
    const double e = std::exp(x);
    const double d = q - x;
    return {std::expm1(x) + e * d * (1.0 + 0.5 * d), e * (1.0 + d), e};
}

}  // namespace sinew
