#pragma once

#include "sinew/energy/projective_constraints.h"
#include "sinew/mesh/triangle_mesh.h"

namespace sinew {

/// Resistance of a surface to bending: the Laplacian keeps its length and may rotate.
///
///   E(x) = sum_i  w A_i / 2 * |Lap x_i - R_i Lap rest_i|^2      [Komaritzan, eq. 2.17]
///
/// over vertices that are not on a border, with cotangent weights and Voronoi areas of the rest
/// surface. The best R_i rotates Lap rest_i onto Lap x_i, so the projection rescales.
class ProjectiveBending final : public ProjectiveConstraints {
public:
    /// @param weights  one per vertex, N m
    ProjectiveBending(const Points& rest, const Triangles& triangles,
                      std::span<const double> weights);

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;
    void derivative(std::size_t i, const Rows& q, RowsDerivative& D) const override;
    bool has_hessian() const override {
        return true;
    }

private:
    std::vector<Vec3> rest_laplacian_;
};

}  // namespace sinew
