#pragma once

#include <numbers>

namespace sinew {

inline constexpr double kPi = std::numbers::pi;

/// Factors from the units people write to those that Sinew counts in (metres, radians).
inline constexpr double kDegree = kPi / 180.0;
inline constexpr double kMillilitre = 1e-6;

/// Standard gravity, m/s^2: the g of every simulation that is not told another one.
inline constexpr double kGravity = 9.80665;

}  // namespace sinew
