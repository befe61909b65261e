#pragma once

#include "sinew/energy/energy_term.h"

#include <vector>

namespace sinew {

/// Vertices pushed back to planes when they are behind them, free to slide and to leave.
///   E(x) = sum_c k_c / 2 min(0, n_c . (x_v(c) - o_c))^2
class ContactPlanes final : public EnergyTerm {
public:
    struct Plane {
        Index vertex = 0;
        Vec3 origin = Vec3::Zero();   ///< a point of the plane, m
        Vec3 normal = Vec3::UnitY();  ///< unit, towards the free side
        double stiffness = 0.0;       ///< k, N/m, >= 0
    };
    explicit ContactPlanes(std::vector<Plane> planes);

    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;

    const std::vector<Plane>& planes() const {
        return planes_;
    }
    /// Deepest place behind its plane, m, >= 0.
    double deepest(const Points& x) const;

private:
    std::vector<Plane> planes_;
};

}  // namespace sinew
