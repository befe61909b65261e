#include "sinew/skinning/skin_contacts.h"

#include "sinew/geometry/measure.h"
#include "sinew/geometry/simplex.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

// Contacts of the skin with itself and with rigid shapes [Komaritzan, section 3.2.5, global
// collisions]. Finding them takes three questions, each cheaper than the next: is the vertex
// enclosed by the skin (rays, skin_enclosure.h); in which tetrahedron of flesh does it lie, hence
// through which triangle should it leave (contact/tet_contact.h); is that exit believable
// (choose_way_out).
//
// An exit is not believed where it would lead out on the far side of the vertex' own limb, where
// the skins do not face each other, or where the vertex is suddenly deeper than anything has moved.
// Believed, each of these gives spikes or flicker.
//
// Forces act along the triangle's normal only, in equal parts on vertex and triangle: pairs slide
// and move freely as a whole.

namespace sinew {
namespace {

// Vertices nearer than this many edges at rest never collide.
constexpr double kNeighbourhood = 2.0;
constexpr double kTetNeighbourhood = 1.0;  // the same where tetrahedra fill the skin
constexpr double kRetain = 0.25;           // of an edge [Komaritzan, section 3.2.5]
constexpr double kFacing = 0.2;            // cosine between a way out and the way back, at least
constexpr double kLongestWay = 1.2;        // back out of a limb, in its radii
constexpr double kAirAhead = 1e-3;  // of an edge: how far in front of a vertex air is looked for
constexpr double kSudden = 2.0;     // edges that a new contact may be deep, and how far it moved
constexpr double kFewMoved = 0.1;   // of the vertices: then it pays to look only around them
constexpr double kFlatTet = 1e-6;   // tetrahedra flatter than this at rest hold nothing

// For contacts, flesh reaches down to the lines of the bones: with the inner surface as its bottom
// a vertex deep in a limb would be in no tetrahedron.
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
        if (!is_left_out.empty() && is_left_out[at(f)] != 0) {
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
            rows(static_cast<Eigen::Index>(t), k) = tets[t][at(k)];
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
        is_inside[at(d.vertex)] = d.depth > near;
    }
    std::vector<Index> outside = numbers(flesh.skin_vertices);
    std::erase_if(outside, [&](Index v) { return is_inside[at(v)] != 0; });
    std::vector<char> is_left_out(static_cast<std::size_t>(flesh.triangles.rows()), 0);
    for (Eigen::Index f = 0; f < flesh.triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            is_left_out[at(f)] |= is_inside[at(flesh.triangles(f, k))];
        }
    }
    return make_finder(flesh, outside, near, is_left_out);
}

}  // namespace

SkinContacts::SkinContacts(const FleshPrisms& flesh, double weight)
    : skin_vertices_(flesh.skin_vertices),
      triangles_(flesh.triangles),
      bone_of_(flesh.bone.begin(), flesh.bone.end()),
      weight_(weight),
      base_(flesh.base_points),
      points_(skin_and_base(flesh)),
      finder_(make_finder(flesh)),
      skin_rows_(numbers(flesh.skin_vertices)),
      edge_(mean_edge(flesh)),
      enclosure_(flesh, kAirAhead) {}

SkinContacts::SkinContacts(const SkinOnBones& skin, const TetMesh& flesh, double weight)
    : skin_vertices_(static_cast<Index>(skin.points.rows())),
      triangles_(skin.triangles),
      bone_of_(skin.bone.begin(), skin.bone.end()),
      weight_(weight),
      base_(skin.base_points),
      finder_(flesh, {.neighbourhood = kTetNeighbourhood * mean_edge(skin),
                      .retain = kRetain * mean_edge(skin)}),
      skin_rows_(numbers(skin_vertices_)),
      edge_(mean_edge(skin)),
      enclosure_(skin, kAirAhead) {}

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

// Where the corners of the tetrahedra are that hold vertices.
const Points& SkinContacts::flesh_at(const Points& x) {
    if (points_.rows() == 0) {
        return x;
    }
    points_.topRows(skin_vertices_) = x.topRows(skin_vertices_);
    points_.bottomRows(skin_vertices_) = base_;
    return points_;
}

