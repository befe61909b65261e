#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/external_load.h"
#include "sinew/body/musculoskeletal.h"

#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Motions that a model of a person is asked for, made of anatomical angles (LimbPoser), feet where
/// they stand.
enum class Skill { Squat, ArmLift, Kick };
std::string_view name_of(Skill skill);  ///< "squat", "arm lift", "kick"

/// One go of a skill at 50 frames per second; rad. Limbs that the model lacks stay at rest, and so
/// does what the skill does not name.
MotionTable skill_motion(const MusculoskeletalModel& model, Skill skill);

/// Whether the model has the limbs of a skill and a root that moves freely.
bool can_do(const MusculoskeletalModel& model, Skill skill);

struct TrackingOptions {
    double w_reg = 1e-2;     ///< of activations against accelerations, > 0 [Ryu2021, eq. 12]
    double tolerated = 0.1;  ///< of the greatest wanted acceleration of the motion, may be missed
};

/// How far muscles bring a model along a motion.
struct TrackedMotion {
    std::vector<double> times = {};
    std::vector<double> missed = {};      ///< per frame, of the joint that misses most, rad/s^2
    std::vector<std::string> worst = {};  ///< that joint's coordinate
    double wanted = 0.0;                  ///< greatest wanted acceleration, rad/s^2
    double met = 0.0;                     ///< fraction of frames in which all wanted ones are met
    MotionTable activations = {};         ///< per muscle
    int unsolved_frames = 0;
};

/// Activations in [0, 1] for the accelerations of a motion, frame by frame:
///   min |q''_wanted - q''(a)|^2 + w_reg |a|^2      [Ryu2021, eqs. 12-13]
/// over all rotations that a muscle crosses but those of fingers and toes; muscles along rigid
/// tendons with their passive forces. Feet that stand (estimate_ground_loads) stay where they are,
/// whatever they push or pull, in place of the paper's complementarity conditions (eq. 11).
/// @throws InputError  as coordinate_motion; Cancelled
TrackedMotion track_accelerations(const MusculoskeletalModel& model, const MotionTable& motion,
                                  const TrackingOptions& options = {},
                                  const Progress& progress = {});

}  // namespace sinew
