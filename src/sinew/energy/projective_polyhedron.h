#pragma once

#include "sinew/energy/projective_constraints.h"
#include "sinew/mesh/connectivity.h"

namespace sinew {

/// Stretch that a polyhedron may take along one direction before it resists; (1, 1) resists at
/// once.
struct StretchLimits {
    double low = 1.0;   ///< > 0
    double high = 1.0;  ///< >= low
};

/// Strain of polyhedra such as the prisms between a skin and a bone surface, free to stretch along
/// one direction within limits.
///
///   E(x) = sum_p  w_p / 2 * |F_p - R_p B_p diag(1, 1, a_p) B_p^T|^2      [Komaritzan, eq. 4.8]
///
/// F_p is the linear map that fits the deformed corners best [Komaritzan, eq. 2.18], B_p turns the
/// z axis to the free direction, a_p is the present stretch along it, clamped to the limits.
/// Departs: R_p and a_p are the best pair for F_p, found by turns; the paper takes the rotation of
/// F_p's polar decomposition, which need not be nearest and lets the energy rise now and then.
class ProjectivePolyhedron final : public ProjectiveConstraints {
public:
    /// @param corners     of each polyhedron, at least 4, not in a plane at rest
    /// @param directions  free direction of each at rest, any length > 0
    /// @param weights     N m; volume times stiffness
    /// @throws InputError when the corners of a polyhedron lie in a plane
    ProjectivePolyhedron(const Points& rest, const Lists& corners, const Points& directions,
                         std::span<const double> weights, const StretchLimits& limits);

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;

private:
    std::vector<Vec3> direction_;
    StretchLimits limits_;
};

}  // namespace sinew
