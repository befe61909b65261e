#pragma once

#include "sinew/body/body.h"
#include "sinew/body/character_skeleton.h"

#include <vector>

namespace sinew {

/// The few joints of a body that recorded motions know, and which of them moves each joint of the
/// body.
struct BodyCarriers {
    CharacterSkeleton skeleton = {};
    std::vector<Index> of_joint = {};
};
/// @throws InputError  for a body without the joints of a human
BodyCarriers carriers_of(const Body& body);

/// A recorded motion on a body. Joints are paired by the names that motion capture uses ("LeftArm",
/// "lShldr", "LeftUpLeg", ...); where a limb of the recording rests in another direction (a T-pose)
/// the difference is taken out. The root's way is scaled by the lengths of the legs.
/// @throws InputError  when fewer than four joints can be paired
CharacterMotion retargeted(const MotionClip& clip, const CharacterSkeleton& skeleton);

}  // namespace sinew
