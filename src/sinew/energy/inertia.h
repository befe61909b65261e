#pragma once

#include "sinew/energy/energy_term.h"

#include <vector>

namespace sinew {

/// What implicit Euler adds to the energy of a step of length h: its minimiser solves the equations
/// of motion [Kadlecek2022, eqs. 2.17, 2.18].
///
///   E(x) = sum_i m_i / (2 h^2) |x_i - y_i|^2,   y = x_old + h v_old
///
/// Departs: eq. 2.18 prints 1/h^2; the gradient of that is twice eq. 2.17.
class Inertia final : public EnergyTerm {
public:
    /// @param masses     one per vertex, kg, >= 0
    /// @param predicted  y, m
    /// @param step       h, s, > 0
    Inertia(std::vector<double> masses, Points predicted, double step);

    TermOffers offers() const override {
        return {.hessian = true, .projection = true};
    }
    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;
    void add_quadratic(Triplets& A) const override;
    std::optional<std::size_t> parameter_count(TermParameter) const override {
        return 0;
    }

private:
    std::vector<double> weight_;  // m / h^2
    Points predicted_;
};

}  // namespace sinew
