#pragma once

#include "sinew/render/colour.h"

#include <string>
#include <vector>

namespace sinew {

/// Maps a number in [0, 1] to a colour in even perceptual steps (interpolated in CIELAB).
enum class ColourMap {
    Viridis,    ///< dark violet, teal, yellow: amounts
    Diverging,  ///< blue, white, red: differences around a middle
    Heat,       ///< black, red, yellow, white: errors
    Grey        ///< dark to light
};

/// @param t  clamped to [0, 1]; NaN gives a neutral grey
Colour map_colour(ColourMap map, double t);

/// "nice" round values inside [low, high], about `count` of them, ascending.
std::vector<double> ticks_between(double low, double high, int count);
/// A tick's label, with as many digits as neighbours a `step` apart need.
std::string tick_label(double value, double step);

}  // namespace sinew
