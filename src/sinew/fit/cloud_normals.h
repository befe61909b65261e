#pragma once

#include "sinew/mesh/arrays.h"

namespace sinew {

/// Unit normals of a cloud of points on a closed surface: of the plane through the points around
/// each, turned to agree along the tree of neighbours whose planes are most alike [Hoppe1992], each
/// connected part outward at its point farthest from its middle.
Points cloud_normals(const Points& points);

}  // namespace sinew
