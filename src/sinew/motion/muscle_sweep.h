#pragma once

#include "sinew/body/musculoskeletal.h"

#include <string>
#include <vector>

namespace sinew {

/// What the muscles of a model do over the range of one coordinate, all others as in a pose.
struct MuscleSweep {
    struct Curve {
        std::string muscle;
        std::vector<double> moment_arm = {};  ///< m (or 1 for a shift): -dl/dq
        std::vector<double> length = {};      ///< m
        std::vector<double> force = {};       ///< at full activation, isometric, N
    };
    std::string coordinate;
    bool is_rotation = true;
    std::vector<double> values = {};  ///< rad or m
    std::vector<Curve> muscles = {};  ///< those that the coordinate moves
};

/// Over the coordinate's range; an end that is not limited lies at 90 degrees, or half a metre.
/// @param samples  >= 2
/// @param pose     one value per coordinate, rad or m; empty: at rest
MuscleSweep sweep_coordinate(const MusculoskeletalModel& model, Index coordinate, int samples = 61,
                             std::vector<double> pose = {});

}  // namespace sinew
