#pragma once

#include "sinew/body/anatomy.h"

namespace sinew {

/// Texture coordinates of our own skin as corner data (geometry/uv_atlas.h): halves of head and
/// trunk before and behind, arms and legs opened at their inner sides, palms and backs of the
/// hands, soles and backs of the feet. The same for the same figure.
/// @throws InputError  when the skin or a bone that tells regions apart is missing
Attribute skin_texture_coordinates(const Template& figure);

}  // namespace sinew
