#pragma once

#include "sinew/body/body.h"
#include "sinew/body/motion_clip.h"

namespace sinew::support {

/// A box-shaped person, 0.4 x 1.6 x 0.4 m, of 24 * cells^3 tetrahedra, with every array of Body
/// filled: two segments, two bones, three muscles, all five tissues, fibres, attachments, maps.
Body small_body(int cells);

/// Three joints, four frames.
MotionClip small_motion();

}  // namespace sinew::support
