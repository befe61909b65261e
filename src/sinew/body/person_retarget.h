#pragma once

#include "sinew/body/pose_solver.h"
#include "sinew/body/retarget.h"

namespace sinew {

/// The parts that both have, and what is needed of them.
/// @throws InputError  naming the recording: a limb of the target that the recording has in parts
///                     only, or neither both arms nor both legs
void require_same_limbs(const Recording& recording, const PersonJoints& source,
                        const PersonJoints& target);
/// Whether a skeleton has a whole limb: hip and knee, or shoulder and elbow, of a side.
bool is_person(const PersonJoints& joints);

/// Coordinates over time of a model that is a person.
struct PersonMotion {
    std::vector<std::vector<double>> frames = {};  ///< all coordinates of the model
    RetargetReport report = {};
};
/// @param target  joints of the model
PersonMotion retarget_person(const Recording& recording, const PersonJoints& source,
                             const MusculoskeletalModel& model, const PersonJoints& target,
                             const RetargetOptions& options);

}  // namespace sinew
