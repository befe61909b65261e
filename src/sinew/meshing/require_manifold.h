#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <string_view>

namespace sinew {

/// @throws InputError unless the mesh is valid and a consistently oriented manifold (it may have
///         borders), naming the first defect
void require_manifold(const TriangleMesh& mesh, std::string_view where);

}  // namespace sinew
