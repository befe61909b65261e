#pragma once

#include "sinew/body/body.h"

#include <vector>

namespace sinew {

/// The surfaces of a body at rest as named parts of kind "skin", "muscle", "tendon", "bone",
/// "cartilage" or "disc": the display skin where there is one, else the tets' skin.
std::vector<MeshPart> parts_of(const Body& body);

}  // namespace sinew
