#pragma once

#include "sinew/mesh/arrays.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sinew {

/// Polygons that separate the inside from the outside corners of one grid cell. Corner c of the
/// cell lies at (c & 1, c >> 1 & 1, c >> 2 & 1); edge e runs along axis e / 4 and is the (e % 4)-th
/// of that direction. Each polygon lists cell edges, counter-clockwise seen from outside.
struct CellPatches {
    int count = 0;
    std::array<std::array<std::int8_t, 12>, 4> edges = {};
    std::array<int, 4> size = {};
};

/// The patches for all 256 patterns of inside corners (bit c). On faces with two inside corners
/// across, the inside corners are cut off one by one: the rule depends on the face alone, so that
/// the patches of neighbouring cells fit and the surface is a closed manifold.
const std::array<CellPatches, 256>& cell_patches();

/// Collects the surface cell by cell. Vertices on a grid edge are made once.
class SurfaceBuilder {
public:
    SurfaceBuilder(double voxel) : voxel_(voxel) {}

    /// @param cell    grid coordinates of corner 0
    /// @param values  at the eight corners, negative inside
    void add_cell(const std::array<int, 3>& cell, const std::array<float, 8>& values);

    Points points() const;
    Triangles triangles() const;

private:
    Index vertex(const std::array<int, 3>& cell, const std::array<float, 8>& values, int edge);
    void add_polygon(const std::array<Index, 12>& corner, const std::array<std::int8_t, 12>& edges,
                     int size);

    double voxel_;
    std::vector<Vec3> points_;
    std::vector<std::array<Index, 3>> triangles_;
    std::unordered_map<std::uint64_t, Index> vertex_on_edge_;
};

}  // namespace sinew
