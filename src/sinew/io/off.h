#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Reads an OFF file in text form into one part, with the variants COFF (vertex colours in [0, 1]
/// or bytes), NOFF (normals, kept as the attribute "normal"), STOFF (texture coordinates, passed
/// over) and their combinations. Polygons become triangles; face colours are passed over.
/// @param file  named in errors
/// @throws InputError with the line
std::vector<MeshPart> parse_off(std::string_view bytes, std::string_view file);

/// All parts as one mesh: COFF where all have colours, else OFF. Positions read back bit by bit.
/// @throws InputError when a part is not valid
std::string format_off(std::span<const MeshPart> parts);

}  // namespace sinew
