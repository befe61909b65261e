#pragma once

#include "sinew/body/body.h"

namespace sinew::support {

/// A limb in layers of one triangulation: ellipsoids of skin, muscle surface and flesh, one inside
/// the other, around a bone ("femur_l", 0.44 m long) on the y axis. Fat between the first two,
/// muscle ("vastus_l" of the quadriceps) between the next, bone inside. Valid.
/// @param levels  of the skin's triangulation, 1 to 4
Body onion_body(int levels);

}  // namespace sinew::support
