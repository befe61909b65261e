#pragma once

#include "sinew/geometry/measure.h"

#include <array>
#include <cstddef>
#include <vector>

namespace sinew {

/// True when two closed boxes have a point in common.
inline bool boxes_touch(const Bounds& a, const Bounds& b) {
    return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

/// A binary tree over boxes, for finding all those that touch a given one. Built by halving along
/// the longest side; the same input gives the same tree.
class OverlapTree {
public:
    explicit OverlapTree(std::vector<Bounds> boxes);

    /// Calls visit(i) for every box i that touches `query` (closed boxes), in an order that depends
    /// only on the tree. visit returns false to stop.
    template <class Visit>
    void for_each_touching(const Bounds& query, Visit&& visit) const {
        if (nodes_.empty()) {
            return;
        }
        std::array<Index, 64> stack;
        std::size_t depth = 0;
        stack[depth++] = 0;
        while (depth > 0) {
            const Node& node = nodes_[at(stack[--depth])];
            if (!boxes_touch(node.box, query)) {
                continue;
            }
            if (node.right < 0) {
                for (Index k = node.begin; k < node.end; ++k) {
                    const Index i = order_[at(k)];
                    if (boxes_touch(boxes_[at(i)], query) && !visit(i)) {
                        return;
                    }
                }
            } else {
                stack[depth++] = node.right;
                stack[depth++] = static_cast<Index>(&node - nodes_.data()) + 1;
            }
        }
    }

private:
    struct Node {
        Bounds box;
        Index begin = 0, end = 0;
        Index right = -1;  // the left child is the next node; -1 marks a leaf
    };
    Index build(Index begin, Index end);

    std::vector<Bounds> boxes_;
    std::vector<Index> order_;
    std::vector<Node> nodes_;
};

}  // namespace sinew
