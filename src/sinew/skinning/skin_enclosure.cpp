#include "sinew/skinning/skin_enclosure.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/simplex.h"
#include "sinew/meshing/hole_filling.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {
namespace {

constexpr std::size_t kEnclosurePiece = 32;
constexpr std::size_t kNormalPiece = 2048;
constexpr double kBeyond = 1e4;         // m: no character is as large
constexpr double kTouching = 0.01;      // of an edge: less deep is not inside
constexpr double kFarthestExit = 16.0;  // edges
constexpr double kThickness = 2.5;      // of flesh, in radii of its limb, at most
// Of the skin's size: smaller open pieces bound nothing, though rays cross them.
constexpr double kFlake = 0.1;

// Whether each edge is run through as often one way as the other: then all rays from a place count
// the same. Sheets may meet in an edge.
bool is_closed(const Triangles& triangles, std::span<const char> is_flake) {
    std::vector<std::array<Index, 3>> sides;  // edge, and the way of a triangle along it
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3 && is_flake[static_cast<std::size_t>(t)] == 0; ++k) {
            const Index a = triangles(t, k);
            const Index b = triangles(t, (k + 1) % 3);
            sides.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
        }
    }
    std::sort(sides.begin(), sides.end());
    Index sum = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        sum += sides[i][2];
        const bool is_last = i + 1 == sides.size() || sides[i + 1][0] != sides[i][0] ||
                             sides[i + 1][1] != sides[i][1];
        if (is_last && sum != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace

SkinEnclosure::SkinEnclosure(const SkinOnBones& skin, double air)
    : skin_vertices_(static_cast<Index>(skin.points.rows())),
      triangles_(skin.triangles),
      triangles_of_vertex_(triangles_of_vertices(triangles_, skin_vertices_)),
      is_flake_(find_flakes(skin.points, triangles_, kFlake)),
      is_closed_(is_closed(triangles_, is_flake_)),
      edge_(mean_edge(skin)),
      air_(air * edge_),
      rest_(skin.points),
      rest_vertex_normals_(skin_vertices_, 3) {
    compute_boxes(skin.points, triangles_, 0.0, boxes_);
    tree_ = MovingTree(boxes_);
    refit(skin.points);
    is_enclosed_at_rest_.resize(static_cast<std::size_t>(skin_vertices_));
    radius_.resize(is_enclosed_at_rest_.size());
    parallel_for(radius_.size(), kEnclosurePiece, [&](std::size_t begin, std::size_t end) {
        std::vector<Index> candidates;
        for (std::size_t v = begin; v < end; ++v) {
            const auto i = static_cast<Index>(v);
            is_enclosed_at_rest_[v] = is_enclosed(skin.points, i, candidates) ? 1 : 0;
            rest_vertex_normals_.row(i) = normal_at(i).transpose();
            radius_[v] = (point(rest_, i) - point(skin.base_points, i)).norm();
        }
    });
}

bool SkinEnclosure::is_own_flesh(Index vertex, const std::array<Index, 3>& triangle) const {
    const Vec3 p = point(rest_, vertex);
    const Vec3 a = point(rest_, triangle[0]);
    const Vec3 b = point(rest_, triangle[1]);
    const Vec3 c = point(rest_, triangle[2]);
    const Vec3 n = (b - a).cross(c - a);
    if ((p - a).dot(n) >= 0.0 || point(rest_vertex_normals_, vertex).dot(n) >= 0.0) {
        return false;
    }
    const double reach = kThickness * radius_[static_cast<std::size_t>(vertex)];
    return closest_on_triangle(p, a, b, c).squared_distance <= reach * reach;
}

void SkinEnclosure::compute_normal(const Points& x, Index t) {
    const Vec3 a = point(x, triangles_(t, 0));
    const Vec3 n = (point(x, triangles_(t, 1)) - a).cross(point(x, triangles_(t, 2)) - a);
    normals_.row(t) = n.transpose();
}

void SkinEnclosure::refit(const Points& x) {
    compute_boxes(x, triangles_, 0.0, boxes_);
    tree_.refit(boxes_);
    normals_.resize(triangles_.rows(), 3);
    parallel_for(boxes_.size(), kNormalPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            compute_normal(x, static_cast<Index>(t));
        }
    });
}

void SkinEnclosure::refit_around(const Points& x, std::span<const Index> moved) {
    std::vector<Index> around;
    for (const Index i : moved) {
        const auto triangles = triangles_of_vertex_[static_cast<std::size_t>(i)];
        around.insert(around.end(), triangles.begin(), triangles.end());
    }
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    for (const Index t : around) {
        compute_normal(x, t);
        Bounds& box = boxes_[static_cast<std::size_t>(t)];
        box.low = box.high = point(x, triangles_(t, 0));
        for (int k = 1; k < 3; ++k) {
            box.low = box.low.cwiseMin(point(x, triangles_(t, k)));
            box.high = box.high.cwiseMax(point(x, triangles_(t, k)));
        }
    }
    tree_.refit(boxes_, around);
}

void SkinEnclosure::find_overlapping(const Bounds& query, std::vector<Index>& found) const {
    found.clear();
    tree_.find_overlapping(query, found);
}

