#pragma once

#include "sinew/energy/energy_term.h"

#include <vector>

namespace sinew {

/// Springs of zero length that hold vertices near given places.
///   E(x) = sum_p k_p / 2 |x_v(p) - target_p|^2     [Kadlecek2022, eq. 2.23]
/// Places that must be met exactly are constraints of the solver (solver/vertex_constraints.h).
class Pins final : public EnergyTerm {
public:
    struct Pin {
        Index vertex;
        Vec3 target;       ///< m
        double stiffness;  ///< k, N/m, >= 0
    };
    explicit Pins(std::vector<Pin> pins);

    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;

private:
    std::vector<Pin> pins_;
};

}  // namespace sinew
