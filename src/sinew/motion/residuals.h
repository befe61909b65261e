#pragma once

#include "sinew/body/musculoskeletal.h"

#include <string>
#include <vector>

namespace sinew {

/// Forces of the ground's joint that nothing real exerts: what is left over when motion, masses and
/// loads do not fit each other [Hicks2015, "residual forces"].
struct Residual {
    std::string coordinate;
    bool is_rotation = false;
    double peak = 0.0;   ///< greatest absolute value, N or N m
    double rms = 0.0;    ///< N or N m
    double when = 0.0;   ///< of the peak, s
    double share = 0.0;  ///< peak in body weights, or in body weights times 1 m
};

/// Share of the body weight above which residuals are worth a warning; the 5 % of [Hicks2015].
inline constexpr double kTolerableResidual = 0.05;

/// Coordinates by which the whole model moves in the ground: of joints on the ground, directly or
/// through welds, that can shift. Those of an arm that is fixed to the ground are none.
std::vector<Index> root_coordinates(const MusculoskeletalModel& model);

/// @param moments  one column per coordinate of the model
std::vector<Residual> find_residuals(const MusculoskeletalModel& model, const MotionTable& moments);

/// A sentence per residual that is more than tolerable.
std::vector<std::string> residual_warnings(const std::vector<Residual>& residuals, bool has_loads);

}  // namespace sinew
