#include "sinew/contact/surface_contact.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/contact/distance.h"
#include "sinew/geometry/simplex.h"
#include "sinew/mesh/validity.h"

#include <algorithm>

namespace sinew {
namespace {

constexpr std::size_t kContactPiece = 512;  // vertices or edges per piece of parallel work

void compute_edge_boxes(const Points& x, const Edges& edges, std::vector<Bounds>& boxes) {
    boxes.resize(static_cast<std::size_t>(edges.rows()));
    parallel_for(boxes.size(), kContactPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 a = point(x, edges(static_cast<Eigen::Index>(i), 0));
            const Vec3 b = point(x, edges(static_cast<Eigen::Index>(i), 1));
            boxes[i] = {.low = a.cwiseMin(b), .high = a.cwiseMax(b)};
        }
    });
}

Bounds widened(const Bounds& box, double by) {
    return {.low = box.low.array() - by, .high = box.high.array() + by};
}

}  // namespace

SurfaceContacts::SurfaceContacts(const TriangleMesh& rest, double reach)
    : rest_(rest.points),
      triangles_(rest.triangles),
      edges_(unique_edges(rest.triangles)),
      reach_(reach) {
    require_valid(rest, "surface for contacts");
    SINEW_ASSERT(reach >= 0.0, "reach {}", reach);
    std::vector<char> is_used(static_cast<std::size_t>(rest_.rows()), 0);
    for (Eigen::Index i = 0; i < triangles_.size(); ++i) {
        is_used[static_cast<std::size_t>(triangles_.data()[i])] = 1;
    }
    for (Index v = 0; v < rest_.rows(); ++v) {
        if (is_used[static_cast<std::size_t>(v)] != 0) {
            vertices_.push_back(v);
        }
    }
    compute_boxes(rest_, triangles_, 0.0, triangle_boxes_);
    compute_edge_boxes(rest_, edges_, edge_boxes_);
    triangle_tree_ = MovingTree(triangle_boxes_);
    edge_tree_ = MovingTree(edge_boxes_);
}

void SurfaceContacts::vertex_pairs(Index v, const Points& x, std::vector<Index>& candidates,
                                   std::vector<PointTriangleContact>& found) const {
    const Vec3 p = point(x, v);
    candidates.clear();
    triangle_tree_.find_overlapping(widened({.low = p, .high = p}, reach_), candidates);
    std::sort(candidates.begin(), candidates.end());
    const auto is_near = [&](const Points& at, Index t) {
        const OnTriangle on =
            closest_on_triangle(point(at, v), point(at, triangles_(t, 0)),
                                point(at, triangles_(t, 1)), point(at, triangles_(t, 2)));
        return on.squared_distance < reach_ * reach_;
    };
    for (const Index t : candidates) {
        const auto c = triangles_.row(t);
        if (c[0] != v && c[1] != v && c[2] != v && is_near(x, t) && !is_near(rest_, t)) {
            found.push_back({v, {c[0], c[1], c[2]}});
        }
    }
}

void SurfaceContacts::edge_pairs(Index e, const Points& x, std::vector<Index>& candidates,
                                 std::vector<EdgeEdgeContact>& found) const {
    candidates.clear();
    edge_tree_.find_overlapping(widened(edge_boxes_[static_cast<std::size_t>(e)], reach_),
                                candidates);
    std::sort(candidates.begin(), candidates.end());
    const auto is_near = [&](const Points& at, Index f) {
        return edge_edge_distance(point(at, edges_(e, 0)), point(at, edges_(e, 1)),
                                  point(at, edges_(f, 0)), point(at, edges_(f, 1)))
                   .squared < reach_ * reach_;
    };
    const Index a = edges_(e, 0);
    const Index b = edges_(e, 1);
    for (const Index f : candidates) {
        const Index c = edges_(f, 0);
        const Index d = edges_(f, 1);
        // Each pair once.
        if (f > e && a != c && a != d && b != c && b != d && is_near(x, f) && !is_near(rest_, f)) {
            found.push_back({{a, b}, {c, d}});
        }
    }
}

// Runs test(i, candidates, found) for all i and joins what the pieces found in their order.
template <class Pair, class Test>
std::vector<Pair> SurfaceContacts::collect(std::size_t count, const Test& test) const {
    std::vector<std::vector<Pair>> parts((count + kContactPiece - 1) / kContactPiece);
    parallel_for(count, kContactPiece, [&](std::size_t begin, std::size_t end) {
        std::vector<Index> candidates;
        for (std::size_t i = begin; i < end; ++i) {
            test(i, candidates, parts[begin / kContactPiece]);
        }
    });
    std::vector<Pair> all;
    for (const std::vector<Pair>& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

SurfacePairs SurfaceContacts::find(const Points& x) {
    SINEW_ASSERT(x.rows() == rest_.rows(), "{} points, not {}", x.rows(), rest_.rows());
    compute_boxes(x, triangles_, 0.0, triangle_boxes_);
    compute_edge_boxes(x, edges_, edge_boxes_);
    triangle_tree_.refit(triangle_boxes_);
    edge_tree_.refit(edge_boxes_);
    SurfacePairs pairs;
    pairs.point_triangle = collect<PointTriangleContact>(
        vertices_.size(), [&](std::size_t i, std::vector<Index>& candidates,
                              std::vector<PointTriangleContact>& found) {
            vertex_pairs(vertices_[i], x, candidates, found);
        });
    pairs.edge_edge = collect<EdgeEdgeContact>(
        static_cast<std::size_t>(edges_.rows()),
        [&](std::size_t i, std::vector<Index>& candidates, std::vector<EdgeEdgeContact>& found) {
            edge_pairs(static_cast<Index>(i), x, candidates, found);
        });
    return pairs;
}

}  // namespace sinew
