#pragma once

#include "sinew/contact/rigid_shape.h"
#include "sinew/contact/tet_contact.h"
#include "sinew/skinning/flesh_prisms.h"

#include <span>
#include <vector>

namespace sinew {

/// Contacts of a skin with rigid shapes, as forces, and how deep the skin lies inside of itself.
///
/// A vertex below the surface of a shape is pushed to it: E = w / 2 |max(0, -h)|^2 with its height
/// h over the plane that touches the shape where it is nearest.
class SkinContacts {
public:
    SkinContacts(const FleshPrisms& flesh, double weight);

    /// Where the base points are now, to be filled before `depths`.
    Points& base() {
        return base_;
    }
    /// Contacts of the skin (the first rows of x) with the shapes.
    void find(const Points& x, std::span<const MovingShape> shapes);
    int count() const {
        return static_cast<int>(rigid_.size());
    }
    /// What the contacts add to the diagonal of the system: with it every step lowers the energy.
    std::span<const double> diagonal(std::size_t unknowns);
    void add_force(const Points& x, Points& force) const;

    /// Depths of skin vertices below the skin, m, where they are inside of the character: of the
    /// tetrahedra between the skin and the lines of the bones [Komaritzan, section 3.2.5]. What is
    /// near at rest does not count.
    std::vector<double> depths(const Points& x);

private:
    Index skin_vertices_;
    double weight_;
    Points base_ = Points(0, 3);
    Points points_ = Points(0, 3);  // skin, then base points
    TetContacts finder_;
    std::vector<RigidContact> rigid_ = {};
    std::vector<double> diagonal_ = {};
    std::vector<Index> skin_rows_ = {};
};

}  // namespace sinew
