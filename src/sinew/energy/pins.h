#pragma once

#include "sinew/energy/projective_constraints.h"

namespace sinew {

/// Springs of zero length that hold points of a body near given positions: vertices, or points
/// inside tetrahedra such as samples of bones in a mesh that does not resolve them.
///
///   E(x) = sum_i  w_i / 2 * |b_i^T x - t_i|^2      [Kadlecek2022, eq. 2.23; Saito2015, eq. 5]
///
/// b_i are the barycentric coordinates of point i, a single one for a vertex; t_i is its target.
/// Positions that must be met exactly are taken out of the unknowns (solver/vertex_constraints.h,
/// fixed vertices of LocalGlobal).
class Pins final : public ProjectiveConstraints {
public:
    struct Pin {
        Index vertex;
        Vec3 target;       ///< m
        double stiffness;  ///< w, N/m, >= 0
    };
    explicit Pins(std::span<const Pin> pins);

    /// @param targets  one row per vertex of the list, m
    /// @param weights  one per vertex of the list, N/m, >= 0
    Pins(std::span<const Index> vertices, const Points& targets, std::span<const double> weights);

    /// @param corners      row i: the four vertices of the tetrahedron around point i
    /// @param barycentric  row i: its barycentric coordinates, sum 1
    /// @param targets      row i: t_i, m
    /// @param weights      one per point, N/m, >= 0
    Pins(const Tets& corners,
         const Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>& barycentric,
         const Points& targets, std::span<const double> weights);

    /// Moves the targets; the matrix stays.
    void set_targets(const Points& targets);
    const Points& targets() const {
        return targets_;
    }

    /// By targets: d2E / dx dt = -w b.
    std::optional<std::size_t> parameter_count(TermParameter parameter) const override;
    void add_mixed_product(const Points& x, TermParameter parameter, std::span<const double> dp,
                           Points& out) const override;
    void add_mixed_adjoint(const Points& x, TermParameter parameter, const Points& w,
                           std::span<double> out) const override;

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;
    void derivative(std::size_t i, const Rows& q, RowsDerivative& D) const override;
    bool has_hessian() const override {
        return true;
    }

private:
    Points targets_;
};

}  // namespace sinew
