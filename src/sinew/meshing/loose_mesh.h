#pragma once

#include "sinew/mesh/triangle_mesh.h"
#include "sinew/meshing/repair.h"

#include <array>
#include <vector>

namespace sinew {

/// A mesh under repair. `origin` names the vertex of the input that each vertex came from, -1 for
/// new ones. Each step returns how many things it did.
struct LooseMesh {
    explicit LooseMesh(const TriangleMesh& mesh);

    Points points;
    Triangles triangles;
    std::vector<Index> origin;

    void keep_triangles(const std::vector<char>& is_kept);
    Index add_vertex(const Vec3& at, Index from);
};

std::int64_t drop_not_finite(LooseMesh& mesh);
std::int64_t weld_vertices(LooseMesh& mesh, Weld which, double tolerance);
/// Triangles with a repeated corner, and triangles on the same corners as another one: of a pair
/// that looks opposite ways both go, of others one stays.
std::int64_t drop_repeated(LooseMesh& mesh);
/// Turns triangles so that neighbours agree, piece by piece, following the majority.
std::int64_t turn_alike(LooseMesh& mesh);
/// Turns closed pieces of negative volume that do not lie inside another piece.
std::int64_t turn_outward(LooseMesh& mesh);
/// Gives each sheet at an edge of more than two triangles, and each fan at a vertex, vertices of
/// its own. Sheets at an edge are paired so that each encloses its own wedge of the inside.
std::int64_t separate_sheets(LooseMesh& mesh);
std::int64_t collapse_degenerate(LooseMesh& mesh);
std::int64_t drop_specks(LooseMesh& mesh, double share);
/// Closes all borders with patches of about the triangle size around them.
std::int64_t fill_all_holes(LooseMesh& mesh);
std::int64_t drop_unused(LooseMesh& mesh);

}  // namespace sinew
