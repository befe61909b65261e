#pragma once

#include "sinew/body/musculoskeletal.h"

#include <string>

namespace sinew {

/// How far two models disagree on how long their muscles are.
struct LengthDifference {
    double greatest = 0.0;        ///< m
    double mean = 0.0;            ///< over muscles and poses, m
    std::string muscle = {};      ///< of the greatest
    std::string coordinate = {};  ///< that was moved then; empty: all at rest
    double at = 0.0;              ///< its value, rad or m
};

/// Lengths at rest, and with each coordinate in turn at five values over its range (half a radian
/// or 0.1 m to either side where it has none). Muscles and coordinates are matched by name; those
/// that only one model has do not count.
LengthDifference compare_lengths(const MusculoskeletalModel& a, const MusculoskeletalModel& b);

}  // namespace sinew
