#pragma once

#include "sinew/mesh/triangle_mesh.h"

namespace sinew {

/// Smooths around crossings of triangles and moves their vertices out, so that the sides of a sheet
/// part again: a few rounds, wider each time. Triangles stay as they are.
/// @returns whether no crossing is left
bool smooth_crossings_away(TriangleMesh& mesh);

}  // namespace sinew
