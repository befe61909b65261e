#include "sinew/base/error.h"
#include "sinew/geometry/uv_charts.h"
#include "sinew/mesh/connectivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

// Where a surface is cut into disks. A spanning tree of the dual graph joins all triangles of a
// piece without closing a ring around anything; the edges that it does not cross hold the cuts.
// Those of them that end blindly open nothing and are sewn up again: what is left makes the piece a
// disk, whatever holes and handles it has.

namespace sinew {

namespace {

/// Sets that grow together; the lowest member stands for each.
class Unions {
public:
    explicit Unions(std::size_t count) : parent_(count) {
        std::iota(parent_.begin(), parent_.end(), Index{0});
    }
    Index find(Index i) {
        while (parent_[at(i)] != i) {
            parent_[at(i)] = parent_[at(parent_[at(i)])];
            i = parent_[at(i)];
        }
        return i;
    }
    /// @return whether they were apart
    bool join(Index a, Index b) {
        a = find(a);
        b = find(b);
        parent_[at(std::max(a, b))] = std::min(a, b);
        return a != b;
    }

private:
    std::vector<Index> parent_;
};

/// An edge from corner k to k + 1 of a triangle, and what lies across.
struct Side {
    Index triangle, across;
    int k;
    Index from, to;  // vertices
    double cost = 0.0;
    bool is_open = false;  // cut, or a border
};

std::vector<Side> sides_of(const Triangles& triangles, std::span<const Index> label,
                           std::span<const double> cost) {
    const Triangles across = triangle_neighbours(triangles);
    std::vector<Side> sides;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const Index other = across(t, k);
            const bool is_inside = other >= 0 && label[at(other)] == label[at(t)];
            if (is_inside && other < t) {
                continue;  // named by the other triangle
            }
            const Index a = triangles(t, k);
            const Index b = triangles(t, (k + 1) % 3);
            sides.push_back({static_cast<Index>(t), is_inside ? other : -1, k, a, b,
                             cost[at(a)] + cost[at(b)], true});
        }
    }
    return sides;
}

/// Closes the sides that a spanning tree crosses, the dearest first.
void span(std::vector<Side>& sides, std::size_t triangles) {
    std::vector<std::size_t> order;
    for (std::size_t s = 0; s < sides.size(); ++s) {
        if (sides[s].across >= 0) {
            order.push_back(s);
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return sides[a].cost > sides[b].cost; });
    Unions pieces(triangles);
    for (const std::size_t s : order) {
        if (pieces.join(sides[s].triangle, sides[s].across)) {
            sides[s].is_open = false;
        }
    }
}

/// Closes cuts that end blindly. Cuts of different labels meet at borders only, so that vertices
/// need not be told apart by label.
void sew_blind_ends(std::vector<Side>& sides, std::size_t vertices) {
    std::vector<std::vector<std::size_t>> at_vertex(vertices);
    std::vector<int> open(vertices, 0);
    for (std::size_t s = 0; s < sides.size(); ++s) {
        if (sides[s].is_open) {
            for (const Index v : {sides[s].from, sides[s].to}) {
                at_vertex[at(v)].push_back(s);
                ++open[at(v)];
            }
        }
    }
    std::vector<Index> ends;
    for (std::size_t v = 0; v < vertices; ++v) {
        if (open[v] == 1) {
            ends.push_back(static_cast<Index>(v));
        }
    }
    while (!ends.empty()) {
        const Index v = ends.back();
        ends.pop_back();
        for (const std::size_t s : at_vertex[at(v)]) {
            Side& side = sides[s];
            if (side.is_open && side.across >= 0 && open[at(v)] == 1) {
                side.is_open = false;
                const Index other = side.from == v ? side.to : side.from;
                --open[at(v)];
                if (--open[at(other)] == 1) {
                    ends.push_back(other);
                }
            }
        }
    }
}

}  // namespace

std::vector<UvChart> cut_charts(const Triangles& triangles, std::span<const Index> label,
                                std::span<const double> cut_cost) {
    std::vector<Side> sides = sides_of(triangles, label, cut_cost);
    span(sides, at(triangles.rows()));
    sew_blind_ends(sides, cut_cost.size());
    // Corners across closed sides are one vertex; triangles across any are one chart.
    Unions corners(3 * at(triangles.rows()));
    Unions pieces(at(triangles.rows()));
    for (const Side& s : sides) {
        if (s.across < 0) {
            continue;
        }
        pieces.join(s.triangle, s.across);
        if (s.is_open) {
            continue;
        }
        const Index here[2] = {3 * s.triangle + s.k, 3 * s.triangle + (s.k + 1) % 3};
        for (int k = 0; k < 3; ++k) {
            const Index v = triangles(s.across, k);
            if (v == s.from || v == s.to) {
                corners.join(here[v == s.from ? 0 : 1], 3 * s.across + k);
            }
        }
    }
    std::vector<UvChart> charts;
    std::vector<Index> number(at(triangles.rows()), -1);
    std::vector<Index> local(3 * at(triangles.rows()), -1);
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        Index& chart = number[at(pieces.find(static_cast<Index>(t)))];
        if (chart < 0) {
            chart = static_cast<Index>(charts.size());
            charts.emplace_back();
        }
        charts[at(chart)].rows.push_back(static_cast<Index>(t));
    }
    for (UvChart& chart : charts) {
        chart.triangles.resize(static_cast<Eigen::Index>(chart.rows.size()), 3);
        for (std::size_t i = 0; i < chart.rows.size(); ++i) {
            for (int k = 0; k < 3; ++k) {
                Index& v = local[at(corners.find(3 * chart.rows[i] + k))];
                if (v < 0) {
                    v = static_cast<Index>(chart.vertex.size());
                    chart.vertex.push_back(triangles(chart.rows[i], k));
                }
                chart.triangles(static_cast<Eigen::Index>(i), k) = v;
            }
        }
        if (boundary_loops(chart.triangles).size() != 1) {
            throw InputError({.where = "charts of a surface",
                              .found = fmt::format("a piece of {} triangles without one border",
                                                   chart.rows.size()),
                              .needs = "pieces with a border",
                              .remedy = "give closed pieces two labels"});
        }
    }
    return charts;
}

}  // namespace sinew
