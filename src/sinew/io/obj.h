#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Reads a Wavefront OBJ: one part per object (`o`), or per group (`g`) in files without objects;
/// pieces of the same name are one part. Polygons become triangles; colours behind the positions
/// (`v x y z r g b`, in [0, 1] or, where one is larger, [0, 255]) become the colour attribute.
/// Normals, texture coordinates, materials, lines and curves are passed over. A file with one part
/// keeps all its vertices in order; parts of other files hold those that their faces use, and those
/// declared under their name that no face uses.
/// @param file  named in errors
/// @throws InputError with the line
std::vector<MeshPart> parse_obj(std::string_view bytes, std::string_view file);

/// One object per part, with vertex colours where a part has them. Positions read back bit by bit.
/// @throws InputError when a part is not valid
std::string format_obj(std::span<const MeshPart> parts);

}  // namespace sinew
