#include "sinew/meshing/edit_mesh.h"

#include "sinew/geometry/surface_tree.h"
#include "sinew/meshing/intersections.h"

#include <algorithm>
#include <iterator>

namespace sinew {

namespace {

Vec3 normal_of(const Vec3& a, const Vec3& b, const Vec3& c) {
    return (b - a).cross(c - a);
}

// A triangle may change its direction by up to about 75 degrees in one step, and not lose all area.
bool turns_over(const Vec3& before, const Vec3& after) {
    constexpr double kLeastCosine = 0.25;
    return !(before.dot(after) > kLeastCosine * before.norm() * after.norm()) ||
           after.norm() == 0.0;
}

// Height over length, 0.87 for equilateral triangles.
double thickness(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double longest =
        std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    return longest > 0.0 ? normal_of(a, b, c).norm() / longest : 0.0;
}

// Thin triangles are not made, unless thinner ones go.
constexpr double kThin = 0.02;

}  // namespace

EditMesh::EditMesh(const TriangleMesh& mesh)
    : points_(static_cast<std::size_t>(mesh.points.rows())),
      around_(static_cast<std::size_t>(mesh.points.rows())) {
    for (std::size_t v = 0; v < points_.size(); ++v) {
        points_[v] = point(mesh.points, static_cast<Eigen::Index>(v));
    }
    for (Index t = 0; t < mesh.triangles.rows(); ++t) {
        triangles_.push_back({mesh.triangles(t, 0), mesh.triangles(t, 1), mesh.triangles(t, 2)});
        link(t);
    }
    alive_ = static_cast<Index>(mesh.triangles.rows());
}

void EditMesh::link(Index triangle) {
    for (const Index v : corners(triangle)) {
        around_[static_cast<std::size_t>(v)].push_back(triangle);
    }
}

void EditMesh::unlink(Index triangle) {
    for (const Index v : corners(triangle)) {
        std::vector<Index>& list = around_[static_cast<std::size_t>(v)];
        list.erase(std::find(list.begin(), list.end(), triangle));
    }
}

Vec3 EditMesh::normal(Index triangle) const {
    const Corners& c = corners(triangle);
    return normal_of(position(c[0]), position(c[1]), position(c[2]));
}

std::vector<Index> EditMesh::neighbours(Index vertex) const {
    std::vector<Index> list;
    find_neighbours(vertex, list);
    return list;
}

void EditMesh::find_neighbours(Index vertex, std::vector<Index>& list) const {
    list.clear();
    for (const Index t : triangles_at(vertex)) {
        for (const Index v : corners(t)) {
            if (v != vertex) {
                list.push_back(v);
            }
        }
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

bool EditMesh::is_border(Index vertex) const {
    thread_local std::vector<Index> around;
    find_neighbours(vertex, around);
    // A closed fan has as many triangles as neighbours.
    return around.size() != triangles_at(vertex).size();
}

std::array<Index, 2> EditMesh::on_edge(Index a, Index b) const {
    std::array<Index, 2> found = {-1, -1};
    for (const Index t : triangles_at(a)) {
        const Corners& c = corners(t);
        for (std::size_t k = 0; k < 3; ++k) {
            if (c[k] == a && c[(k + 1) % 3] == b) {
                found[0] = t;
            } else if (c[k] == b && c[(k + 1) % 3] == a) {
                found[1] = t;
            }
        }
    }
    return found;
}

Index EditMesh::opposite(Index triangle, Index a, Index b) const {
    const Corners& c = corners(triangle);
    return c[0] != a && c[0] != b ? c[0] : (c[1] != a && c[1] != b ? c[1] : c[2]);
}

bool EditMesh::can_collapse(Index keep, Index gone, const Vec3& target) const {
    const std::array<Index, 2> sides = on_edge(keep, gone);
    const int faces = (sides[0] >= 0) + (sides[1] >= 0);
    if (faces == 0) {
        return false;
    }
    thread_local std::vector<Index> a, b, common;  // memory that is used again
    find_neighbours(keep, a);
    find_neighbours(gone, b);
    const bool keep_is_border = a.size() != triangles_at(keep).size();
    const bool gone_is_border = b.size() != triangles_at(gone).size();
    if (keep_is_border && gone_is_border && faces == 2) {
        return false;  // would pinch the surface between two borders
    }
    // Link condition: the ends have no common neighbours but those across the edge.
    common.clear();
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    if (static_cast<int>(common.size()) != faces) {
        return false;
    }
    for (const Index v : common) {
        // A vertex of three triangles would be left with two on each other; on a border, of one
        // with none.
        const std::size_t fan = triangles_at(v).size();
        if (fan < 4 && (fan < 2 || !is_border(v))) {
            return false;
        }
    }
    if (faces == 1 && triangles_at(keep).size() + triangles_at(gone).size() <= 2) {
        return false;
    }
    const auto stays_upright = [&](Index moved) {
        for (const Index t : triangles_at(moved)) {
            if (t == sides[0] || t == sides[1]) {
                continue;
            }
            const Corners& c = corners(t);
            std::array<Vec3, 3> p;
            for (std::size_t k = 0; k < 3; ++k) {
                p[k] = c[k] == moved ? target : position(c[k]);
            }
            // What has no direction yet cannot lose it.
            if (is_degenerate(position(c[0]), position(c[1]), position(c[2]))) {
                continue;
            }
            const double after = thickness(p[0], p[1], p[2]);
            if (turns_over(normal(t), normal_of(p[0], p[1], p[2])) ||
                (after < kThin &&
                 after < thickness(position(c[0]), position(c[1]), position(c[2])))) {
                return false;
            }
        }
        return true;
    };
    return stays_upright(gone) && (target == position(keep) || stays_upright(keep));
}

void EditMesh::collapse(Index keep, Index gone, const Vec3& target) {
    for (const Index t : on_edge(keep, gone)) {
        if (t >= 0) {
            unlink(t);
            triangles_[static_cast<std::size_t>(t)] = {-1, -1, -1};
            --alive_;
        }
    }
    std::vector<Index>& moved = around_[static_cast<std::size_t>(gone)];
    for (const Index t : moved) {
        for (Index& v : triangles_[static_cast<std::size_t>(t)]) {
            v = v == gone ? keep : v;
        }
        around_[static_cast<std::size_t>(keep)].push_back(t);
    }
    moved.clear();
    set_position(keep, target);
}

bool EditMesh::flip(Index a, Index b) {
    const std::array<Index, 2> sides = on_edge(a, b);
    if (sides[0] < 0 || sides[1] < 0) {
        return false;
    }
    const Index c = opposite(sides[0], a, b);
    const Index d = opposite(sides[1], a, b);
    const std::array<Index, 2> other = on_edge(c, d);
    if (c == d || other[0] >= 0 || other[1] >= 0 || triangles_at(a).size() < 4 ||
        triangles_at(b).size() < 4) {
        return false;
    }
    // a b c and b a d become a d c and d b c.
    const Vec3 sum = normal(sides[0]) + normal(sides[1]);
    const Vec3 first = normal_of(position(a), position(d), position(c));
    const Vec3 second = normal_of(position(d), position(b), position(c));
    if (turns_over(sum, first) || turns_over(sum, second) || turns_over(first, second)) {
        return false;
    }
    const double after = std::min(thickness(position(a), position(d), position(c)),
                                  thickness(position(d), position(b), position(c)));
    const double before = std::min(thickness(position(a), position(b), position(c)),
                                   thickness(position(b), position(a), position(d)));
    if (after < kThin && after <= before) {
        return false;
    }
    unlink(sides[0]);
    unlink(sides[1]);
    triangles_[static_cast<std::size_t>(sides[0])] = {a, d, c};
    triangles_[static_cast<std::size_t>(sides[1])] = {d, b, c};
    link(sides[0]);
    link(sides[1]);
    return true;
}

Index EditMesh::split(Index a, Index b, const Vec3& at) {
    const std::array<Index, 2> sides = on_edge(a, b);
    const Index middle = vertex_count();
    points_.push_back(at);
    around_.emplace_back();
    for (const Index t : sides) {
        if (t < 0) {
            continue;
        }
        Corners first = corners(t);
        Corners second = first;
        std::replace(first.begin(), first.end(), b, middle);
        std::replace(second.begin(), second.end(), a, middle);
        unlink(t);
        triangles_[static_cast<std::size_t>(t)] = first;
        link(t);
        triangles_.push_back(second);
        link(triangle_count() - 1);
        ++alive_;
    }
    return middle;
}

TriangleMesh EditMesh::result(std::vector<Index>* vertex_of) const {
    std::vector<Index> number(points_.size(), -1);
    std::vector<Index> old;
    for (std::size_t v = 0; v < points_.size(); ++v) {
        if (!around_[v].empty()) {
            number[v] = static_cast<Index>(old.size());
            old.push_back(static_cast<Index>(v));
        }
    }
    TriangleMesh mesh;
    mesh.points.resize(static_cast<Eigen::Index>(old.size()), 3);
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        mesh.points.row(i) = position(old[static_cast<std::size_t>(i)]).transpose();
    }
    mesh.triangles.resize(alive_, 3);
    Eigen::Index row = 0;
    for (const Corners& c : triangles_) {
        if (c[0] >= 0) {
            mesh.triangles.row(row++) << number[static_cast<std::size_t>(c[0])],
                number[static_cast<std::size_t>(c[1])], number[static_cast<std::size_t>(c[2])];
        }
    }
    if (vertex_of) {
        *vertex_of = std::move(old);
    }
    return mesh;
}

void transfer_point_data(const TriangleMesh& from, TriangleMesh& to) {
    to.point_data.clear();
    if (from.point_data.empty() || from.triangles.rows() == 0) {
        return;
    }
    const std::vector<ClosestPoint> nearest = SurfaceTree(from).closest_points(to.points);
    for (const Attribute& a : from.point_data) {
        Attribute carried{a.name, a.components, {}, a.unit};
        const auto n = static_cast<std::size_t>(a.components);
        carried.values.assign(nearest.size() * n, 0.0);
        for (std::size_t i = 0; i < nearest.size(); ++i) {
            for (int k = 0; k < 3; ++k) {
                const auto v = static_cast<std::size_t>(from.triangles(nearest[i].triangle, k));
                for (std::size_t c = 0; c < n; ++c) {
                    carried.values[i * n + c] += nearest[i].barycentric[k] * a.values[v * n + c];
                }
            }
        }
        to.point_data.push_back(std::move(carried));
    }
}

}  // namespace sinew
