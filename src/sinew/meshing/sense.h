#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <vector>

namespace sinew {

/// The first triangle of each piece that looks inward: pieces of negative volume that do not lie
/// inside another one, where they would bound a void. Meant for closed pieces.
std::vector<Index> pieces_turned_inward(const TriangleMesh& mesh);

}  // namespace sinew
