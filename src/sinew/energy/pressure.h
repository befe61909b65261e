#pragma once

#include "sinew/energy/energy_term.h"

#include <vector>

namespace sinew {

/// Triangles with three nodes (corners), or six: corners, then the middles of edges 01, 12, 20.
/// Counter-clockwise seen from outside.
using SurfaceNodes = Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A pressure that follows the surface: its force stays normal to it and grows with its area.
///
///   f_i = -p sum_q w_q N_i(q) (x_,xi x x_,eta)(q)      [BonetWood1997, section on pressure forces]
///
/// Positive pressure pushes on the body. Around a closed surface it has a potential, p times the
/// volume; at a free border it has none. So the value is zero, and `work` gives what it does along
/// a step; the Hessian is the symmetric part of its derivative.
class Pressure final : public EnergyTerm {
public:
    /// @param pressure  Pa, one per triangle
    Pressure(SurfaceNodes triangles, std::vector<double> pressure);

    /// Every pressure times this.
    void set_factor(double factor) {
        factor_ = factor;
    }

    TermOffers offers() const override {
        return {.hessian = true, .has_potential = false};
    }
    double value(const Points& x) const override;
    double work(const Points& from, const Points& to) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    /// Departs: asked for a positive semidefinite matrix it adds nothing; the elastic terms' alone
    /// is one, and what a pressure takes away from it is small.
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;
    std::optional<std::size_t> parameter_count(TermParameter) const override {
        return 0;
    }

private:
    SurfaceNodes triangles_;
    std::vector<double> pressure_;
    double factor_ = 1.0;
};

/// A force per undeformed area, N/m^2 (one row per triangle), as forces on `nodes` nodes, N: a
/// third of it to each corner, or to each middle where there are any.
Points traction_forces(const SurfaceNodes& triangles, const Points& rest, const Points& traction);
/// Areas of triangles by their corners, m^2.
std::vector<double> surface_areas(const SurfaceNodes& triangles, const Points& x);

}  // namespace sinew