Vec3 SkinEnclosure::normal_at(Index vertex) const {
    Vec3 sum = Vec3::Zero();
    for (const Index t : triangles_of_vertex_[static_cast<std::size_t>(vertex)]) {
        sum += point(normals_, t);
    }
    return sum.normalized();
}

// Triangles that a ray along an axis leaves the body through, less those that it enters through:
// the winding number of where it starts, if the skin is closed.
int SkinEnclosure::crossings(const Points& x, const Vec3& p, int axis, double sign,
                             std::vector<Index>& candidates) const {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    Bounds ray{.low = p, .high = p};
    (sign > 0.0 ? ray.high : ray.low)[axis] += sign * kBeyond;
    find_overlapping(ray, candidates);
    // On which side of an edge the ray passes; both triangles of an edge ask the same way round, so
    // that no ray slips through between them.
    const auto side = [&](Index a, Index b) {
        const bool is_turned = a > b;
        const Vec3 from = point(x, is_turned ? b : a) - p;
        const Vec3 to = point(x, is_turned ? a : b) - p;
        return (from[u] * to[v] - from[v] * to[u] >= 0.0) != is_turned;
    };
    int sum = 0;
    for (const Index t : candidates) {
        const Index a = triangles_(t, 0);
        const Index b = triangles_(t, 1);
        const Index c = triangles_(t, 2);
        const bool is_left = side(a, b);
        if (side(b, c) != is_left || side(c, a) != is_left ||
            is_flake_[static_cast<std::size_t>(t)] != 0) {
            continue;
        }
        const Vec3 n = point(normals_, t);
        if (n[axis] != 0.0 && sign * n.dot(point(x, a) - p) / n[axis] > 0.0) {
            sum += sign * n[axis] > 0.0 ? 1 : -1;
        }
    }
    return sum;
}

// By one ray, along the axis nearest to the normal; by most of three where the skin is open, since
// some may leave it through a hole.
bool SkinEnclosure::is_enclosed(const Points& x, Index vertex,
                                std::vector<Index>& candidates) const {
    if (triangles_of_vertex_[static_cast<std::size_t>(vertex)].empty()) {
        return false;
    }
    const Vec3 n = normal_at(vertex);
    const Vec3 p = point(x, vertex) + air_ * n;
    int first = 0;
    n.cwiseAbs().maxCoeff(&first);
    const int rays = is_closed_ ? 1 : 3;
    int votes = 0;
    for (int k = 0; k < rays; ++k) {
        const int axis = (first + k) % 3;
        votes += crossings(x, p, axis, n[axis] < 0.0 ? -1.0 : 1.0, candidates) > 0 ? 1 : 0;
    }
    return 2 * votes > rays;
}

double SkinEnclosure::way_out(const Points& x, Index vertex, std::vector<Index>& candidates) const {
    const Vec3 p = point(x, vertex);
    for (double reach = edge_; reach <= kFarthestExit * edge_; reach *= 2.0) {
        double nearest = reach * reach;
        bool is_found = false;
        find_overlapping({.low = p - Vec3::Constant(reach), .high = p + Vec3::Constant(reach)},
                         candidates);
        for (const Index t : candidates) {
            const Index i = triangles_(t, 0);
            const Index j = triangles_(t, 1);
            const Index k = triangles_(t, 2);
            if (i == vertex || j == vertex || k == vertex ||
                (p - point(x, i)).dot(point(normals_, t)) >= 0.0) {
                continue;
            }
            const double d =
                closest_on_triangle(p, point(x, i), point(x, j), point(x, k)).squared_distance;
            if (d < nearest) {
                nearest = d;
                is_found = true;
            }
        }
        if (is_found) {
            return std::sqrt(nearest);
        }
    }
    return kFarthestExit * edge_;
}

std::vector<SkinEnclosure::Depth> SkinEnclosure::depths(const Points& x) {
    refit(x);
    std::vector<double> depth(static_cast<std::size_t>(skin_vertices_), 0.0);
    parallel_for(depth.size(), kEnclosurePiece, [&](std::size_t begin, std::size_t end) {
        std::vector<Index> candidates;
        for (std::size_t v = begin; v < end; ++v) {
            const auto vertex = static_cast<Index>(v);
            if (may_collide(vertex) && is_enclosed(x, vertex, candidates)) {
                depth[v] = way_out(x, vertex, candidates);
            }
        }
    });
    std::vector<Depth> all;
    for (std::size_t v = 0; v < depth.size(); ++v) {
        if (depth[v] > kTouching * edge_) {
            all.push_back({static_cast<Index>(v), depth[v]});
        }
    }
    return all;
}

SkinPenetration SkinEnclosure::penetration(const Points& x) {
    SkinPenetration found;
    for (const auto& [vertex, depth] : depths(x)) {
        ++found.vertices;
        found.mean += depth;
        if (depth > found.deepest) {
            found.deepest = depth;
            found.vertex = vertex;
        }
    }
    found.mean /= std::max(1, found.vertices);
    return found;
}

}  // namespace sinew
