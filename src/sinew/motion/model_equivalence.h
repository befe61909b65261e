#pragma once

#include "sinew/body/musculoskeletal.h"

#include <cstdint>
#include <string>

namespace sinew {

struct EquivalenceOptions {
    int poses = 100;  ///< random ones within the ranges of all coordinates, >= 1
    std::uint64_t seed = 1;
};

/// How far two models of one body do different things in the same poses. Muscles and coordinates
/// are paired by name; those that only one model has do not count.
struct ModelEquivalence {
    struct Greatest {
        double value = 0.0;
        std::string muscle = {};
        std::string coordinate = {};
    };
    int poses = 0;
    int muscles = 0;            ///< of both models
    Greatest length = {};       ///< difference of lengths, m
    Greatest moment_arm = {};   ///< of moment arms, m/rad or m/m
    Greatest torque = {};       ///< of all muscles at full activation and rest, N m or N
    double mean_length = 0.0;   ///< m
    double torque_share = 0.0;  ///< RMS of the torques' differences over their RMS
};

ModelEquivalence compare_models(const MusculoskeletalModel& a, const MusculoskeletalModel& b,
                                const EquivalenceOptions& options = {});

}  // namespace sinew
