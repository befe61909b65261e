#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <vector>

namespace sinew {

/// How far each vertex of a skin may move outwards before it meets skin that faces it, when both
/// sides come the same way: a little less than half of the air between them, m; infinite where
/// there is nothing in front. Looks along the normal and around it, so that thighs, arms and trunk
/// keep apart although fat growth itself knows no contact.
std::vector<double> outward_room(const TriangleMesh& skin);

}  // namespace sinew
