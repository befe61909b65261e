#pragma once

#include "sinew/body/musculoskeletal.h"
#include "sinew/body/recording.h"
#include "sinew/body/skeleton.h"

#include <optional>
#include <string>
#include <vector>

namespace sinew {

/// How a recording is put on a skeleton.
struct RetargetOptions {
    RestPoses rests = RestPoses::Aligned;
    bool keep_contacts = true;  ///< feet that stand in the recording stand still
    /// Height of the ground that the target stands on at rest, m; without it 0 where the lowest
    /// joint is a little above 0, else that of the lowest joint.
    std::optional<double> ground = std::nullopt;
};

/// Directions of one kind of bone against those of the recording, over all frames and both sides.
struct LimbError {
    std::string bone = {};          ///< "upper_arm", "forearm", "thigh", "shank"
    double mean = 0.0;              ///< rad
    double largest = 0.0;           ///< rad
    double mean_unlimited = 0.0;    ///< rad, in frames in which no coordinate is at a limit
    double limited_fraction = 0.0;  ///< of the frames: a coordinate of the limb is at its limit
};

/// What was done, for people who want to know.
struct RetargetReport {
    std::string source = {};  ///< whose joint names the recording has; empty: the target's
    std::string target = {};  ///< whose names the target has
    bool rests_in_first_frame = false;  ///< else in the pose of the offsets
    double scale = 1.0;                 ///< of lengths, by the legs
    std::vector<LimbError> limbs = {};
    double mean_limb_error = 0.0;           ///< rad, over all of these
    std::vector<std::string> without = {};  ///< parts of the target that the recording lacks
};

/// Poses of a body's skeleton within its limits.
struct RetargetedPoses {
    std::vector<double> times = {};
    std::vector<Pose> poses = {};
    RetargetReport report = {};
};
struct RetargetedCharacter {
    CharacterMotion motion = {};
    RetargetReport report = {};
};
/// All coordinates of a model, rad and m, within their limits.
struct RetargetedModel {
    MotionTable motion = {};
    RetargetReport report = {};
};

/// Which joints of a model are which part of a person: by their names, by those that recordings
/// made for the model have (`ModelJoint::recorded_as`), or by the bodies that hang on them,
/// whichever tells most.
PersonJoints person_joints(const MusculoskeletalModel& model, const JointNames& names);

/// Puts a recording on a body, a character or a model: as all doors do it.
///
/// Joints are found by the names of their parts (`JointNames`). Limbs point where those of the
/// recording point; trunk, neck, head, shoulder girdle and feet rotate as they do, each from its
/// own rest. Rows of vertebrae share the rotations of a recorded spine by height. Joints with
/// limited axes come as near as they can (`PoseSolver`). Lengths are scaled by those of the legs,
/// so the recording's unit does not matter. The motion begins where the target stands; feet that
/// stand in the recording stand still on the ground (`find_contacts`), and none is below it.
///
/// A character that shares its joints' names with the recording but is no person (an animal), or
/// is the recorded skeleton itself, takes the rotations joint by joint.
/// @throws InputError  with the joints that were found and those that are needed, when a limb of
///                     the target is not in the recording as a whole, or the recording lies where
///                     the target stands
RetargetedPoses retarget(const Recording& recording, const Skeleton& target,
                         const JointNames& names, const RetargetOptions& options = {});
RetargetedCharacter retarget(const Recording& recording, const CharacterSkeleton& target,
                             const JointNames& names, const RetargetOptions& options = {});
RetargetedModel retarget(const Recording& recording, const MusculoskeletalModel& target,
                         const JointNames& names, const RetargetOptions& options = {});

}  // namespace sinew
