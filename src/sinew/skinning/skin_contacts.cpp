#include "sinew/skinning/skin_contacts.h"

#include "sinew/geometry/measure.h"
#include "sinew/geometry/simplex.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {
namespace {

// Vertices nearer than this many edges at rest never collide.
constexpr double kNeighbourhood = 2.0;
constexpr double kRetain = 0.25;     // of an edge [Komaritzan, section 3.2.5]
constexpr double kFacing = 0.2;      // cosine between a way out and the way back, at least
constexpr double kLongestWay = 1.2;  // back out of a limb, in its radii
constexpr double kAir = 1e-3;        // of an edge: how far in front of a vertex air is looked for
constexpr double kBeyond = 1e4;      // m: no character is as large
constexpr double kFarthestExit = 16.0;  // edges
constexpr int kRings = 3;               // of neighbours that are asked again
constexpr double kFlatTet = 1e-6;       // tetrahedra flatter than this at rest hold nothing

Points skin_and_base(const FleshPrisms& flesh) {
    Points all = flesh.points;
    all.bottomRows(flesh.skin_vertices) = flesh.base_points;
    return all;
}

// Tetrahedra from the skin to the lines of the bones, so that no place inside is left out.
// @param is_left_out  triangles under which nothing collides; empty: none
TetContacts make_finder(const FleshPrisms& flesh, std::span<const Index> vertices,
                        double neighbourhood, std::span<const char> is_left_out = {}) {
    const Points rest = skin_and_base(flesh);
    const Index S = flesh.skin_vertices;
    std::vector<std::array<Index, 4>> tets;
    std::vector<Index> exit_of;
    for (Eigen::Index f = 0; f < flesh.triangles.rows(); ++f) {
        if (!is_left_out.empty() && is_left_out[static_cast<std::size_t>(f)] != 0) {
            continue;
        }
        const std::array<Index, 3> outer = {flesh.triangles(f, 0), flesh.triangles(f, 1),
                                            flesh.triangles(f, 2)};
        for (const std::array<Index, 4>& t :
             split_prism(outer, {outer[0] + S, outer[1] + S, outer[2] + S})) {
            const Vec3 a = point(rest, t[0]);
            const Vec3 u = point(rest, t[1]) - a;
            const Vec3 v = point(rest, t[2]) - a;
            const Vec3 w = point(rest, t[3]) - a;
            const double size = std::max({u.norm(), v.norm(), w.norm()});
            if (std::abs(u.dot(v.cross(w))) > kFlatTet * size * size * size) {
                tets.push_back(t);
                exit_of.push_back(static_cast<Index>(f));
            }
        }
    }
    Tets rows(static_cast<Eigen::Index>(tets.size()), 4);
    for (std::size_t t = 0; t < tets.size(); ++t) {
        for (int k = 0; k < 4; ++k) {
            rows(static_cast<Eigen::Index>(t), k) = tets[t][static_cast<std::size_t>(k)];
        }
    }
    return {rest,     rows,
            vertices, flesh.triangles,
            exit_of,  {.neighbourhood = neighbourhood, .retain = kRetain * mean_edge(flesh)}};
}

std::vector<Index> numbers(Index count) {
    std::vector<Index> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

// Parts of a scan may pass through each other at rest, and mouths and eyes have an inside: vertices
// that are deep inside then never collide, nor do their triangles.
TetContacts make_finder(const FleshPrisms& flesh) {
    const double near = kNeighbourhood * mean_edge(flesh);
    TetContacts everything = make_finder(flesh, numbers(flesh.skin_vertices), 0.0);
    const Points rest = skin_and_base(flesh);
    everything.find(rest);
    std::vector<char> is_inside(static_cast<std::size_t>(flesh.skin_vertices), 0);
    for (const TetContacts::Depth& d : everything.depths(rest)) {
        is_inside[static_cast<std::size_t>(d.vertex)] = d.depth > near;
    }
    std::vector<Index> outside = numbers(flesh.skin_vertices);
    std::erase_if(outside, [&](Index v) { return is_inside[static_cast<std::size_t>(v)] != 0; });
    std::vector<char> is_left_out(static_cast<std::size_t>(flesh.triangles.rows()), 0);
    for (Eigen::Index f = 0; f < flesh.triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            is_left_out[static_cast<std::size_t>(f)] |=
                is_inside[static_cast<std::size_t>(flesh.triangles(f, k))];
        }
    }
    return make_finder(flesh, outside, near, is_left_out);
}

}  // namespace

