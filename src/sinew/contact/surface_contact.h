#pragma once

#include "sinew/contact/moving_tree.h"
#include "sinew/contact/pairs.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/triangle_mesh.h"

#include <vector>

namespace sinew {

/// Parts of a surface that are near other parts of it.
struct SurfacePairs {
    std::vector<PointTriangleContact> point_triangle;  ///< by vertex, then by triangle
    std::vector<EdgeEdgeContact> edge_edge;            ///< by first, then by second edge
};

/// Finds vertices near triangles and edges near edges of one moving surface (of any number of
/// pieces). Those that share a corner, or that were as near at rest, are left out. The same pairs
/// in the same order for any number of threads.
class SurfaceContacts {
public:
    /// @param reach  pairs nearer than this are found, m, >= 0
    /// @throws InputError  when the mesh is not valid
    SurfaceContacts(const TriangleMesh& rest, double reach);

    SurfacePairs find(const Points& x);

private:
    template <class Pair, class Test>
    std::vector<Pair> collect(std::size_t count, const Test& test) const;
    void vertex_pairs(Index vertex, const Points& x, std::vector<Index>& candidates,
                      std::vector<PointTriangleContact>& found) const;
    void edge_pairs(Index edge, const Points& x, std::vector<Index>& candidates,
                    std::vector<EdgeEdgeContact>& found) const;

    Points rest_;
    Triangles triangles_;
    Edges edges_;
    std::vector<Index> vertices_ = {};  // that triangles use
    double reach_;
    MovingTree triangle_tree_ = {};
    MovingTree edge_tree_ = {};
    std::vector<Bounds> triangle_boxes_ = {};
    std::vector<Bounds> edge_boxes_ = {};
};

}  // namespace sinew
