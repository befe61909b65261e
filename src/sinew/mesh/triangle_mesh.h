#pragma once

#include "sinew/mesh/arrays.h"
#include "sinew/mesh/attribute.h"

#include <array>
#include <string>
#include <vector>

namespace sinew {

/// A triangle mesh as flat arrays. Outward orientation is counter-clockwise.
struct TriangleMesh {
    Points points = Points(0, 3);
    Triangles triangles = Triangles(0, 3);
    std::vector<Attribute> point_data = {};     ///< count() == points.rows()
    std::vector<Attribute> triangle_data = {};  ///< count() == triangles.rows()
};

/// One named piece of a scene: a bone, a muscle, a skin.
struct MeshPart {
    std::string name;
    TriangleMesh mesh;
    std::string kind = {};  ///< "skin", "muscle", "bone", ... or empty
    std::array<float, 4> colour = {0.8f, 0.8f, 0.8f, 1.0f};  ///< linear RGB and opacity
};

}  // namespace sinew
