#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <vector>

namespace sinew {

/// The mesh with patches over its small holes, of about the triangle size around them. Vertices and
/// triangles of the mesh keep their rows, those of patches come behind; data is dropped.
/// @param widest  holes up to this wide are closed, as a fraction of their connected piece, by the
///                diagonals of their boxes
TriangleMesh with_small_holes_closed(const TriangleMesh& mesh, double widest);

/// For each triangle, whether it belongs to a flake: a connected piece with a border, as stray
/// triangles of scans are, smaller than this fraction of the whole, by the diagonals of their
/// boxes.
std::vector<char> find_flakes(const Points& points, const Triangles& triangles, double share);

}  // namespace sinew
