#include "sinew/meshing/overlap_tree.h"

#include <algorithm>
#include <numeric>

namespace sinew {

namespace {
constexpr Index kLeafSize = 4;
}

OverlapTree::OverlapTree(std::vector<Bounds> boxes)
    : boxes_(std::move(boxes)), order_(boxes_.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    if (!boxes_.empty()) {
        nodes_.reserve(boxes_.size());
        build(0, static_cast<Index>(boxes_.size()));
    }
}

Index OverlapTree::build(Index begin, Index end) {
    const auto at = static_cast<Index>(nodes_.size());
    nodes_.emplace_back();
    Bounds box;
    Bounds centres;
    for (Index k = begin; k < end; ++k) {
        const Bounds& b = boxes_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])];
        box.add(b);
        centres.add(Vec3(0.5 * b.low + 0.5 * b.high));
    }
    Index right = -1;
    if (end - begin > kLeafSize) {
        // Halving by rank keeps the depth at log2(n) even when all boxes coincide.
        int axis = 0;
        (centres.high - centres.low).maxCoeff(&axis);
        const Index middle = begin + (end - begin) / 2;
        const auto key = [&](Index i) {
            const Bounds& b = boxes_[static_cast<std::size_t>(i)];
            return b.low[axis] + b.high[axis];
        };
        std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                         [&](Index i, Index j) {
                             const double ki = key(i);
                             const double kj = key(j);
                             return ki != kj ? ki < kj : i < j;
                         });
        build(begin, middle);
        right = build(middle, end);
    }
    nodes_[static_cast<std::size_t>(at)] = {box, begin, end, right};
    return at;
}

}  // namespace sinew
