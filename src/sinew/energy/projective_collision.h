#pragma once

#include "sinew/contact/pairs.h"
#include "sinew/energy/projective_constraints.h"

namespace sinew {

/// Two vertices of facing surfaces that must not pass each other.
struct CollisionPair {
    Index first = 0;
    Index second = 0;
    Vec3 normal = Vec3::UnitX();  ///< from the first's side to the second's: n_first - n_second
};

/// Pairs of vertices kept on their own sides of the plane between them: where they have passed each
/// other, both go to the plane through their middle, else nothing happens [Komaritzan, section
/// 3.2.5, in-between plane]. The list may change; see LocalGlobal::set_changing.
class ProjectiveCollisionPairs final : public ProjectiveConstraints {
public:
    explicit ProjectiveCollisionPairs(double weight);  ///< N/m

    /// @throws InputError when a normal has no length
    void set_pairs(std::span<const CollisionPair> pairs);

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;

private:
    double weight_;
    std::vector<Vec3> normal_ = {};
};

/// Vertices kept in front of triangles (on the side of their normals). Vertex and triangle move
/// relative to each other, so a common motion of both costs nothing [Komaritzan, section 3.2.5,
/// translation-invariant collision constraints].
/// Departs: the paper ties the vertex to the corners by three springs of fixed length; ours asks
/// for the vertex on the triangle's present plane, so it may slide.
class ProjectiveContacts final : public ProjectiveConstraints {
public:
    /// @param weight     N/m
    /// @param thickness  distance to keep, m, >= 0
    ProjectiveContacts(double weight, double thickness);

    void set_contacts(std::span<const PointTriangleContact> contacts);

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;

private:
    double weight_;
    double thickness_;
};

/// Vertices kept out of rigid shapes by the planes that touch these (contact/rigid_shape.h): a
/// vertex behind its plane goes to the plane, else nothing happens [Bouaziz2014, collisions].
class ProjectiveRigidContacts final : public ProjectiveConstraints {
public:
    explicit ProjectiveRigidContacts(double weight);  ///< N/m

    void set_contacts(std::span<const RigidContact> contacts);

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;

private:
    double weight_;
    std::vector<Vec3> point_ = {};
    std::vector<Vec3> normal_ = {};
};

}  // namespace sinew
