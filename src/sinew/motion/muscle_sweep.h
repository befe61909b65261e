#pragma once

#include "sinew/body/musculoskeletal.h"

#include <string>
#include <vector>

namespace sinew {

/// What the muscles of a model do over the range of one coordinate, all others at rest.
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

/// @param samples  >= 2
MuscleSweep sweep_coordinate(const MusculoskeletalModel& model, Index coordinate, int samples = 61);

}  // namespace sinew
