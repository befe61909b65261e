#include "sinew/energy/projective_contacts.h"

#include "sinew/energy/projective_checks.h"

#include <Eigen/Geometry>

namespace sinew {

ProjectiveContacts::ProjectiveContacts(double weight, double thickness)
    : ProjectiveConstraints(3),
      weight_(detail::checked_weight("contacts", 0, weight)),
      thickness_(detail::checked_weight("thickness of contacts", 0, thickness)) {}

void ProjectiveContacts::set_contacts(std::span<const PointTriangleContact> contacts) {
    clear();
    // Row k: from corner k to the vertex.
    const double rows[12] = {1, -1, 0, 0, 1, 0, -1, 0, 1, 0, 0, -1};
    for (const PointTriangleContact& c : contacts) {
        const Index vertices[4] = {c.vertex, c.triangle[0], c.triangle[1], c.triangle[2]};
        add(vertices, rows, weight_);
    }
    finish();
}

void ProjectiveContacts::project(std::size_t, const Rows& q, Rows& p) const {
    // Edges of the triangle are differences of the rows.
    const Vec3 e1 = (q.row(0) - q.row(1)).transpose();
    const Vec3 e2 = (q.row(0) - q.row(2)).transpose();
    const Vec3 n = e1.cross(e2);
    const double size = n.norm();
    if (!(size > 0.0)) {
        return;
    }
    const double height = q.row(0).dot(n.transpose()) / size;
    if (height < thickness_) {
        p.rowwise() += (thickness_ - height) / size * n.transpose();
    }
}

}  // namespace sinew
