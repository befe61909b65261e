#include "sinew/skinning/skin_enclosure.h"

#include "sinew/base/parallel.h"
#include "sinew/geometry/simplex.h"
#include "sinew/meshing/hole_filling.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

// The winding number of the skin at a point in front of a vertex tells whether the vertex is
// enclosed: one ray along a coordinate axis counts crossings with their sign. Signs make the count
// right where sheets lie on each other; one ray is enough on a closed skin, three vote on an open
// one.
//
// Axis-parallel rays make the crossing test two-dimensional and exact up to one comparison per
// edge, which both triangles of an edge evaluate alike: no ray slips through between two triangles.
//
// Skins of people are enclosed at rest in places (mouth, eyelids, noise of scans). Depths at rest
// are measured once; what is deep then is inner and is never asked, what is shallow may be as deep
// as it was.

namespace sinew {
namespace {

constexpr std::size_t kEnclosurePiece = 64;
constexpr std::size_t kNormalPiece = 1024;
constexpr double kBeyond = 1e4;         // m: no character is as large
constexpr double kTouching = 0.01;      // of an edge: less deep is not inside
constexpr double kInner = 0.25;         // edges: as deep at rest is no noise
constexpr double kExcused = 0.1;        // edges that what is noise at rest may be deeper
constexpr double kFarthestExit = 16.0;  // edges
constexpr double kThickness = 2.5;      // of flesh, in radii of its limb, at most
// Of the skin's size: smaller open pieces bound nothing, though rays cross them.
constexpr double kFlake = 0.1;

// Whether each edge is run through as often one way as the other: then all rays from a place count
// the same. Sheets may meet in an edge.
// On a closed skin the winding number is the same along every ray, so one is enough.
bool is_closed(const Triangles& triangles, std::span<const char> is_flake) {
    std::vector<std::array<Index, 3>> sides;  // edge, and the way of a triangle along it
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3 && is_flake[at(t)] == 0; ++k) {
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

// Where boxes are, seen along each axis, to ask of many rays whether they can meet one.
// A raster of 96 x 96 cells per axis says which rays can have changed since the last refit. It may
// say yes too often and never no too often.
class RayMarks {
public:
    // @param all     around all boxes
    // @param margin  by which boxes are widened, m
    RayMarks(const Bounds& all, double margin)
        : all_{.low = all.low.array() - kRoom * margin, .high = all.high.array() + kRoom * margin},
          margin_(kRoom * margin) {
        for (int k = 0; k < 3; ++k) {
            const double size = all_.high[k] - all_.low[k];
            per_metre_[k] = size > 0.0 ? kCells / size : 0.0;
        }
    }
    void add(const Bounds& box) {
        for (int axis = 0; axis < 3; ++axis) {
            const int u = (axis + 1) % 3;
            const int v = (axis + 2) % 3;
            const std::size_t last[2] = {cell(box.high[u] + margin_, u),
                                         cell(box.high[v] + margin_, v)};
            for (std::size_t i = cell(box.low[u] - margin_, u); i <= last[0]; ++i) {
                for (std::size_t j = cell(box.low[v] - margin_, v); j <= last[1]; ++j) {
                    marks_[at(axis)][i * kCells + j] = 1;
                }
            }
        }
    }
    // Never false where a ray from p along the axis meets a box.
    bool is_marked(const Vec3& p, int axis) const {
        const int u = (axis + 1) % 3;
        const int v = (axis + 2) % 3;
        return p[u] >= all_.low[u] && p[u] <= all_.high[u] && p[v] >= all_.low[v] &&
               p[v] <= all_.high[v] &&
               marks_[at(axis)][cell(p[u], u) * kCells + cell(p[v], v)] != 0;
    }
    // Never false where one from a place within the margin of p does.
    bool is_marked_along_any(const Vec3& p) const {
        return is_marked(p, 0) || is_marked(p, 1) || is_marked(p, 2);
    }

private:
    static constexpr std::size_t kCells = 96;
    static constexpr double kRoom = 1.01;  // for rounding
    std::size_t cell(double place, int k) const {
        const double c = (place - all_.low[k]) * per_metre_[k];
        return !(c > 0.0) ? 0 : c < kCells - 1.0 ? static_cast<std::size_t>(c) : kCells - 1;
    }

    Bounds all_;
    double margin_;
    Vec3 per_metre_ = Vec3::Zero();
    std::array<std::vector<char>, 3> marks_ = {std::vector<char>(kCells * kCells, 0),
                                               std::vector<char>(kCells* kCells, 0),
                                               std::vector<char>(kCells* kCells, 0)};
};

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
    std::vector<Index> all(static_cast<std::size_t>(skin_vertices_));
    std::iota(all.begin(), all.end(), 0);
    const std::vector<char> is_enclosed_at_rest = are_enclosed(skin.points, all);
    std::vector<Index> candidates;
    for (const Index i : all) {
        const bool is = is_enclosed_at_rest[at(i)] != 0;
        depth_at_rest_.push_back(is ? way_out(skin.points, i, candidates) : 0.0);
    }
    find_inner();
    for (Index i = 0; i < skin_vertices_; ++i) {
        rest_vertex_normals_.row(i) = normal_at(i).transpose();
        radius_.push_back((point(rest_, i) - point(skin.base_points, i)).norm());
    }
}

// Enclosed vertices around those that are deep inside are the border of where the skin passes
// through itself; what is neither is noise.
void SkinEnclosure::find_inner() {
    is_inner_.assign(depth_at_rest_.size(), 0);
    std::vector<Index> open;
    const auto add = [&](Index i) {
        char& is = is_inner_[at(i)];
        if (is == 0) {
            is = 1;
            open.push_back(i);
        }
    };
    for (Index i = 0; i < skin_vertices_; ++i) {
        if (depth_at_rest_[at(i)] > kInner * edge_) {
            add(i);
        }
    }
    while (!open.empty()) {
        const Index i = open.back();
        open.pop_back();
        for (const Index t : triangles_of_vertex_[at(i)]) {
            for (int k = 0; k < 3; ++k) {
                if (!may_collide(triangles_(t, k))) {
                    add(triangles_(t, k));
                }
            }
        }
    }
}

bool SkinEnclosure::is_excused(const Points& x, Index vertex,
                               std::vector<Index>& candidates) const {
    const double rest = depth_at_rest_[at(vertex)];
    return is_inner(vertex) ||
           (rest > 0.0 && way_out(x, vertex, candidates) <= rest + kExcused * edge_);
}

// Judged at rest, where limbs are what they are.
bool SkinEnclosure::is_own_flesh(Index vertex, const std::array<Index, 3>& triangle) const {
    const Vec3 p = point(rest_, vertex);
    const Vec3 a = point(rest_, triangle[0]);
    const Vec3 b = point(rest_, triangle[1]);
    const Vec3 c = point(rest_, triangle[2]);
    const Vec3 n = (b - a).cross(c - a);
    if ((p - a).dot(n) >= 0.0 || point(rest_vertex_normals_, vertex).dot(n) >= 0.0) {
        return false;
    }
    const double reach = kThickness * radius_[at(vertex)];
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
    moved_.clear();
    box_before_.clear();
    is_moved_.assign(static_cast<std::size_t>(triangles_.rows()), 0);
    normals_.resize(triangles_.rows(), 3);
    parallel_for(is_moved_.size(), kNormalPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            compute_normal(x, static_cast<Index>(t));
        }
    });
}

