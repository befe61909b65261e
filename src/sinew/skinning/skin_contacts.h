#pragma once

#include "sinew/contact/rigid_shape.h"
#include "sinew/contact/tet_contact.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/skinning/flesh_prisms.h"

#include <span>
#include <vector>

namespace sinew {

/// Contacts of a skin with rigid shapes and with itself, as forces, and how deep the skin lies
/// inside of itself.
///
/// A vertex below the surface of a shape is pushed to it: E = w / 2 |max(0, -h)|^2 with its height
/// h over the plane that touches the shape where it is nearest. A vertex inside the flesh leaves it
/// through the triangle whose prism it is in: h is its height over that triangle, which is pushed
/// back by as much. Pairs are kept while h is less than a quarter of an edge, so contacts at rest
/// do not flicker [Komaritzan, section 3.2.5].
/// Departs: prisms of flesh that is sheared at a bent joint reach through each other and hold
/// vertices that lie in the open, so a vertex collides only where the winding number of the skin
/// says that the air in front of it is inside. Heights instead of springs to the corners of the
/// triangle: both let pairs move freely as a whole; heights also let them slide.
class SkinContacts {
public:
    SkinContacts(const FleshPrisms& flesh, double weight);

    /// Where the base points are now, to be filled before `depths`.
    Points& base() {
        return base_;
    }
    /// Contacts of the skin (the first rows of x) with the shapes.
    void find_shapes(const Points& x, std::span<const MovingShape> shapes);
    /// Contacts of the skin with itself.
    void find_itself(const Points& x);
    /// The same after `push_apart` alone has moved the skin: looks only around the contacts.
    /// Returns how deep the deepest is, m, >= 0.
    double find_itself_again(const Points& x);
    /// Drops all contacts, also those that were kept.
    void forget();
    int count() const {
        return static_cast<int>(rigid_.size() + contacts_.size());
    }
    /// Vertices inside of the skin, ascending.
    std::vector<Index> inside(const Points& x);
    /// What the contacts add to the diagonal of the system: with it every step lowers the energy.
    void add_diagonal(std::span<double> diagonal) const;
    void add_force(const Points& x, Points& force) const;
    /// Moves what is in contact to the surface, one contact after the other.
    void push_apart(Points& x) const;

    /// Depths of skin vertices below the skin, m, where they are inside of the character: of the
    /// tetrahedra between the skin and the lines of the bones [Komaritzan, section 3.2.5], and by
    /// the winding number of the skin in front of them. What is near or inside at rest does not
    /// count. The depth is that below the tetrahedron's triangle, or the distance to the nearest
    /// skin that faces away, whichever is less.
    std::vector<TetContacts::Depth> depths(const Points& x);

private:
    struct Contact {
        PointTriangleContact pair;
        Vec3 barycentric;  // of the nearest point of the triangle
    };
    void copy_skin(const Points& x);
    void choose_ways_out(const Points& x, std::span<const PointTriangleContact> found);
    Vec3 normal_at(const Points& x, Index vertex) const;
    // The nearest triangle in front of a vertex that is inside: beyond its own neighbourhood, and
    // facing away.
    struct Nearest {
        Index triangle = -1;
        double distance = 0.0;  // m
    };
    void refit_triangles(const Points& x);
    int crossings(const Points& x, const Vec3& p, int axis, double sign);
    bool is_inside(const Points& x, Index vertex);
    Nearest nearest_exit(const Points& x, Index vertex);
    bool find_way_back(const Points& x, const Vec3& direction, PointTriangleContact& contact);

    Index skin_vertices_;
    Triangles triangles_;
    std::vector<std::size_t> bone_of_;  // of each vertex of the skin
    Lists triangles_of_vertex_;
    Points rest_ = Points(0, 3);
    double weight_;
    Points base_ = Points(0, 3);
    Points points_ = Points(0, 3);  // skin, then base points
    TetContacts finder_;
    MovingTree tree_ = {};  // of the triangles, for ways back
    std::vector<Bounds> boxes_ = {};
    std::vector<Index> candidates_ = {};
    std::vector<Contact> contacts_ = {};
    std::vector<RigidContact> rigid_ = {};
    std::vector<Index> skin_rows_ = {};
    double edge_ = 0.0;  // mean length, m
};

}  // namespace sinew
