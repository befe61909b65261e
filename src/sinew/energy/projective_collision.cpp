#include "sinew/energy/projective_collision.h"

#include "sinew/energy/projective_checks.h"

#include <Eigen/Geometry>

namespace sinew {

ProjectiveCollisionPairs::ProjectiveCollisionPairs(double weight)
    : ProjectiveConstraints(2), weight_(detail::checked_weight("collision pairs", 0, weight)) {}

void ProjectiveCollisionPairs::set_pairs(std::span<const CollisionPair> pairs) {
    clear();
    normal_.clear();
    const double rows[4] = {1.0, 0.0, 0.0, 1.0};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double length = pairs[i].normal.norm();
        if (!(length > 0.0)) {
            throw InputError({.where = fmt::format("collision pair {}", i),
                              .found = "a normal without length",
                              .needs = "the direction from the first side to the second",
                              .remedy = "leave out pairs whose normals cancel"});
        }
        normal_.push_back(pairs[i].normal / length);
        const Index vertices[2] = {pairs[i].first, pairs[i].second};
        add(vertices, rows, weight_);
    }
}

void ProjectiveCollisionPairs::project(std::size_t i, const Rows& q, Rows& p) const {
    // Half of how far the first has passed the second.
    const double passed = 0.5 * (q.row(0) - q.row(1)).dot(normal_[i].transpose());
    if (passed > 0.0) {
        p.row(0) = q.row(0) - passed * normal_[i].transpose();
        p.row(1) = q.row(1) + passed * normal_[i].transpose();
    }
}

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

ProjectiveRigidContacts::ProjectiveRigidContacts(double weight)
    : ProjectiveConstraints(1), weight_(detail::checked_weight("rigid contacts", 0, weight)) {}

void ProjectiveRigidContacts::set_contacts(std::span<const RigidContact> contacts) {
    clear();
    point_.clear();
    normal_.clear();
    const double row[1] = {1.0};
    for (const RigidContact& c : contacts) {
        point_.push_back(c.point);
        normal_.push_back(c.normal);
        add({&c.vertex, 1}, row, weight_);
    }
}

void ProjectiveRigidContacts::project(std::size_t i, const Rows& q, Rows& p) const {
    const double height = (q.row(0) - point_[i].transpose()).dot(normal_[i].transpose());
    if (height < 0.0) {
        p.row(0) = q.row(0) - height * normal_[i].transpose();
    }
}

}  // namespace sinew
