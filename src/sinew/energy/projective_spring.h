#pragma once

#include "sinew/energy/projective_constraints.h"
#include "sinew/mesh/connectivity.h"

namespace sinew {

/// Springs between vertices.
///   E(x) = sum_i  w_i / 2 * (|x_b - x_a| - L_i)^2      [Komaritzan, section 2.2.1, spring
///   constraint]
class ProjectiveSpring final : public ProjectiveConstraints {
public:
    /// @param edges    row i: a, b
    /// @param lengths  L_i, m, >= 0
    /// @param weights  N/m; give stiffness * rest length where results must not depend on
    /// resolution
    ProjectiveSpring(const Edges& edges, std::span<const double> lengths,
                     std::span<const double> weights);

    /// Changes rest lengths; the matrix stays.
    void set_lengths(std::span<const double> lengths);

    std::optional<std::size_t> parameter_count(TermParameter) const override {
        return 0;
    }

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;
    void derivative(std::size_t i, const Rows& q, RowsDerivative& D) const override;
    bool has_hessian() const override {
        return true;
    }

private:
    std::vector<double> lengths_;
};

}  // namespace sinew
