#pragma once

#include "sinew/mesh/arrays.h"

#include <span>
#include <vector>

namespace sinew {

/// Lists of different lengths in one array: list i is items[start[i] .. start[i+1]).
struct Lists {
    std::vector<Index> start = {0};
    std::vector<Index> items = {};

    std::size_t size() const {
        return start.size() - 1;
    }
    std::span<const Index> operator[](std::size_t i) const {
        return {items.data() + start[i], items.data() + start[i + 1]};
    }
};

/// Triangles around each vertex, in ascending order.
Lists triangles_of_vertices(const Triangles& triangles, Eigen::Index vertices);
Lists tets_of_vertices(const Tets& tets, Eigen::Index vertices);
/// Vertices that share an edge with each vertex, in ascending order.
Lists neighbours_of_vertices(const Triangles& triangles, Eigen::Index vertices);
Lists neighbours_of_vertices(const Tets& tets, Eigen::Index vertices);

/// Unique edges, each as (low, high), sorted.
using Edges = Eigen::Matrix<Index, Eigen::Dynamic, 2, Eigen::RowMajor>;
Edges unique_edges(const Triangles& triangles);
Edges unique_edges(const Tets& tets);

/// Row t, column k: the triangle across the edge from corner k to corner k+1, -1 at a border,
/// -2 where more than two triangles share the edge.
Triangles triangle_neighbours(const Triangles& triangles);
/// Row t, column k: the tetrahedron across the face opposite corner k, -1 at the boundary.
Tets tet_neighbours(const Tets& tets);

/// Edges with one triangle, chained into closed loops of vertices (following the triangles' sense).
/// At vertices where several borders touch, each loop turns off as early as it can.
std::vector<std::vector<Index>> boundary_loops(const Triangles& triangles);

/// Faces that belong to one tetrahedron only, oriented outward; vertex numbers are the tet mesh's.
Triangles boundary_triangles(const Tets& tets);

/// Connected piece of each triangle (across shared vertices), numbered by first appearance.
struct Components {
    std::vector<Index> of_triangle;
    Index count = 0;
};
Components connected_components(const Triangles& triangles, Eigen::Index vertices);

/// Drops points that no triangle uses. `old_index[i]` is where new point i came from.
struct Compacted {
    Points points;
    Triangles triangles;
    std::vector<Index> old_index;
};
Compacted without_unused_points(const Points& points, const Triangles& triangles);

}  // namespace sinew
