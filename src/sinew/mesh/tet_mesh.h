#pragma once

#include "sinew/mesh/arrays.h"
#include "sinew/mesh/attribute.h"

#include <vector>

namespace sinew {

/// A tetrahedral mesh as flat arrays. Every tetrahedron has positive volume.
struct TetMesh {
    Points points = Points(0, 3);
    Tets tets = Tets(0, 4);
    std::vector<int> region = {};            ///< a label per tetrahedron, or empty
    std::vector<Attribute> point_data = {};  ///< count() == points.rows()
    std::vector<Attribute> tet_data = {};    ///< count() == tets.rows()
};

}  // namespace sinew