void SkinContacts::find_shapes(const Points& x, std::span<const MovingShape> shapes) {
    rigid_.clear();
    for (const MovingShape& shape : shapes) {
        const std::vector<RigidContact> found = find_rigid_contacts(shape, x, 0.0, skin_rows_);
        rigid_.insert(rigid_.end(), found.begin(), found.end());
    }
}

// Within a frame the skin is seen twice, and only folds have moved in between. Around a few
// vertices a refit is cheaper than a whole one.
void SkinContacts::refit(const Points& x) {
    std::vector<Index> moved;
    for (Index i = 0; i < skin_vertices_ && i < fitted_.rows(); ++i) {
        if (x.row(i) != fitted_.row(i)) {
            moved.push_back(i);
        }
    }
    if (fitted_.rows() == 0 || static_cast<double>(moved.size()) > kFewMoved * skin_vertices_) {
        enclosure_.refit(x);
        fitted_ = x.topRows(skin_vertices_);
    } else if (!moved.empty()) {
        enclosure_.refit_around(x, moved);
        fitted_ = x.topRows(skin_vertices_);
    }
}

std::function<bool(Index)> SkinContacts::enclosed_at(const Points& x) {
    // Most frames ask nothing.
    return [this, &x, is_fitted = false](Index vertex) mutable {
        if (!is_fitted) {
            refit(x);
            is_fitted = true;
        }
        return enclosure_.is_enclosed(x, vertex, candidates_);
    };
}

void SkinContacts::find_enclosed(const Points& x) {
    refit(x);
    is_enclosed_ = enclosure_.are_enclosed(x, skin_rows_);
}

// Rays tell fast which vertices are in flesh at all.
void SkinContacts::find_itself(const Points& x) {
    find_enclosed(x);
    std::vector<Index> asked;
    auto last = contacts_.begin();
    for (Index i = 0; i < skin_vertices_; ++i) {
        last += last != contacts_.end() && last->pair.vertex < i ? 1 : 0;
        const bool has_touched = last != contacts_.end() && last->pair.vertex == i;
        if (is_enclosed_[at(i)] != 0 || has_touched) {
            asked.push_back(i);
        }
    }
    choose_ways_out(x, finder_.find_among(flesh_at(x), asked));
}

// Skins that meet face each other. Where a vertex has passed the middle of a limb its way out is
// back, not through the far side; crumpled skin without such a way does not collide.
// The order of the tests is by cost; a contact that is kept from the last frame skips the search.
void SkinContacts::choose_ways_out(const Points& x, std::span<const PointTriangleContact> found) {
    const std::vector<Contact> last = std::exchange(contacts_, {});
    std::vector<double> depth(static_cast<std::size_t>(skin_vertices_), 0.0);
    for (PointTriangleContact c : found) {
        // What is enclosed at rest (crumpled skin of a scan, the back of an eye) does not collide.
        if (!enclosure_.may_collide(c.vertex)) {
            continue;
        }
        if (!keep_triangle(x, last, c) && !choose_way_out(x, c)) {
            continue;
        }
        // Out on the far side of its own limb, a vertex would never come back.
        if (enclosure_.is_own_flesh(c.vertex, c.triangle)) {
            continue;
        }
        const double h = height_of(c, x).value;
        const OnTriangle on = closest_on_triangle(point(x, c.vertex), point(x, c.triangle[0]),
                                                  point(x, c.triangle[1]), point(x, c.triangle[2]));
        contacts_.push_back({c, on.barycentric});
        depth[at(c.vertex)] = std::max(0.0, -h);
    }
    depth_before_ = std::move(depth);
    before_ = x.topRows(skin_vertices_);
}

// The triangle through which a vertex leaves; false where it does not collide.
bool SkinContacts::choose_way_out(const Points& x, PointTriangleContact& c) {
    // Prisms of flesh that is sheared at a bent joint reach through each other.
    if (height_of(c, x).value < 0.0 && is_enclosed_[at(c.vertex)] == 0) {
        return false;
    }
    const Vec3 back = -enclosure_.normal_at(c.vertex);
    if (normal_of(x, c.triangle).dot(back) < kFacing && !find_way_back(x, back, c)) {
        return false;
    }
    return -height_of(c, x).value <= deepest_from_before(x, c);
}

