#pragma once

#include "sinew/body/person_poser.h"

namespace sinew {

/// Feet that stand in the recording stand still on the ground, and none is below it. The pelvis
/// takes what standing feet have in common, so that legs keep their directions; legs take the rest
/// within their limits, and the pelvis sinks where they do not reach.
/// @param frames  coordinates, one set per frame
void keep_contacts(const Recording& recording, PersonPoser& poser,
                   std::vector<std::vector<double>>& frames);

}  // namespace sinew
