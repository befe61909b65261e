#pragma once

#include "sinew/body/external_load.h"
#include "sinew/motion/smoothing.h"

#include <span>
#include <string>
#include <vector>

namespace sinew {

/// How feet are taken to stand.
struct GroundContactOptions {
    double height = 0.08;  ///< above the lowest point of the motion a foot no longer touches, m
    double speed = 1.6;    ///< of its lowest point on the ground, above which it slips, m/s
    double reach = 0.02;   ///< of feet nearer to each other than this neither carries all, m
    /// Bodies that may touch the ground; empty: those that files mark, else those named after feet.
    std::vector<std::string> feet = {};
};

/// Ground reaction estimated from the motion alone, where nothing was measured.
///
/// The force of the ground is what gravity and the accelerations of all bodies need,
///   F = sum m (a - g),   and its centre of pressure is where F has no moment about level axes.
/// One foot on the ground carries all of it. Two share it as a beam across them would: by the
/// position of the centre of pressure between them, times how much each stands, so that the weight
/// passes on without a jump. Their level forces point to the centre of mass, against each other.
/// Both points are shifted alike, so that forces and moments add up exactly: no residual is left
/// while a foot stands. In flight there is no load. Feet that stand on a treadmill move with its
/// belt, whose velocity is the median of the lower foot's.
/// @throws InputError  when the model has no feet, or does not move freely in the ground
ExternalLoads estimate_ground_loads(const MusculoskeletalModel& model,
                                    const CoordinateMotion& motion,
                                    const GroundContactOptions& options = {});

/// The bodies that are taken for feet, with all bodies beyond them.
std::vector<Index> find_feet(const MusculoskeletalModel& model, std::span<const std::string> names);

}  // namespace sinew