// Takes the triangle of the last frame again as long as the vertex is above or below it: in creases
// several will do, and to change between them every frame would flicker.
bool SkinContacts::keep_triangle(const Points& x, std::span<const Contact> last,
                                 PointTriangleContact& c) const {
    const auto old = std::lower_bound(
        last.begin(), last.end(), c.vertex,
        [](const Contact& contact, Index vertex) { return contact.pair.vertex < vertex; });
    if (old == last.end() || old->pair.vertex != c.vertex) {
        return false;
    }
    const std::array<Index, 3>& t = old->pair.triangle;
    const double h = height_of(old->pair, x).value;
    const double beside2 =
        closest_on_triangle(point(x, c.vertex), point(x, t[0]), point(x, t[1]), point(x, t[2]))
            .squared_distance -
        h * h;
    if (beside2 > kRetain * kRetain * edge_ * edge_ || h > kRetain * edge_ ||
        -h > kSudden * edge_) {
        return false;
    }
    c = old->pair;
    return true;
}

// How deep a vertex can be: as deep as it was, and how far it and the triangle have moved against
// each other. What is suddenly deeper has the wrong way out.
// Kinematics bound the depth: what was outside and moved by d is at most d deep.
double SkinContacts::deepest_from_before(const Points& x, const PointTriangleContact& c) const {
    if (before_.rows() == 0) {
        return std::numeric_limits<double>::infinity();
    }
    const auto way = [&](Index i) { return Vec3(point(x, i) - point(before_, i)); };
    return depth_before_[at(c.vertex)] + (way(c.vertex) - way(c.triangle[0])).norm() +
           kSudden * edge_;
}

// Replaces the triangle by the nearest one of the same bone that a ray from the vertex leaves
// through, where there is one.
// A vertex beyond the middle of a limb is nearer to the far side, but it came from the near one:
// its own inward normal points to where it came from.
bool SkinContacts::find_way_back(const Points& x, const Vec3& direction,
                                 PointTriangleContact& contact) {
    const Vec3 p = point(x, contact.vertex);
    const std::size_t bone = bone_of_[at(contact.triangle[0])];
    // No further than the limb is thick: longer ways are those of crumpled skin.
    double nearest =
        kLongestWay * (point(x, contact.triangle[0]) - point(base_, contact.triangle[0])).norm();
    const Vec3 end = p + nearest * direction;
    bool is_found = false;
    enclosure_.find_overlapping({.low = p.cwiseMin(end), .high = p.cwiseMax(end)}, candidates_);
    for (const Index t : candidates_) {
        if (bone_of_[at(triangles_(t, 0))] != bone) {
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
    find_enclosed(x);
    std::vector<Index> asked;
    for (Index i = 0; i < skin_vertices_; ++i) {
        if (is_enclosed_[at(i)] != 0) {
            asked.push_back(i);
        }
    }
    const Points& flesh = flesh_at(x);
    finder_.forget();
    finder_.find_among(flesh, asked);
    std::vector<Index> all;
    for (const TetContacts::Depth& d : finder_.depths(flesh)) {
        all.push_back(d.vertex);
    }
    return all;
}

void SkinContacts::add_vertices(std::vector<Index>& vertices) const {
    for (const Contact& c : contacts_) {
        vertices.push_back(c.pair.vertex);
        vertices.insert(vertices.end(), c.pair.triangle.begin(), c.pair.triangle.end());
    }
}

void SkinContacts::forget() {
    finder_.forget();
    contacts_.clear();
    rigid_.clear();
    before_.resize(0, 3);
    fitted_.resize(0, 3);
}

void SkinContacts::add_diagonal(std::span<double> diagonal) const {
    // |a - b|^2 <= 2 |a|^2 + 2 |b|^2, and the square of a mean is at most the mean of squares.
    for (const Contact& c : contacts_) {
        diagonal[at(c.pair.vertex)] += 2.0 * weight_;
        for (std::size_t k = 0; k < 3; ++k) {
            diagonal[at(c.pair.triangle[k])] +=
                2.0 * weight_ * c.barycentric[static_cast<Eigen::Index>(k)];
        }
    }
    for (const RigidContact& c : rigid_) {
        diagonal[at(c.vertex)] += weight_;
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

void SkinContacts::push_out_of_shapes(Points& x) const {
    for (const RigidContact& c : rigid_) {
        const double h = (point(x, c.vertex) - c.point).dot(c.normal);
        if (h < 0.0) {
            x.row(c.vertex) -= (h * c.normal).transpose();
        }
    }
}

}  // namespace sinew
