#pragma once

#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// Several surfaces as one mesh: the points and triangles of each behind those of the one before.
struct JoinedSurfaces {
    explicit JoinedSurfaces(const std::vector<TriangleMesh>& surfaces);

    TriangleMesh mesh;
    std::vector<Index> surface_of_triangle;
    std::vector<Index> first_point;     ///< per surface
    std::vector<Index> first_triangle;  ///< per surface

    /// "surface 1 triangle 17"
    std::string name_of_triangle(Index joined) const;
    std::string name_of_vertex(Index joined) const;
};

/// A place in each region that a closed piece of a surface bounds from outside, with the number of
/// the surface, and a place in each void that a piece looking inward bounds.
struct Seeds {
    std::vector<std::pair<Vec3, Index>> regions;
    std::vector<Vec3> voids;
};
Seeds find_seeds(const JoinedSurfaces& all);

/// Replaces the first points of `mesh` by those of the surfaces, which they must be but for the
/// last digits lost in a text file.
/// @throws InputError when they are not, or when a tetrahedron has no volume then
void restore_points(TetMesh& mesh, const JoinedSurfaces& all);

/// Sets `region`: tetrahedra on the inner side of surface s, and all that are joined to them
/// without crossing a surface, get labels[s].
/// @throws InputError when a triangle of a surface is no face of the mesh, when the boundary of the
///         mesh has other triangles, or when a region has no label or two
void label_regions(TetMesh& mesh, const JoinedSurfaces& all, const std::vector<int>& labels);

}  // namespace sinew
