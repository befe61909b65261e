#include "sinew/meshing/edge_table.h"

#include "sinew/mesh/edge_sort.h"

#include <algorithm>
#include <numeric>

namespace sinew {

EdgeTable::EdgeTable(const Triangles& triangles) {
    struct Entry {
        std::uint64_t key;
        TriangleSide side;
    };
    std::vector<Entry> entries;
    entries.reserve(static_cast<std::size_t>(triangles.size()));
    for (Index t = 0; t < triangles.rows(); ++t) {
        for (Index k = 0; k < 3; ++k) {
            const auto a = static_cast<std::uint32_t>(triangles(t, k));
            const auto b = static_cast<std::uint32_t>(triangles(t, (k + 1) % 3));
            if (a != b) {
                entries.push_back(
                    {static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b), {t, k}});
            }
        }
    }
    stable_sort_by_edge(entries);
    sides_.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (i == 0 || entries[i].key != entries[i - 1].key) {
            key_.push_back(entries[i].key);
            start_.push_back(i);
        }
        sides_.push_back(entries[i].side);
    }
    start_.push_back(entries.size());
}

std::vector<Index> fans_of_vertices(const Triangles& triangles, Eigen::Index vertices,
                                    const EdgeTable& edges) {
    // Corners are joined across every edge, then counted per vertex.
    DisjointSets corners(static_cast<std::size_t>(triangles.size()));
    const auto corner_at = [&](const TriangleSide& side, Index vertex) {
        const Index next = (side.corner + 1) % 3;
        return 3 * side.triangle +
               (triangles(side.triangle, side.corner) == vertex ? side.corner : next);
    };
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto sides = edges.sides(e);
        for (std::size_t k = 1; k < sides.size(); ++k) {
            for (const Index v : {edges.low(e), edges.high(e)}) {
                corners.join(corner_at(sides[0], v), corner_at(sides[k], v));
            }
        }
    }
    std::vector<Index> fans(static_cast<std::size_t>(vertices), 0);
    for (Index t = 0; t < triangles.rows(); ++t) {
        for (Index k = 0; k < 3; ++k) {
            // A repeated corner of a degenerate triangle belongs to the fan of its twin.
            const bool is_repeat = (k > 0 && triangles(t, k) == triangles(t, 0)) ||
                                   (k > 1 && triangles(t, k) == triangles(t, 1));
            if (!is_repeat && corners.find(3 * t + k) == 3 * t + k) {
                ++fans[at(triangles(t, k))];
            }
        }
    }
    return fans;
}

DisjointSets::DisjointSets(std::size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), 0);
}

Index DisjointSets::find(Index i) {
    while (parent_[at(i)] != i) {
        Index& p = parent_[at(i)];
        p = parent_[at(p)];
        i = p;
    }
    return i;
}

void DisjointSets::join(Index i, Index j) {
    i = find(i);
    j = find(j);
    parent_[at(std::max(i, j))] = std::min(i, j);
}

}  // namespace sinew
