#pragma once

#include "sinew/mesh/triangle_mesh.h"

namespace sinew {

/// The mesh with patches over its small holes, of about the triangle size around them. Vertices and
/// triangles of the mesh keep their rows, those of patches come behind; data is dropped.
/// @param longest  borders up to this share of the diagonal of their connected piece are closed:
///                 with one of less than 2 no flat sheet is
TriangleMesh with_small_holes_closed(const TriangleMesh& mesh, double longest);

}  // namespace sinew
