#pragma once

#include <numbers>

namespace sinew {

/// Factors from the units people write to those that Sinew counts in (metres, radians).
inline constexpr double kDegree = std::numbers::pi / 180.0;
inline constexpr double kMillilitre = 1e-6;

}  // namespace sinew
