#pragma once

#include "sinew/motion/joint_motions.h"
#include "sinew/motion/range_of_motion.h"

#include <optional>
#include <span>
#include <vector>

namespace sinew {

/// Where over a motion the muscles that pull one way pull hardest.
struct PeakTorque {
    Index coordinate = 0;
    int direction = 1;    ///< +1: muscles that raise the coordinate, -1: those that lower it
    double theta = 0.0;   ///< in [0, 1], between samples by a parabola
    double angle = 0.0;   ///< rad
    double torque = 0.0;  ///< there, N m
};

/// Of all motions that are not crossed, both ways: the greatest sum of moment arm times active
/// isometric force at full activation over the muscles that pull that way. Motions with less than
/// `least` N m are left out.
std::vector<PeakTorque> peak_torques(const MusculoskeletalModel& model,
                                     const std::vector<JointMotion>& motions, double least = 1.0);

struct PeakFitOptions {
    double most_change = 0.3;   ///< of the fibre's part of the maximal length [Ryu2021, 5.2]
    int steps = 4;              ///< ratios tried on either side, >= 1
    int sweeps = 3;             ///< over all muscles, >= 0
    double least_torque = 1.0;  ///< N m; smaller peaks do not count
    StretchLimits limits = {};
};

/// Ratios of fibre to tendon with which joints have their greatest torques where the reference has
/// them, maximal lengths kept [Ryu2021, eq. 9]: of each muscle in turn the ratio of a ladder that
/// lowers the sum of distances most. The argmax of eq. 9 jumps, so a search needs no derivative of
/// it; what the torque at the wanted angle lacks of the peak leads it there.
/// Departs: the bound of 30 % is on the fibre's length, with the maximal length kept. On the ratio
/// of fibre to tendon it would bind a fibre of five tendons' length to 3 %.
void keep_peak_torques(MusculoskeletalModel& model, const MusculoskeletalModel& reference,
                       const std::vector<JointMotion>& motions, const PeakFitOptions& options = {});

/// Mean distance of the peaks of two models, rad, over those of the first; nothing without peaks.
std::optional<double> peak_distance(std::span<const PeakTorque> reference,
                                    std::span<const PeakTorque> other);

}  // namespace sinew
