#pragma once

#include "sinew/base/progress.h"
#include "sinew/motion/range_of_motion.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sinew {

/// Gives a muscle another maximal length [Ryu2021, eq. 4]; fibre and tendon keep their ratio.
/// @param longest  m, > 0
void set_longest_length(MuscleUnit& unit, double longest, const StretchLimits& limits = {});

/// Maximal lengths that just allow a set of poses [Ryu2021, 4.2].
/// @param poses  one value per coordinate each; at least one
void allow_poses(MusculoskeletalModel& model, std::span<const std::vector<double>> poses,
                 const StretchLimits& limits = {});

struct RangeFitOptions {
    int poses_per_joint = 5000;  ///< >= 1, of balls; a tenth of it for joints of one rotation
    int sweeps = 2;              ///< over all muscles, >= 0
    int trials = 0;              ///< random changes of some limits that the others answer, >= 0
    std::uint64_t seed = 1;
    StretchLimits limits = {};
};

/// Maximal lengths with which isValid of `model` says what that of `reference` says [Ryu2021, eqs.
/// 3-5], for poses of one joint at a time, all others at rest. Balls take all swings and twists,
/// other joints go through their ranges. First every muscle just allows what the reference allows
/// [Ryu2021, 4.2]; then one after the other gets the length with which all muscles together answer
/// best, never less than what it has in poses at rest that the reference allows.
/// @param model  the same muscles and joints, other paths; fibres and tendons are written
/// @throws Cancelled
void keep_range_of_motion(MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                          const RangeFitOptions& options = {}, const Progress& progress = {});

/// The same for one joint and another range: isValid of `model` at a pose is to say what that of
/// `reference` says at map(pose) [Ryu2021, 4.3]. Only muscles that cross the joint change.
/// @param map  changes coordinates of that joint only
void fit_range_of_motion(MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                         std::size_t joint,
                         const std::function<std::vector<double>(std::vector<double>)>& map,
                         const RangeFitOptions& options = {});

/// How often two models' isValid differ over poses of one joint.
struct RangeDifference {
    std::string joint = {};
    double valid_before = 0.0;  ///< fraction of poses that the first allows
    double error = 0.0;         ///< fraction of poses on which they differ
};

/// Of every joint that muscles cross. Give another seed than the fit had.
std::vector<RangeDifference> range_differences(const MusculoskeletalModel& reference,
                                               const MusculoskeletalModel& model,
                                               const RangeFitOptions& options = {.seed = 2});

}  // namespace sinew
