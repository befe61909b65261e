#pragma once

#include "sinew/mesh/arrays.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

/// The side of a triangle from its corner `corner` to the next one.
struct TriangleSide {
    Index triangle = 0;
    Index corner = 0;
};

/// All edges of a triangle mesh with the triangle sides that lie on them, sorted by (low, high)
/// vertex; the sides of an edge by triangle. Any number of triangles may share an edge. Sides with
/// both ends at the same vertex are left out.
class EdgeTable {
public:
    explicit EdgeTable(const Triangles& triangles);

    std::size_t size() const {
        return start_.size() - 1;
    }
    Index low(std::size_t edge) const {
        return static_cast<Index>(key_[edge] >> 32);
    }
    Index high(std::size_t edge) const {
        return static_cast<Index>(key_[edge] & 0xffffffffu);
    }
    std::span<const TriangleSide> sides(std::size_t edge) const {
        return {sides_.data() + start_[edge], sides_.data() + start_[edge + 1]};
    }

private:
    std::vector<std::uint64_t> key_;
    std::vector<std::size_t> start_;
    std::vector<TriangleSide> sides_;
};

/// For each vertex, the number of fans that its triangles form, joined across common edges: 1 where
/// the surface is a manifold, 0 where no triangle is.
std::vector<Index> fans_of_vertices(const Triangles& triangles, Eigen::Index vertices,
                                    const EdgeTable& edges);

/// A forest of disjoint sets; the lowest number stands for its set.
class DisjointSets {
public:
    explicit DisjointSets(std::size_t n);
    Index find(Index i);
    void join(Index i, Index j);

private:
    std::vector<Index> parent_;
};

}  // namespace sinew
