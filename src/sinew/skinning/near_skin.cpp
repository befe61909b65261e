#include "sinew/skinning/near_skin.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/simplex.h"

#include <Eigen/Geometry>

#include <algorithm>

// Which vertices of a fine skin could be inside others, without asking all of them in every frame.
// The fine skin is cut into parts, one per coarse vertex; a part has a box around its vertices and
// the lines to the coarse skin below, and one normal. If boxes of two parts meet and their normals
// are not alike, their vertices are asked exactly (skin_untangling.h). A crumpled part has no
// normal and is alike with none.
//
// Why lines to the coarse skin: the coarse skin has been kept apart already. A fine vertex can only
// have gone through other skin between its foot there and where it is.

namespace sinew {
namespace {

constexpr std::size_t kPartPiece = 128;
constexpr std::size_t kWayPiece = 2048;
constexpr double kReach = 0.1;   // fine edges: how near other skin counts
constexpr double kAlike = 0.7;   // cosine between normals of parts on smooth skin, at least
constexpr double kTurned = 0.4;  // cosine to the normal of the part: triangles below crumple it

// Ascending, each once, as one more list.
void append(Lists& lists, std::vector<Index>& items) {
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    lists.items.insert(lists.items.end(), items.begin(), items.end());
    lists.start.push_back(static_cast<Index>(lists.items.size()));
}

bool do_meet(const Bounds& a, const Bounds& b) {
    return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

}  // namespace

NearSkin::NearSkin(const TriangleMesh& coarse, const TriangleMesh& fine,
                   std::span<const Index> nearest_triangle)
    : triangles_(fine.triangles) {
    for (std::size_t i = 0; i < nearest_triangle.size(); ++i) {
        const auto corner = coarse.triangles.row(nearest_triangle[i]);
        const Vec3 p = point(fine.points, static_cast<Eigen::Index>(i));
        feet_.push_back({.corners = {corner[0], corner[1], corner[2]},
                         .weights = closest_on_triangle(p, point(coarse.points, corner[0]),
                                                        point(coarse.points, corner[1]),
                                                        point(coarse.points, corner[2]))
                                        .barycentric});
        const auto distance = [&](Index c) { return (p - point(coarse.points, c)).squaredNorm(); };
        const std::array<Index, 3>& corners = feet_.back().corners;
        nearest_vertex_.push_back(
            *std::min_element(corners.begin(), corners.end(),
                              [&](Index a, Index b) { return distance(a) < distance(b); }));
    }
    const Edges edges = unique_edges(triangles_);
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        reach_ += kReach / static_cast<double>(edges.rows()) *
                  (fine.points.row(edges(e, 0)) - fine.points.row(edges(e, 1))).norm();
    }
    make_parts(fine, coarse.points.rows());
    place_ways(coarse.points, fine.points);
    place_parts(fine.points);
    tree_ = MovingTree(boxes_);
}

void NearSkin::make_parts(const TriangleMesh& fine, Eigen::Index coarse_vertices) {
    std::vector<std::vector<Index>> members(at(coarse_vertices));
    for (std::size_t i = 0; i < nearest_vertex_.size(); ++i) {
        members[at(nearest_vertex_[i])].push_back(static_cast<Index>(i));
    }
    const Lists of_vertex = triangles_of_vertices(triangles_, fine.points.rows());
    for (std::vector<Index>& part : members) {
        std::vector<Index> around;
        std::vector<Index> corners;
        for (const Index i : part) {
            around.insert(around.end(), of_vertex[at(i)].begin(), of_vertex[at(i)].end());
        }
        for (const Index t : around) {
            corners.insert(corners.end(), {triangles_(t, 0), triangles_(t, 1), triangles_(t, 2)});
        }
        if (!around.empty()) {
            append(members_, part);
            append(around_, around);
            append(corners_, corners);
        }
    }
    boxes_.resize(members_.size());
    normals_.resize(static_cast<Eigen::Index>(members_.size()), 3);
    ways_.resize(feet_.size());
    triangle_normals_.resize(triangles_.rows(), 3);
}

// From the coarse skin to the fine one.
void NearSkin::place_ways(const Points& coarse, const Points& fine) {
    parallel_for(feet_.size(), kWayPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto& [corners, weights] = feet_[i];
            const Vec3 p = weights[0] * point(coarse, corners[0]) +
                           weights[1] * point(coarse, corners[1]) +
                           weights[2] * point(coarse, corners[2]);
            const Vec3 q = point(fine, static_cast<Eigen::Index>(i));
            ways_[i] = {.low = p.cwiseMin(q).array() - reach_,
                        .high = p.cwiseMax(q).array() + reach_};
        }
    });
}

void NearSkin::place_parts(const Points& fine) {
    parallel_for(at(triangles_.rows()), kWayPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto t = static_cast<Eigen::Index>(i);
            const Vec3 a = point(fine, triangles_(t, 0));
            const Vec3 n =
                (point(fine, triangles_(t, 1)) - a).cross(point(fine, triangles_(t, 2)) - a);
            triangle_normals_.row(t) = n.transpose();
        }
    });
    parallel_for(boxes_.size(), kPartPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            boxes_[c] = Bounds();
            for (const Index i : corners_[c]) {
                boxes_[c].add(ways_[at(i)]);
            }
            Vec3 sum = Vec3::Zero();
            for (const Index t : around_[c]) {
                sum += point(triangle_normals_, t);
            }
            Vec3 normal = sum.stableNormalized();
            const bool is_crumpled =
                std::any_of(around_[c].begin(), around_[c].end(), [&](Index t) {
                    const Vec3 n = point(triangle_normals_, t);
                    return n.dot(normal) < kTurned * n.norm();
                });
            if (is_crumpled) {
                normal.setZero();
            }
            normals_.row(static_cast<Eigen::Index>(c)) = normal.transpose();
        }
    });
}

std::vector<Index> NearSkin::find(const Points& coarse, const Points& fine) {
    place_ways(coarse, fine);
    place_parts(fine);
    tree_.refit(boxes_);
    std::vector<char> is_near(feet_.size(), 0);
    parallel_for(boxes_.size(), kPartPiece, [&](std::size_t begin, std::size_t end) {
        std::vector<Index> found;
        for (std::size_t c = begin; c < end; ++c) {
            const Vec3 n = point(normals_, static_cast<Eigen::Index>(c));
            found.clear();
            tree_.find_overlapping(boxes_[c], found);
            std::erase_if(found, [&](Index d) { return n.dot(point(normals_, d)) >= kAlike; });
            for (const Index i : members_[c]) {
                is_near[at(i)] = std::any_of(found.begin(), found.end(), [&](Index d) {
                    return do_meet(ways_[at(i)], boxes_[at(d)]);
                });
            }
        }
    });
    std::vector<Index> vertices;
    for (std::size_t i = 0; i < is_near.size(); ++i) {
        if (is_near[i] != 0) {
            vertices.push_back(static_cast<Index>(i));
        }
    }
    return vertices;
}

}  // namespace sinew
