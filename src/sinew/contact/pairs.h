#pragma once

#include "sinew/mesh/arrays.h"

#include <array>

namespace sinew {

/// A vertex that must not be behind a triangle (on the side away from its normal).
struct PointTriangleContact {
    Index vertex = 0;
    std::array<Index, 3> triangle = {0, 0, 0};

    bool operator==(const PointTriangleContact&) const = default;
};

/// Two edges that are close to each other.
struct EdgeEdgeContact {
    std::array<Index, 2> first = {0, 0};
    std::array<Index, 2> second = {0, 0};

    bool operator==(const EdgeEdgeContact&) const = default;
};

/// A vertex near or inside a rigid shape, with the plane that keeps it out.
struct RigidContact {
    Index vertex = 0;
    Vec3 point = Vec3::Zero();     ///< of the plane, nearest to the vertex, m
    Vec3 normal = Vec3::UnitZ();   ///< outward there
    Vec3 velocity = Vec3::Zero();  ///< of the shape's material there, m/s
    double distance = 0.0;         ///< m, negative inside
};

}  // namespace sinew
