#include "sinew/contact/tet_contact.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/simplex.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/mesh/validity.h"

#include <Eigen/Geometry>

#include <cmath>
#include <limits>

namespace sinew {
namespace {

constexpr std::size_t kTetContactPiece = 32;  // vertices per piece of parallel work

double det(const Vec3& a, const Vec3& b, const Vec3& c) {
    return a.dot(b.cross(c));
}

// Barycentric coordinates when p is inside, else nothing; most candidates fail the first plane.
std::optional<Vec4> inside_tet(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c,
                               const Vec3& d) {
    const Vec3 pa = a - p;
    const Vec3 pb = b - p;
    const Vec3 pc = c - p;
    const Vec3 pd = d - p;
    const double v0 = det(pb, pc, pd);
    const double v1 = -det(pa, pc, pd);
    if (v0 * v1 < 0.0) {
        return {};
    }
    const double v2 = det(pa, pb, pd);
    const double v3 = -det(pa, pb, pc);
    const double sum = v0 + v1 + v2 + v3;
    const Vec4 w = Vec4(v0, v1, v2, v3) / sum;
    if (sum == 0.0 || !(w.minCoeff() >= 0.0)) {
        return {};
    }
    return w;
}

}  // namespace

double height_above(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 n = (b - a).cross(c - a);
    const double size = n.norm();
    return size > 0.0 ? (p - a).dot(n) / size : 0.0;
}

TetContacts::TetContacts(const TetMesh& rest, const TetContactOptions& options)
    : rest_(rest.points), tets_(rest.tets), options_(options) {
    require_valid(rest, "mesh for contacts");
    exits_ = boundary_triangles(tets_);
    surface_.emplace(rest_, exits_);
    std::vector<char> is_outside(at(rest_.rows()), 0);
    for (Eigen::Index i = 0; i < exits_.size(); ++i) {
        is_outside[at(exits_.data()[i])] = 1;
    }
    for (Index v = 0; v < rest_.rows(); ++v) {
        if (is_outside[at(v)] != 0) {
            vertices_.push_back(v);
        }
    }
    prepare();
}

TetContacts::TetContacts(const Points& rest, const Tets& tets, std::span<const Index> vertices,
                         const Triangles& exits, std::span<const Index> exit_of,
                         const TetContactOptions& options)
    : rest_(rest),
      tets_(tets),
      vertices_(vertices.begin(), vertices.end()),
      exits_(exits),
      exit_of_(exit_of.begin(), exit_of.end()),
      options_(options) {
    require_valid(TetMesh{.points = rest, .tets = tets}, "mesh for contacts");
    SINEW_ASSERT(exit_of_.size() == at(tets_.rows()), "{} exits for {} tetrahedra", exit_of_.size(),
                 tets_.rows());
    prepare();
}

void TetContacts::prepare() {
    held_.assign(vertices_.size(), -1);
    compute_boxes(rest_, tets_, 0.0, boxes_);
    tree_ = MovingTree(boxes_);
}

void TetContacts::forget() {
    held_.assign(vertices_.size(), -1);
}

Index TetContacts::exit_at(Index tet, const Vec4& barycentric) const {
    if (!exit_of_.empty()) {
        return exit_of_[at(tet)];
    }
    Vec3 material = Vec3::Zero();
    for (int k = 0; k < 4; ++k) {
        material += barycentric[k] * point(rest_, tets_(tet, k));
    }
    return surface_->closest_point(material).triangle;
}

bool TetContacts::is_neighbour(Index vertex, Index tet) const {
    const Vec3 corner[4] = {point(rest_, tets_(tet, 0)), point(rest_, tets_(tet, 1)),
                            point(rest_, tets_(tet, 2)), point(rest_, tets_(tet, 3))};
    const OnTet on =
        closest_on_tet(point(rest_, vertex), corner[0], corner[1], corner[2], corner[3]);
    return on.squared_distance < options_.neighbourhood * options_.neighbourhood;
}

bool TetContacts::is_retained(Index vertex, Index exit, const Points& x) const {
    const Vec3 a = point(x, exits_(exit, 0));
    const Vec3 b = point(x, exits_(exit, 1));
    const Vec3 c = point(x, exits_(exit, 2));
    const Vec3 p = point(x, vertex);
    const double height = height_above(p, a, b, c);
    if (!(height >= 0.0 && height < options_.retain)) {
        return false;
    }
    // Above the triangle itself, or beside it by less than what it may be above it.
    const OnTriangle on = closest_on_triangle(p, a, b, c);
    const double beside2 = on.squared_distance - height * height;
    return beside2 <= options_.retain * options_.retain;
}

// The row of exits_ through which the vertex should leave, -1 when it is in no tetrahedron.
Index TetContacts::find_exit(Index vertex, const Points& x, std::vector<Index>& candidates) const {
    const Vec3 p = point(x, vertex);
    candidates.clear();
    tree_.find_overlapping(Bounds{.low = p, .high = p}, candidates);
    Index best = -1;
    double best_depth = std::numeric_limits<double>::infinity();
    for (const Index t : candidates) {
        const auto corner = tets_.row(t);
        if (corner[0] == vertex || corner[1] == vertex || corner[2] == vertex ||
            corner[3] == vertex) {
            continue;
        }
        const std::optional<Vec4> inside = inside_tet(p, point(x, corner[0]), point(x, corner[1]),
                                                      point(x, corner[2]), point(x, corner[3]));
        if (!inside || is_neighbour(vertex, t)) {
            continue;
        }
        const Index exit = exit_at(t, *inside);
        const auto triangle = exits_.row(exit);
        if (triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex) {
            continue;
        }
        const double depth =
            -height_above(p, point(x, triangle[0]), point(x, triangle[1]), point(x, triangle[2]));
        if (depth >= 0.0 && (depth < best_depth || (depth == best_depth && exit < best))) {
            best = exit;
            best_depth = depth;
        }
    }
    return best;
}

void TetContacts::refit(const Points& x) {
    SINEW_ASSERT(x.rows() == rest_.rows(), "{} points, not {}", x.rows(), rest_.rows());
    compute_boxes(x, tets_, 0.0, boxes_);
    tree_.refit(boxes_);
}

void TetContacts::collect() {
    contacts_.clear();
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
        if (held_[i] >= 0) {
            const auto triangle = exits_.row(held_[i]);
            contacts_.push_back({vertices_[i], {triangle[0], triangle[1], triangle[2]}});
        }
    }
}

