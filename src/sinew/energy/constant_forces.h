#pragma once

#include "sinew/energy/energy_term.h"

namespace sinew {

/// Forces that depend on nothing: gravity (masses.h), dead loads. No quadratic part.
///   E(x) = -sum_i f_i . x_i
class ConstantForces final : public EnergyTerm {
public:
    /// @param forces  one row per vertex, N
    explicit ConstantForces(Points forces);

    TermOffers offers() const override {
        return {.hessian = true, .projection = true};
    }
    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;
    double add_force(const Points& x, Points& force, TermScratch& scratch) const override;
    std::optional<std::size_t> parameter_count(TermParameter) const override {
        return 0;
    }

private:
    Points forces_;
};

}  // namespace sinew
