#pragma once

#include "sinew/energy/energy_term.h"

namespace sinew {

/// Forces that depend on nothing: gravity (masses.h), dead loads.
///   E(x) = -sum_i f_i . x_i
class ConstantForces final : public EnergyTerm {
public:
    /// @param forces  one row per vertex, N
    explicit ConstantForces(Points forces);

    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;

private:
    Points forces_;
};

}  // namespace sinew