SkinContacts::SkinContacts(const FleshPrisms& flesh, double weight)
    : skin_vertices_(flesh.skin_vertices),
      triangles_(flesh.triangles),
      bone_of_(flesh.bone.begin(), flesh.bone.end()),
      triangles_of_vertex_(triangles_of_vertices(triangles_, skin_vertices_)),
      rest_(flesh.points.topRows(flesh.skin_vertices)),
      weight_(weight),
      base_(flesh.base_points),
      points_(skin_and_base(flesh)),
      finder_(make_finder(flesh)),
      skin_rows_(numbers(flesh.skin_vertices)),
      edge_(mean_edge(flesh)) {
    compute_boxes(points_, triangles_, 0.0, boxes_);
    tree_ = MovingTree(boxes_);
}

namespace {

// Unit normal of a triangle; of one without area, zero.
Vec3 normal_of(const Points& x, const std::array<Index, 3>& triangle) {
    const Vec3 a = point(x, triangle[0]);
    const Vec3 n = (point(x, triangle[1]) - a).cross(point(x, triangle[2]) - a);
    const double size = n.norm();
    return size > 0.0 ? Vec3(n / size) : Vec3(Vec3::Zero());
}

// Unit normal of its triangle and height of a vertex over it.
struct Height {
    Vec3 normal;
    double value;
};
Height height_of(const PointTriangleContact& pair, const Points& x) {
    const Vec3 n = normal_of(x, pair.triangle);
    return {n, (point(x, pair.vertex) - point(x, pair.triangle[0])).dot(n)};
}

// Adds a vector to the vertex and takes it from the triangle.
void add_to_pair(const PointTriangleContact& pair, const Vec3& barycentric, const Vec3& push,
                 Points& to) {
    to.row(pair.vertex) += push.transpose();
    for (std::size_t k = 0; k < 3; ++k) {
        to.row(pair.triangle[k]) -= barycentric[static_cast<Eigen::Index>(k)] * push.transpose();
    }
}

}  // namespace

void SkinContacts::copy_skin(const Points& x) {
    points_.topRows(skin_vertices_) = x.topRows(skin_vertices_);
    points_.bottomRows(skin_vertices_) = base_;
}

void SkinContacts::find_shapes(const Points& x, std::span<const MovingShape> shapes) {
    rigid_.clear();
    for (const MovingShape& shape : shapes) {
        const std::vector<RigidContact> found = find_rigid_contacts(shape, x, 0.0, skin_rows_);
        rigid_.insert(rigid_.end(), found.begin(), found.end());
    }
}

void SkinContacts::find_itself(const Points& x) {
    copy_skin(x);
    choose_ways_out(x, finder_.find(points_));
}

double SkinContacts::find_itself_again(const Points& x) {
    copy_skin(x);
    // What was moved, and its neighbours.
    std::vector<Index> asked;
    for (const Contact& c : contacts_) {
        asked.push_back(c.pair.vertex);
        asked.insert(asked.end(), c.pair.triangle.begin(), c.pair.triangle.end());
    }
    for (int ring = 0; ring < kRings; ++ring) {
        std::sort(asked.begin(), asked.end());
        asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
        for (std::size_t i = 0, count = asked.size(); i < count && ring + 1 < kRings; ++i) {
            for (const Index t : triangles_of_vertex_[static_cast<std::size_t>(asked[i])]) {
                asked.insert(asked.end(), {triangles_(t, 0), triangles_(t, 1), triangles_(t, 2)});
            }
        }
    }
    choose_ways_out(x, finder_.find_again(points_, asked));
    double deepest = 0.0;
    for (const Contact& c : contacts_) {
        deepest = std::max(deepest, -height_of(c.pair, x).value);
    }
    return deepest;
}

// Of the triangles around, by area.
Vec3 SkinContacts::normal_at(const Points& x, Index vertex) const {
    Vec3 sum = Vec3::Zero();
    for (const Index t : triangles_of_vertex_[static_cast<std::size_t>(vertex)]) {
        const Vec3 a = point(x, triangles_(t, 0));
        sum += (point(x, triangles_(t, 1)) - a).cross(point(x, triangles_(t, 2)) - a);
    }
    return sum.normalized();
}

void SkinContacts::refit_triangles(const Points& x) {
    compute_boxes(x, triangles_, 0.0, boxes_);
    tree_.refit(boxes_);
}

