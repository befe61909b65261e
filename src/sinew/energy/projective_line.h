#pragma once

#include "sinew/energy/projective_constraints.h"

namespace sinew {

/// Vertices drawn to lines, free to slide along them.
///   E(x) = sum_i  w_i / 2 * |(I - d_i d_i^T)(x_i - o_i)|^2   [Bouaziz2014, line constraint]
class ProjectiveLine final : public ProjectiveConstraints {
public:
    /// @throws InputError when a direction has no length
    ProjectiveLine(std::span<const Index> vertices, const Points& origins, const Points& directions,
                   std::span<const double> weights);

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
    Points origins_;
    Points directions_;
};

}  // namespace sinew
