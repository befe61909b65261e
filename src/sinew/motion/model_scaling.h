#pragma once

#include "sinew/body/marker_data.h"
#include "sinew/body/musculoskeletal.h"

#include <span>
#include <string>
#include <vector>

namespace sinew {

/// Scales a model's bodies with all that is fixed to them: joints, mass centres, path points, wrap
/// surfaces, markers, boxes. Fibre and tendon lengths follow the length of the path at rest. Second
/// moments of mass follow exactly: S' = (m'/m) diag(s) S diag(s) with S = tr(I)/2 - I.
/// @param factors  one per body, along its axes, > 0
/// @param mass     kg of the whole; <= 0: masses grow as the volumes do
MusculoskeletalModel scaled_model(const MusculoskeletalModel& model, std::span<const Vec3> factors,
                                  double mass = 0.0);

/// One measured factor.
struct ScalePair {
    std::string measurement;
    std::string first;
    std::string second;
    double measured = 0.0;  ///< mean distance over the frames, m
    double model = 0.0;     ///< distance at rest, m
};

/// Mean distance of two markers over the frames that see both, m; 0: never.
double marker_distance(const MarkerData& data, std::string_view first, std::string_view second);

/// Factors without a set-up: of each body, the mean ratio over all pairs of its own markers that
/// lie 5 cm apart or more. Bodies without such a pair have the mean of all others.
/// @param pairs  what was measured, appended
/// @throws InputError  when no body has a pair
std::vector<Vec3> factors_from_markers(const MusculoskeletalModel& model, const MarkerData& data,
                                       std::vector<ScalePair>& pairs);

}  // namespace sinew
