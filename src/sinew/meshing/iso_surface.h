#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinew {

/// Values at the corners of a block of cubic cells, x fastest. Negative means inside.
struct ScalarGrid {
    Vec3 origin = Vec3::Zero();           ///< of value (0, 0, 0), m
    double cell = 1.0;                    ///< length of a cell's edge, m, > 0
    std::array<int, 3> size = {0, 0, 0};  ///< values along x, y, z
    std::vector<float> values = {};

    std::size_t index(int x, int y, int z) const {
        return static_cast<std::size_t>(x) +
               static_cast<std::size_t>(size[0]) *
                   (static_cast<std::size_t>(y) +
                    static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(z));
    }
    Vec3 position(int x, int y, int z) const {
        return origin + cell * Vec3(x, y, z);
    }
};

struct IsoSurfaceOptions {
    double level = 0.0;  ///< the surface is where the values equal this
    /// Passes that even out the triangles, sliding the vertices along the surface. >= 0
    int relaxations = 3;
};

/// The surface at `level`, oriented outward (towards larger values), closed and 2-manifold for any
/// values: wherever the values at the grid's border are above the level.
///
/// The dual of marching cubes: one vertex per patch of surface in a cell, one quadrangle, cut in
/// two, per grid edge that the surface crosses [Nielson2004]. Where two neighbouring cells would
/// share two edges between the same two vertices, each edge gets a vertex of its own, so that no
/// edge has four triangles. On faces where the signs alternate the inside is taken as separate.
/// @throws InputError  when a border value is not above the level, a value is not finite or the
///                     sizes disagree
TriangleMesh iso_surface(const ScalarGrid& grid, const IsoSurfaceOptions& options = {});

/// How many separate patches of surface a cell has, by the pattern of its inside corners (bit i:
/// corner at (i & 1, i >> 1 & 1, i >> 2)).
std::array<std::int8_t, 256> iso_surface_patch_counts();

/// The Euler characteristic V - E + F of the surface that `iso_surface` gives, told from the signs
/// alone: twice the number of pieces less twice the number of handles.
long iso_surface_euler(const ScalarGrid& grid, double level);

}  // namespace sinew
