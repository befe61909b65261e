#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <array>
#include <vector>

namespace sinew {

/// A triangle mesh that can be changed edge by edge. Every change keeps it a manifold with the same
/// number of pieces, handles and borders; one that would not is refused. Elements that went keep
/// their number until `result()`.
class EditMesh {
public:
    /// @param mesh  at most two triangles on an edge, one fan on a vertex, consistent sense
    explicit EditMesh(const TriangleMesh& mesh);

    using Corners = std::array<Index, 3>;

    Index vertex_count() const {
        return static_cast<Index>(points_.size());
    }
    Index triangle_count() const {
        return static_cast<Index>(triangles_.size());
    }
    Index alive_triangles() const {
        return alive_;
    }
    bool is_alive(Index triangle) const {
        return triangles_[static_cast<std::size_t>(triangle)][0] >= 0;
    }
    const Corners& corners(Index triangle) const {
        return triangles_[static_cast<std::size_t>(triangle)];
    }
    /// Triangles at a vertex, in no particular but reproducible order; none when it went.
    const std::vector<Index>& triangles_at(Index vertex) const {
        return around_[static_cast<std::size_t>(vertex)];
    }
    const Vec3& position(Index vertex) const {
        return points_[static_cast<std::size_t>(vertex)];
    }
    void set_position(Index vertex, const Vec3& p) {
        points_[static_cast<std::size_t>(vertex)] = p;
    }
    double length(Index a, Index b) const {
        return (position(a) - position(b)).norm();
    }
    /// (b - a) x (c - a): twice the area long.
    Vec3 normal(Index triangle) const;

    /// Vertices joined to this one by an edge, ascending.
    std::vector<Index> neighbours(Index vertex) const;
    bool is_border(Index vertex) const;
    /// The triangles on the edge a b: the one that runs a -> b, then the one that runs b -> a; -1
    /// where there is none.
    std::array<Index, 2> on_edge(Index a, Index b) const;
    /// The corner of a triangle that is neither a nor b.
    Index opposite(Index triangle, Index a, Index b) const;

    /// True when merging `gone` into `keep` leaves the surface a manifold of the same kind and
    /// turns no triangle over when `keep` then lies at `target`.
    bool can_collapse(Index keep, Index gone, const Vec3& target) const;
    /// Merges; afterwards `keep` lies at `target`. @pre can_collapse
    void collapse(Index keep, Index gone, const Vec3& target);

    /// Turns the inner edge a b into the other diagonal of its two triangles. False (and nothing
    /// done) when that edge exists already, at borders, and where a triangle would turn over.
    bool flip(Index a, Index b);

    /// Puts a new vertex on the edge a b and returns its number.
    Index split(Index a, Index b, const Vec3& at);

    /// The triangles that are left, and their points in the old order. `vertex_of` tells the number
    /// of each new point here.
    TriangleMesh result(std::vector<Index>* vertex_of = nullptr) const;

private:
    void link(Index triangle);
    void unlink(Index triangle);
    void find_neighbours(Index vertex, std::vector<Index>& list) const;

    std::vector<Vec3> points_;
    std::vector<Corners> triangles_;
    std::vector<std::vector<Index>> around_;
    Index alive_ = 0;
};

/// Point data of `from` carried over to the points of `to` from the nearest place of the surface;
/// data of triangles is not carried.
void transfer_point_data(const TriangleMesh& from, TriangleMesh& to);

}  // namespace sinew
