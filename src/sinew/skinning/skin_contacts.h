#pragma once

#include "sinew/contact/rigid_shape.h"
#include "sinew/contact/tet_contact.h"
#include "sinew/skinning/skin_enclosure.h"
#include "sinew/skinning/skin_on_bones.h"

#include <functional>
#include <span>
#include <vector>

namespace sinew {

/// Contacts of a skin with rigid shapes and with itself, as forces.
///
/// A vertex below the surface of a shape is pushed to it: E = w / 2 |max(0, -h)|^2 with its height
/// h over the plane that touches the shape where it is nearest. A vertex inside the flesh leaves it
/// through the triangle whose prism it is in: h is its height over that triangle, which is pushed
/// back by as much. Pairs are kept while h is less than a quarter of an edge, so contacts at rest
/// do not flicker [Komaritzan, section 3.2.5].
/// Departs: prisms of flesh that is sheared at a bent joint reach through each other and hold
/// vertices that lie in the open, so a vertex collides only where the winding number of the skin
/// says that the air in front of it is inside. Heights instead of springs to the corners of the
/// triangle: both let pairs move freely as a whole; heights also let them slide. A contact that is
/// new and deeper than the skins can have moved since the last frame has the wrong way out and is
/// left alone; with it held poses flickered.
class SkinContacts {
public:
    SkinContacts(const FleshPrisms& flesh, double weight);
    /// A skin on flesh of tetrahedra instead of prisms, whose first vertices are those of the skin:
    /// a vertex leaves through the skin that is nearest at rest to the flesh it is in, and from
    /// then on through the same triangle while it is above or below it.
    SkinContacts(const SkinOnBones& skin, const TetMesh& flesh, double weight);

    /// Where the base points are now, to be filled before contacts are sought.
    Points& base() {
        return base_;
    }
    /// Contacts of the skin (the first rows of x) with the shapes.
    void find_shapes(const Points& x, std::span<const MovingShape> shapes);
    /// Asks at x which vertices the skin encloses: valid while x stays as it is.
    std::function<bool(Index)> enclosed_at(const Points& x);
    /// Contacts of the skin with itself. On tetrahedra, x has rows for all of them.
    void find_itself(const Points& x);
    /// Drops all contacts, also those that were kept.
    void forget();
    int count() const {
        return static_cast<int>(rigid_.size() + contacts_.size());
    }
    /// Appends all vertices of contacts of the skin with itself.
    void add_vertices(std::vector<Index>& vertices) const;
    /// Vertices inside of the skin, ascending: of the tetrahedra between the skin and the lines of
    /// the bones [Komaritzan, section 3.2.5], and by the winding number of the skin in front of
    /// them. What is near or inside at rest does not count.
    std::vector<Index> inside(const Points& x);
    /// What the contacts add to the diagonal of the system: with it every step lowers the energy.
    void add_diagonal(std::span<double> diagonal) const;
    void add_force(const Points& x, Points& force) const;
    /// Moves what is in contact with shapes to their surface.
    void push_out_of_shapes(Points& x) const;

private:
    struct Contact {
        PointTriangleContact pair;
        Vec3 barycentric;  // of the nearest point of the triangle
    };
    const Points& flesh_at(const Points& x);
    void refit(const Points& x);
    void find_enclosed(const Points& x);
    void choose_ways_out(const Points& x, std::span<const PointTriangleContact> found);
    bool choose_way_out(const Points& x, PointTriangleContact& contact);
    bool keep_triangle(const Points& x, std::span<const Contact> last,
                       PointTriangleContact& contact) const;
    double deepest_from_before(const Points& x, const PointTriangleContact& contact) const;
    bool find_way_back(const Points& x, const Vec3& direction, PointTriangleContact& contact);

    Index skin_vertices_;
    Triangles triangles_;
    std::vector<std::size_t> bone_of_;  // of each vertex of the skin
    double weight_;
    Points base_ = Points(0, 3);
    Points points_ = Points(0, 3);  // skin, then base points; no rows on tetrahedra
    TetContacts finder_;
    std::vector<Index> candidates_ = {};
    std::vector<Contact> contacts_ = {};
    std::vector<RigidContact> rigid_ = {};
    std::vector<Index> skin_rows_ = {};
    double edge_ = 0.0;  // mean length, m
    SkinEnclosure enclosure_;
    Points fitted_ = Points(0, 3);        // where the enclosure has seen the skin; no rows: nowhere
    std::vector<char> is_enclosed_ = {};  // each vertex, when contacts with itself were sought last
    // The skin where contacts were sought last, no rows after `forget`, and how deep its vertices
    // were, m.
    Points before_ = Points(0, 3);
    std::vector<double> depth_before_ = {};
};

}  // namespace sinew
