#pragma once

#include "sinew/io/mixed_mesh.h"

#include <span>
#include <string>
#include <string_view>

namespace sinew {

/// Reads a MEDIT .mesh file in text form: vertices, triangles, quadrilaterals (cut in two) and
/// tetrahedra with their references; `region` is empty where all references are 0. Other cells are
/// refused, other sections passed over.
/// @param file  named in errors
/// @throws InputError with the line
MixedMesh parse_medit(std::string_view bytes, std::string_view file);

/// Positions read back bit by bit. Regions become references.
/// @throws InputError when the mesh is not valid
std::string format_medit(const TetMesh& mesh);
/// All parts as one mesh; the triangles' references are the parts' numbers from 1.
std::string format_medit(std::span<const MeshPart> parts);

}  // namespace sinew