void SkinEnclosure::refit_around(const Points& x, std::span<const Index> moved) {
    std::vector<Index> around;
    for (const Index i : moved) {
        for (const Index t : triangles_of_vertex_[at(i)]) {
            Bounds& box = boxes_[at(t)];
            if (is_moved_[at(t)] == 0) {
                is_moved_[at(t)] = 1;
                moved_.push_back(t);
                box_before_.push_back(box);
            }
            compute_normal(x, t);
            box.low = box.high = point(x, triangles_(t, 0));
            for (int k = 1; k < 3; ++k) {
                box.low = box.low.cwiseMin(point(x, triangles_(t, k)));
                box.high = box.high.cwiseMax(point(x, triangles_(t, k)));
            }
            around.push_back(t);
        }
    }
    tree_.refit(boxes_, around);
}

std::vector<Index> SkinEnclosure::find_changed(const Points& x) const {
    if (moved_.empty()) {
        return {};
    }
    std::vector<char> is_changed(static_cast<std::size_t>(skin_vertices_), 0);
    Bounds all;
    for (std::size_t i = 0; i < moved_.size(); ++i) {
        const Bounds& now = boxes_[at(moved_[i])];
        all.low = all.low.cwiseMin(now.low).cwiseMin(box_before_[i].low);
        all.high = all.high.cwiseMax(now.high).cwiseMax(box_before_[i].high);
        for (int k = 0; k < 3; ++k) {
            is_changed[at(triangles_(moved_[i], k))] = 1;
        }
    }
    RayMarks marks(all, air_);
    for (std::size_t i = 0; i < moved_.size(); ++i) {
        marks.add(boxes_[at(moved_[i])]);
        marks.add(box_before_[i]);
    }
    parallel_for(is_changed.size(), kNormalPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            // Rays start so near to the vertex that most need not be looked at.
            if (is_changed[i] != 0 || !marks.is_marked_along_any(point(x, static_cast<Index>(i)))) {
                continue;
            }
            const Rays rays = rays_of(x, static_cast<Index>(i));
            for (int k = 0; k < rays.count && is_changed[i] == 0; ++k) {
                is_changed[i] = marks.is_marked(rays.start, (rays.first + k) % 3) ? 1 : 0;
            }
        }
    });
    std::vector<Index> changed;
    for (Index i = 0; i < skin_vertices_; ++i) {
        if (is_changed[at(i)] != 0) {
            changed.push_back(i);
        }
    }
    return changed;
}

