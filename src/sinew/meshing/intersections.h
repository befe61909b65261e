#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace sinew {

struct IntersectionOptions {
    std::int64_t max_pairs = 100'000;           ///< stop counting soon after this many, >= 1
    std::int64_t max_candidates = 400'000'000;  ///< box pairs looked at before giving up, >= 1
};

/// Pairs of triangles with more in common than their shared corners and edges.
struct Intersections {
    std::vector<std::pair<Index, Index>> pairs;  ///< (low, high), ascending
    bool is_complete = true;                     ///< false when a limit of the options was reached
};

/// True when two triangles, given by their corners, have a point in common (borders included).
/// Both must have an area.
bool triangles_touch(const Vec3 (&a)[3], const Vec3 (&b)[3]);

/// Pairs of triangles of one mesh that cross, overlap or touch. Corners at the same position count
/// as shared, also when they have different numbers: surfaces that touch only there do not
/// intersect. Degenerate triangles and repeated ones are left out. Signs are exact.
/// @throws InputError when the mesh is not valid
Intersections find_self_intersections(const TriangleMesh& mesh,
                                      const IntersectionOptions& options = {});

/// Pairs (triangle of a, triangle of b) that have a point in common, ascending.
Intersections find_intersections(const TriangleMesh& a, const TriangleMesh& b,
                                 const IntersectionOptions& options = {});

/// The first vertex at the same position, for each vertex (bitwise equality, -0 = 0).
std::vector<Index> first_coincident(const Points& points);

/// True for triangles that repeat a corner or are thinner than 1e-10 of their length.
bool is_degenerate(const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace sinew
