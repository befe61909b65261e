#pragma once

#include "sinew/mesh/triangle_mesh.h"

namespace sinew {

/// The mesh with patches over its small holes, of about the triangle size around them. Vertices and
/// triangles of the mesh keep their rows, those of patches come behind; data is dropped.
/// @param widest  holes up to this wide are closed, as a share of their connected piece, by the
///                diagonals of their boxes
TriangleMesh with_small_holes_closed(const TriangleMesh& mesh, double widest);

}  // namespace sinew
