#pragma once

#include "sinew/contact/moving_tree.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/triangle_mesh.h"

#include <array>
#include <span>
#include <vector>

namespace sinew {

/// Which vertices of a fine skin may be enclosed by it, while those of the coarse skin that it
/// follows are free.
///
/// On the way from the coarse shape to the fine one, skin that comes to enclose a vertex passes it.
/// A part (the fine vertices nearest to one coarse vertex, and the triangles around them) has a box
/// that holds this way. So a vertex may be enclosed where its own way meets the box of a part that
/// faces another way, or that is crumpled. Parts that face alike are neighbours on smooth skin.
class NearSkin {
public:
    /// @param coarse, fine      at rest
    /// @param nearest_triangle  of the coarse skin, for each fine vertex
    NearSkin(const TriangleMesh& coarse, const TriangleMesh& fine,
             std::span<const Index> nearest_triangle);

    /// The nearest corner of that triangle, for each fine vertex.
    const std::vector<Index>& nearest_vertex() const {
        return nearest_vertex_;
    }
    /// Fine vertices that may be enclosed, ascending.
    /// @param coarse, fine  where the skins are now, m
    std::vector<Index> find(const Points& coarse, const Points& fine);

private:
    struct Foot {  // of a fine vertex on the coarse skin
        std::array<Index, 3> corners;
        Vec3 weights;
    };
    void make_parts(const TriangleMesh& fine, Eigen::Index coarse_vertices);
    void place_ways(const Points& coarse, const Points& fine);
    void place_parts(const Points& fine);

    Triangles triangles_;  // of the fine skin
    double reach_ = 0.0;   // m
    std::vector<Index> nearest_vertex_ = {};
    std::vector<Foot> feet_ = {};
    // Of each part, which all have some: its fine vertices, all triangles at them, their corners.
    Lists members_ = {};
    Lists around_ = {};
    Lists corners_ = {};
    std::vector<Bounds> ways_ = {};           // of fine vertices
    Points triangle_normals_ = Points(0, 3);  // as long as twice their areas
    std::vector<Bounds> boxes_ = {};          // of parts
    Points normals_ = Points(0, 3);           // of parts, unit; zero where crumpled
    MovingTree tree_ = {};
};

}  // namespace sinew
