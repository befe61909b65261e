#pragma once

#include "sinew/energy/projective_constraints.h"

namespace sinew {

/// Resistance of triangles to stretch and shear in their plane; bending costs nothing.
///
///   E(x) = sum_t  w_t A_t / 2 * |F - P|^2,   F 3x2, P the nearest with orthonormal columns
///
/// the two-dimensional sibling of the tetrahedron strain [Bouaziz2014, strain constraint].
class ProjectiveTriangleStrain final : public ProjectiveConstraints {
public:
    /// @param weights      one per triangle, N/m
    /// @throws InputError  when a rest triangle has no area
    ProjectiveTriangleStrain(const Points& rest, const Triangles& triangles,
                             std::span<const double> weights);

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;
};

}  // namespace sinew