void SkinEnclosure::find_overlapping(const Bounds& query, std::vector<Index>& found) const {
    found.clear();
    tree_.find_overlapping(query, found);
}

Vec3 SkinEnclosure::normal_at(Index vertex) const {
    Vec3 sum = Vec3::Zero();
    for (const Index t : triangles_of_vertex_[at(vertex)]) {
        sum += point(normals_, t);
    }
    return sum.normalized();
}

// How a ray along an axis crosses a triangle: 1 out of the body, -1 into it, 0 not at all.
int SkinEnclosure::crossing(const Points& x, const Vec3& p, int axis, double sign, Index t) const {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    // On which side of an edge the ray passes; both triangles of an edge ask the same way round, so
    // that no ray slips through between them.
    const Index corner[3] = {triangles_(t, 0), triangles_(t, 1), triangles_(t, 2)};
    double du[3];
    double dv[3];
    for (int k = 0; k < 3; ++k) {
        du[k] = x(corner[k], u) - p[u];
        dv[k] = x(corner[k], v) - p[v];
    }
    const auto side = [&](int from, int to) {
        const bool is_turned = corner[from] > corner[to];
        const int a = is_turned ? to : from;
        const int b = is_turned ? from : to;
        return (du[a] * dv[b] - dv[a] * du[b] >= 0.0) != is_turned;
    };
    const bool is_left = side(0, 1);
    if (side(1, 2) != is_left || side(2, 0) != is_left || is_flake_[at(t)] != 0) {
        return 0;
    }
    const Vec3 a = point(x, corner[0]);
    const Vec3 n = point(normals_, t);
    if (n[axis] != 0.0 && sign * n.dot(a - p) / n[axis] > 0.0) {
        return sign * n[axis] > 0.0 ? 1 : -1;
    }
    return 0;
}

// Triangles that a ray along an axis leaves the body through, less those that it enters through:
// the winding number of where it starts, if the skin is closed.
int SkinEnclosure::crossings(const Points& x, const Vec3& p, int axis, double sign,
                             std::vector<Index>& candidates) const {
    Bounds ray{.low = p, .high = p};
    (sign > 0.0 ? ray.high : ray.low)[axis] += sign * kBeyond;
    find_overlapping(ray, candidates);
    int sum = 0;
    for (const Index t : candidates) {
        sum += crossing(x, p, axis, sign, t);
    }
    return sum;
}

// One ray, along the axis nearest to the normal; three where the skin is open, since some may leave
// it through a hole.
SkinEnclosure::Rays SkinEnclosure::rays_of(const Points& x, Index vertex) const {
    Rays rays{.start = Vec3::Zero(),
              .normal = normal_at(vertex),
              .first = 0,
              .count = is_closed_ ? 1 : 3};
    rays.start = point(x, vertex) + air_ * rays.normal;
    rays.normal.cwiseAbs().maxCoeff(&rays.first);
    return rays;
}

bool SkinEnclosure::is_enclosed(const Points& x, Index vertex,
                                std::vector<Index>& candidates) const {
    if (triangles_of_vertex_[at(vertex)].empty()) {
        return false;
    }
    const Rays rays = rays_of(x, vertex);
    int votes = 0;
    for (int k = 0; k < rays.count; ++k) {
        const int axis = (rays.first + k) % 3;
        const double sign = rays.normal[axis] < 0.0 ? -1.0 : 1.0;
        votes += crossings(x, rays.start, axis, sign, candidates) > 0 ? 1 : 0;
    }
    return 2 * votes > rays.count;
}

std::vector<char> SkinEnclosure::are_enclosed(const Points& x, std::span<const Index> asked) const {
    std::vector<char> is(asked.size(), 0);
    parallel_for(asked.size(), kEnclosurePiece, [&](std::size_t begin, std::size_t end) {
        std::vector<Index> candidates;
        for (std::size_t i = begin; i < end; ++i) {
            is[i] = is_enclosed(x, asked[i], candidates) ? 1 : 0;
        }
    });
    return is;
}

// Boxes are doubled until something is found, so near exits cost little.
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
    std::vector<Index> asked;
    for (Index v = 0; v < skin_vertices_; ++v) {
        if (!is_inner(v)) {
            asked.push_back(v);
        }
    }
    const std::vector<char> is_enclosed = are_enclosed(x, asked);
    std::vector<double> depth(static_cast<std::size_t>(skin_vertices_), 0.0);
    parallel_for(asked.size(), kEnclosurePiece, [&](std::size_t begin, std::size_t end) {
        std::vector<Index> candidates;
        for (std::size_t i = begin; i < end; ++i) {
            if (is_enclosed[i] != 0 && !is_excused(x, asked[i], candidates)) {
                depth[at(asked[i])] = way_out(x, asked[i], candidates);
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