// Triangles that a ray along an axis leaves the body through, less those that it enters through:
// the winding number of where it starts, if the skin is closed.
int SkinContacts::crossings(const Points& x, const Vec3& p, int axis, double sign) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    Bounds ray{.low = p, .high = p};
    (sign > 0.0 ? ray.high : ray.low)[axis] += sign * kBeyond;
    candidates_.clear();
    tree_.find_overlapping(ray, candidates_);
    // On which side of an edge the ray passes; both triangles of an edge ask the same way round, so
    // that no ray slips through between them.
    const auto side = [&](Index a, Index b) {
        const bool is_turned = a > b;
        const Vec3 from = point(x, is_turned ? b : a) - p;
        const Vec3 to = point(x, is_turned ? a : b) - p;
        return (from[u] * to[v] - from[v] * to[u] >= 0.0) != is_turned;
    };
    int sum = 0;
    for (const Index t : candidates_) {
        const Index a = triangles_(t, 0);
        const Index b = triangles_(t, 1);
        const Index c = triangles_(t, 2);
        const bool is_left = side(a, b);
        if (side(b, c) != is_left || side(c, a) != is_left) {
            continue;
        }
        const Vec3 A = point(x, a);
        const Vec3 n = (point(x, b) - A).cross(point(x, c) - A);
        if (n[axis] != 0.0 && sign * n.dot(A - p) / n[axis] > 0.0) {
            sum += sign * n[axis] > 0.0 ? 1 : -1;
        }
    }
    return sum;
}

// Whether the air in front of a vertex is inside of the body: by most of three rays, since some may
// leave an open skin through a hole.
bool SkinContacts::is_inside(const Points& x, Index vertex) {
    const Vec3 n = normal_at(x, vertex);
    const Vec3 p = point(x, vertex) + kAir * edge_ * n;
    int votes = 0;
    for (int axis = 0; axis < 3; ++axis) {
        votes += crossings(x, p, axis, n[axis] < 0.0 ? -1.0 : 1.0) > 0 ? 1 : 0;
    }
    return votes >= 2;
}

SkinContacts::Nearest SkinContacts::nearest_exit(const Points& x, Index vertex) {
    const Vec3 p = point(x, vertex);
    Nearest best;
    for (double reach = edge_; best.triangle < 0 && reach < kFarthestExit * edge_; reach *= 2.0) {
        best.distance = reach;
        candidates_.clear();
        tree_.find_overlapping(
            {.low = p - Vec3::Constant(reach), .high = p + Vec3::Constant(reach)}, candidates_);
        for (const Index t : candidates_) {
            const std::array<Index, 3> corner = {triangles_(t, 0), triangles_(t, 1),
                                                 triangles_(t, 2)};
            const auto nearest = [&](const Points& at, const Vec3& from) {
                return closest_on_triangle(from, point(at, corner[0]), point(at, corner[1]),
                                           point(at, corner[2]));
            };
            const double distance = std::sqrt(nearest(x, p).squared_distance);
            const double height = (p - point(x, corner[0])).dot(normal_of(x, corner));
            const double own = kNeighbourhood * edge_;
            const bool is_nearer =
                distance < best.distance || (distance == best.distance && t < best.triangle);
            if (is_nearer && height < 0.0 &&
                nearest(rest_, point(rest_, vertex)).squared_distance >= own * own) {
                best = {t, distance};
            }
        }
    }
    return best;
}

// Skins that meet face each other. Where a vertex has passed the middle of a limb its way out is
// back, not through the far side; in crumpled skin without such a way, the nearest skin will do.
void SkinContacts::choose_ways_out(const Points& x, std::span<const PointTriangleContact> found) {
    contacts_.clear();
    if (!found.empty()) {
        refit_triangles(x);
    }
    for (PointTriangleContact c : found) {
        // Prisms of flesh that is sheared at a bent joint reach through each other.
        if (height_of(c, x).value < 0.0 && !is_inside(x, c.vertex)) {
            continue;
        }
        const Vec3 back = -normal_at(x, c.vertex);
        if (normal_of(x, c.triangle).dot(back) < kFacing) {
            if (!find_way_back(x, back, c)) {
                const Nearest exit = nearest_exit(x, c.vertex);
                if (exit.triangle >= 0) {
                    const auto corner = triangles_.row(exit.triangle);
                    c.triangle = {corner[0], corner[1], corner[2]};
                }
            }
        }
        const OnTriangle on = closest_on_triangle(point(x, c.vertex), point(x, c.triangle[0]),
                                                  point(x, c.triangle[1]), point(x, c.triangle[2]));
        contacts_.push_back({c, on.barycentric});
    }
}

