#pragma once

#include "sinew/contact/pairs.h"
#include "sinew/energy/projective_constraints.h"

namespace sinew {

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

    std::optional<std::size_t> parameter_count(TermParameter) const override {
        return 0;
    }

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;

private:
    double weight_;
    double thickness_;
};

}  // namespace sinew
