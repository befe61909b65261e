#include "sinew/contact/moving_tree.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/contact/eight.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace sinew {
namespace {

constexpr double kRebuild = 2.0;          // growth of the nodes' surfaces at which a new tree pays
constexpr std::size_t kTreePiece = 2048;  // elements per piece of parallel work

using eight::rounded_down;
using eight::rounded_up;

template <class Elements>
void boxes_of(const Points& x, const Elements& elements, double margin,
              std::vector<Bounds>& boxes) {
    boxes.resize(static_cast<std::size_t>(elements.rows()));
    parallel_for(boxes.size(), kTreePiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            Vec3 low = point(x, elements(row, 0));
            Vec3 high = low;
            for (int k = 1; k < elements.cols(); ++k) {
                const Vec3 p = point(x, elements(row, k));
                low = low.cwiseMin(p);
                high = high.cwiseMax(p);
            }
            boxes[i].low = low.array() - margin;
            boxes[i].high = high.array() + margin;
        }
    });
}

}  // namespace

MovingTree::MovingTree(std::span<const Bounds> boxes) {
    set_leaves(boxes);
    build();
}

void MovingTree::set_leaf(const Bounds& box, std::size_t number) {
    for (int k = 0; k < 3; ++k) {
        leaf_box_[number].low[k] = rounded_down(box.low[k]);
        leaf_box_[number].high[k] = rounded_up(box.high[k]);
    }
}

void MovingTree::set_leaves(std::span<const Bounds> boxes) {
    leaf_box_.resize(boxes.size());
    parallel_for(boxes.size(), kTreePiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            set_leaf(boxes[i], i);
        }
    });
}

void MovingTree::build() {
    nodes_.clear();
    parent_.clear();
    node_of_leaf_.resize(leaf_box_.size());
    if (leaf_box_.empty()) {
        return;
    }
    std::vector<Index> items(leaf_box_.size());
    std::iota(items.begin(), items.end(), 0);
    build_node(items, -1);
    refit_nodes();
    built_surface_ = surface_of_nodes();
}

// Splits the items along their longest extents into up to eight groups. All groups but the last
// hold a power of eight items, so that all nodes but a few are full.
Index MovingTree::build_node(std::span<Index> items, Index parent) {
    const auto number = static_cast<Index>(nodes_.size());
    nodes_.emplace_back();
    parent_.push_back(parent);
    std::size_t capacity = 1;
    while (capacity * kWidth < items.size()) {
        capacity *= kWidth;
    }
    std::vector<std::span<Index>> groups = {items};
    for (std::size_t g = 0; g < groups.size();) {
        const std::span<Index> group = groups[g];
        if (group.size() <= capacity) {
            ++g;
            continue;
        }
        Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
        Vec3 high = -low;
        const auto twice_centre = [&](Index i, int k) {
            const FloatBox& box = leaf_box_[at(i)];
            return static_cast<double>(box.low[k]) + static_cast<double>(box.high[k]);
        };
        for (const Index i : group) {
            for (int k = 0; k < 3; ++k) {
                low[k] = std::min(low[k], twice_centre(i, k));
                high[k] = std::max(high[k], twice_centre(i, k));
            }
        }
        int axis = 0;
        (high - low).maxCoeff(&axis);
        const std::size_t parts = (group.size() + capacity - 1) / capacity;
        const std::size_t half = (parts / 2) * capacity;
        std::nth_element(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(half),
                         group.end(), [&](Index a, Index b) {
                             const double ca = twice_centre(a, axis);
                             const double cb = twice_centre(b, axis);
                             return ca != cb ? ca < cb : a < b;
                         });
        groups[g] = group.subspan(half);
        groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(g), group.first(half));
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        Index child = ~groups[g][0];
        if (groups[g].size() == 1) {
            node_of_leaf_[at(groups[g][0])] = number;
        } else {
            child = build_node(groups[g], number);
        }
        nodes_[at(number)].child[g] = child;
    }
    nodes_[at(number)].count = static_cast<int>(groups.size());
    return number;
}

void MovingTree::refit_node(std::size_t number) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Node& node = nodes_[number];
    FloatBox all = {{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
    for (int c = 0; c < kWidth; ++c) {
        FloatBox box = {{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
        if (c < node.count) {
            box = node.child[c] >= 0 ? node_box_[at(node.child[c])] : leaf_box_[at(~node.child[c])];
        }
        for (int k = 0; k < 3; ++k) {
            node.low[k][c] = box.low[k];
            node.high[k][c] = box.high[k];
            all.low[k] = std::min(all.low[k], box.low[k]);
            all.high[k] = std::max(all.high[k], box.high[k]);
        }
    }
    node_box_[number] = all;
}

void MovingTree::refit_nodes() {
    node_box_.resize(nodes_.size());
    for (std::size_t n = nodes_.size(); n-- > 0;) {
        refit_node(n);
    }
}

double MovingTree::surface_of_nodes() const {
    double sum = 0.0;
    for (const FloatBox& b : node_box_) {
        const double x = static_cast<double>(b.high[0]) - static_cast<double>(b.low[0]);
        const double y = static_cast<double>(b.high[1]) - static_cast<double>(b.low[1]);
        const double z = static_cast<double>(b.high[2]) - static_cast<double>(b.low[2]);
        sum += x * y + y * z + z * x;
    }
    return sum;
}

void MovingTree::refit(std::span<const Bounds> boxes) {
    SINEW_ASSERT(boxes.size() == leaf_box_.size(), "{} boxes, not {}", boxes.size(),
                 leaf_box_.size());
    set_leaves(boxes);
    refit_nodes();
    if (surface_of_nodes() > kRebuild * built_surface_) {
        build();
    }
}

void MovingTree::refit(std::span<const Bounds> boxes, std::span<const Index> moved) {
    SINEW_ASSERT(boxes.size() == leaf_box_.size(), "{} boxes, not {}", boxes.size(),
                 leaf_box_.size());
    is_stale_.assign(nodes_.size(), 0);
    for (const Index i : moved) {
        set_leaf(boxes[at(i)], static_cast<std::size_t>(i));
        is_stale_[at(node_of_leaf_[at(i)])] = 1;
    }
    // Children come after their parents.
    for (std::size_t n = nodes_.size(); n-- > 0;) {
        if (is_stale_[n] != 0) {
            refit_node(n);
            if (parent_[n] >= 0) {
                is_stale_[at(parent_[n])] = 1;
            }
        }
    }
}

void MovingTree::find_overlapping(const Bounds& query, std::vector<Index>& found) const {
    if (nodes_.empty()) {
        return;
    }
    float low[3];
    float high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = rounded_down(query.low[k]);
        high[k] = rounded_up(query.high[k]);
    }
    // Depth is at most 11 for 2^31 boxes, and each level leaves at most seven behind.
    Index stack[96];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const Node& node = nodes_[at(stack[--top])];
        // Unused places are empty boxes and meet nothing.
        unsigned hits = eight::meeting(node.low, node.high, low, high);
        for (; hits != 0; hits &= hits - 1u) {
            const Index child = node.child[std::countr_zero(hits)];
            if (child >= 0) {
                stack[top++] = child;
            } else {
                found.push_back(~child);
            }
        }
    }
}

void compute_boxes(const Points& x, const Triangles& triangles, double margin,
                   std::vector<Bounds>& boxes) {
    boxes_of(x, triangles, margin, boxes);
}

void compute_boxes(const Points& x, const Tets& tets, double margin, std::vector<Bounds>& boxes) {
    boxes_of(x, tets, margin, boxes);
}

}  // namespace sinew
