#pragma once

#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <string_view>

namespace sinew {

/// The promises that every algorithm relies on: finite coordinates, indices inside the point array,
/// data arrays of the right length. Says nothing about closedness or quality.
/// @throws InputError naming `where` and the first offending element
void require_valid(const TriangleMesh& mesh, std::string_view where);
void require_valid(const TetMesh& mesh, std::string_view where);

}  // namespace sinew
