#pragma once

#include "sinew/energy/energy_term.h"

#include <array>
#include <vector>

namespace sinew {

/// Vertices pushed back to planes when they are behind them, free to slide and to leave. A plane
/// rests, or goes along with the corners of a triangle, which then are pushed the other way.
///   E(x) = sum_c k_c / 2 min(0, h_c)^2,   h_c = n_c . (x_v(c) - o_c - sum_i w_ci x_s(c,i))
class ContactPlanes final : public EnergyTerm {
public:
    struct Plane {
        Index vertex = 0;
        Vec3 origin = Vec3::Zero();  ///< o: a point of the plane, from the support if it has one, m
        Vec3 normal = Vec3::UnitY();                  ///< unit, towards the free side
        double stiffness = 0.0;                       ///< k, N/m, >= 0
        std::array<Index, 3> support = {-1, -1, -1};  ///< corners of a triangle, or -1: rests
        Vec3 weight = Vec3::Zero();                   ///< w, >= 0, sum 1 with a support
        bool is_coupled = true;  ///< to its support in the Hessian, which needs room in the pattern
    };
    explicit ContactPlanes(std::vector<Plane> planes);

    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    /// Departs: where a plane is not coupled to its support, k n n^T (w w^T) is replaced by twice
    /// its rows' sums on the diagonal, which is never less: steps only become more careful. Far too
    /// careful where both sides must move on together; for planes that are hardly ever reached.
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;

    const std::vector<Plane>& planes() const {
        return planes_;
    }

private:
    std::vector<Plane> planes_;
};

}  // namespace sinew
