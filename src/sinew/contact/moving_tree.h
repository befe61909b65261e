#pragma once

#include "sinew/geometry/measure.h"

#include <span>
#include <vector>

namespace sinew {

/// A tree of axis-aligned boxes that follows them as they move: built once, then refitted in one
/// pass per frame. Eight boxes per node, tested at once.
///
/// Boxes are kept in single precision, rounded outward: a query may offer a box too many but never
/// one too few. The tree and the order of what it finds depend on the boxes alone, never on the
/// number of threads. Queries may run on many threads at once.
class MovingTree {
public:
    MovingTree() = default;
    /// @param boxes  not empty, finite
    explicit MovingTree(std::span<const Bounds> boxes);

    /// The same boxes, moved. When they have moved so far that the nodes overlap much (their
    /// surfaces add up to more than twice of what they were) the tree is built anew.
    /// @param boxes  as many as at construction
    void refit(std::span<const Bounds> boxes);
    /// The same where only a few have moved since.
    /// @param moved  their numbers, in any order
    void refit(std::span<const Bounds> boxes, std::span<const Index> moved);

    std::size_t size() const {
        return leaf_box_.size();
    }

    /// Appends the numbers of all boxes that meet `query`, in no particular but a fixed order.
    void find_overlapping(const Bounds& query, std::vector<Index>& found) const;

private:
    static constexpr int kWidth = 8;
    struct FloatBox {
        float low[3];
        float high[3];
    };
    // Children as planes: low x of all eight, low y, ...; unused ones are empty boxes.
    struct alignas(32) Node {
        float low[3][kWidth];
        float high[3][kWidth];
        Index child[kWidth];  // >= 0: node, < 0: ~box
        int count = 0;
    };

    void set_leaf(const Bounds& box, std::size_t number);
    void set_leaves(std::span<const Bounds> boxes);
    void build();
    Index build_node(std::span<Index> items, Index parent);
    void refit_node(std::size_t number);
    void refit_nodes();
    double surface_of_nodes() const;

    std::vector<FloatBox> leaf_box_ = {};
    std::vector<Node> nodes_ = {};  // parents before their children
    std::vector<FloatBox> node_box_ = {};
    std::vector<Index> parent_ = {};        // of each node, -1 at the root
    std::vector<Index> node_of_leaf_ = {};  // that holds a box
    std::vector<char> is_stale_ = {};       // scratch: nodes to be fitted
    double built_surface_ = 0.0;
};

/// Boxes around elements, widened by `margin` (m) on all sides, in parallel.
void compute_boxes(const Points& x, const Triangles& triangles, double margin,
                   std::vector<Bounds>& boxes);
void compute_boxes(const Points& x, const Tets& tets, double margin, std::vector<Bounds>& boxes);

}  // namespace sinew
