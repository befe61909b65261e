#pragma once

#include "sinew/body/body.h"
#include "sinew/render/scene.h"

namespace sinew {

/// Skin (the display skin where there is one, else the tets' with the body's maps as point data),
/// bones and muscles at rest.
Scene scene_from_body(const Body& body);
/// Skin, bones and muscles of an anatomy.
Scene scene_from_template(const Template& anatomy);

}  // namespace sinew