// Replaces the triangle by the nearest one of the same bone that a ray from the vertex leaves
// through, where there is one.
bool SkinContacts::find_way_back(const Points& x, const Vec3& direction,
                                 PointTriangleContact& contact) {
    const Vec3 p = point(x, contact.vertex);
    const std::size_t bone = bone_of_[static_cast<std::size_t>(contact.triangle[0])];
    // No further than the limb is thick: longer ways are those of crumpled skin.
    double nearest =
        kLongestWay * (point(x, contact.triangle[0]) - point(base_, contact.triangle[0])).norm();
    const Vec3 end = p + nearest * direction;
    bool is_found = false;
    candidates_.clear();
    tree_.find_overlapping({.low = p.cwiseMin(end), .high = p.cwiseMax(end)}, candidates_);
    for (const Index t : candidates_) {
        if (bone_of_[static_cast<std::size_t>(triangles_(t, 0))] != bone) {
            continue;
        }
        const Vec3 a = point(x, triangles_(t, 0)) - p;
        const Vec3 b = point(x, triangles_(t, 1)) - p;
        const Vec3 c = point(x, triangles_(t, 2)) - p;
        // The ray passes on the inner side of all three edges.
        if (direction.dot(a.cross(b)) >= 0.0 && direction.dot(b.cross(c)) >= 0.0 &&
            direction.dot(c.cross(a)) >= 0.0) {
            const Vec3 n = (b - a).cross(c - a);
            const double along = n.dot(direction);
            const double way = along > kFacing * n.norm() ? n.dot(a) / along : -1.0;
            if (way > 0.0 && way < nearest) {
                nearest = way;
                is_found = true;
                contact.triangle = {triangles_(t, 0), triangles_(t, 1), triangles_(t, 2)};
            }
        }
    }
    return is_found;
}

std::vector<Index> SkinContacts::inside(const Points& x) {
    std::vector<Index> all;
    for (const TetContacts::Depth& d : depths(x)) {
        all.push_back(d.vertex);
    }
    return all;
}

void SkinContacts::forget() {
    finder_.forget();
    contacts_.clear();
    rigid_.clear();
}

void SkinContacts::add_diagonal(std::span<double> diagonal) const {
    // |a - b|^2 <= 2 |a|^2 + 2 |b|^2, and the square of a mean is at most the mean of squares.
    for (const Contact& c : contacts_) {
        diagonal[static_cast<std::size_t>(c.pair.vertex)] += 2.0 * weight_;
        for (std::size_t k = 0; k < 3; ++k) {
            diagonal[static_cast<std::size_t>(c.pair.triangle[k])] +=
                2.0 * weight_ * c.barycentric[static_cast<Eigen::Index>(k)];
        }
    }
    for (const RigidContact& c : rigid_) {
        diagonal[static_cast<std::size_t>(c.vertex)] += weight_;
    }
}

void SkinContacts::add_force(const Points& x, Points& force) const {
    for (const Contact& c : contacts_) {
        const Height h = height_of(c.pair, x);
        if (h.value < 0.0) {
            add_to_pair(c.pair, c.barycentric, -weight_ * h.value * h.normal, force);
        }
    }
    for (const RigidContact& c : rigid_) {
        const double h = (point(x, c.vertex) - c.point).dot(c.normal);
        if (h < 0.0) {
            force.row(c.vertex) -= (weight_ * h * c.normal).transpose();
        }
    }
}

void SkinContacts::push_apart(Points& x) const {
    for (const Contact& c : contacts_) {
        const Height h = height_of(c.pair, x);
        if (h.value < 0.0) {
            const double both = 1.0 + c.barycentric.squaredNorm();
            add_to_pair(c.pair, c.barycentric, -h.value / both * h.normal, x);
        }
    }
    for (const RigidContact& c : rigid_) {
        const double h = (point(x, c.vertex) - c.point).dot(c.normal);
        if (h < 0.0) {
            x.row(c.vertex) -= (h * c.normal).transpose();
        }
    }
}

std::vector<TetContacts::Depth> SkinContacts::depths(const Points& x) {
    copy_skin(x);
    finder_.forget();
    finder_.find(points_);
    std::vector<TetContacts::Depth> all = finder_.depths(points_);
    refit_triangles(x);
    std::erase_if(all, [&](const TetContacts::Depth& d) { return !is_inside(x, d.vertex); });
    for (TetContacts::Depth& d : all) {
        const Nearest exit = nearest_exit(x, d.vertex);
        d.depth = exit.triangle < 0 ? d.depth : std::min(d.depth, exit.distance);
    }
    return all;
}

}  // namespace sinew
