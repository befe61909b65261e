#pragma once

#include "sinew/body/motion_clip.h"
#include "sinew/body/musculoskeletal.h"

namespace sinew {

/// A recorded motion as coordinates of a model, rad and m. Joints are paired by the name they are
/// recorded as, or by their own. Turns of a recorded joint are those of the model's: all of them
/// for joints with three axes at right angles, the part about the axis for hinges; a free root also
/// takes the position, relative to where it is at rest. Angles go on over full turns. Coordinates
/// of other joints are not in the table.
/// @throws InputError  when no joint of the model is in the motion
MotionTable coordinates_of_clip(const MusculoskeletalModel& model, const MotionClip& clip);

}  // namespace sinew