const std::vector<PointTriangleContact>& TetContacts::find(const Points& x) {
    return find_again(x, vertices_);
}

// Places of the asked vertices among those that may collide; both lists ascend.
std::vector<std::size_t> TetContacts::places_of(std::span<const Index> asked) const {
    std::vector<std::size_t> places;
    places.reserve(asked.size());
    auto next = asked.begin();
    for (std::size_t i = 0; i < vertices_.size() && next != asked.end(); ++i) {
        while (next != asked.end() && *next < vertices_[i]) {
            ++next;
        }
        if (next != asked.end() && *next == vertices_[i]) {
            places.push_back(i);
        }
    }
    return places;
}

const std::vector<PointTriangleContact>& TetContacts::find_again(const Points& x,
                                                                 std::span<const Index> asked) {
    refit(x);
    const std::vector<std::size_t> places = places_of(asked);
    parallel_for(places.size(), kTetContactPiece, [&](std::size_t begin, std::size_t end) {
        std::vector<Index> candidates;
        candidates.reserve(128);
        for (std::size_t k = begin; k < end; ++k) {
            const std::size_t i = places[k];
            const Index exit = find_exit(vertices_[i], x, candidates);
            if (exit >= 0 || held_[i] < 0 || !is_retained(vertices_[i], held_[i], x)) {
                held_[i] = exit;
            }
        }
    });
    collect();
    return contacts_;
}

const std::vector<PointTriangleContact>& TetContacts::find_among(const Points& x,
                                                                 std::span<const Index> asked) {
    std::size_t next = 0;
    const std::vector<std::size_t> places = places_of(asked);
    for (std::size_t i = 0; i < held_.size(); ++i) {
        next += next < places.size() && places[next] < i ? 1 : 0;
        const bool is_asked = next < places.size() && places[next] == i;
        if (!is_asked && held_[i] >= 0 && !is_retained(vertices_[i], held_[i], x)) {
            held_[i] = -1;
        }
    }
    if (places.empty()) {
        collect();
        return contacts_;
    }
    return find_again(x, asked);
}

std::vector<TetContacts::Depth> TetContacts::depths(const Points& x) const {
    std::vector<Depth> found;
    for (const PointTriangleContact& c : contacts_) {
        const double depth = -height_above(point(x, c.vertex), point(x, c.triangle[0]),
                                           point(x, c.triangle[1]), point(x, c.triangle[2]));
        if (depth > 0.0) {
            found.push_back({c.vertex, depth});
        }
    }
    return found;
}

}  // namespace sinew
