#pragma once

#include "sinew/energy/energy_term.h"

#include <vector>

namespace sinew {

/// Springs that hold vertices near planes and let them slide within.
///   E(x) = sum_s k_s / 2 (n_s . (x_v(s) - o_s))^2
/// The collision springs of [Kadlecek2022, eq. 4.7] are of this form, with the plane at the nearest
/// surface point.
class PlaneSliding final : public EnergyTerm {
public:
    struct Slide {
        Index vertex;
        Vec3 origin;       ///< a point of the plane, m
        Vec3 normal;       ///< any length but zero
        double stiffness;  ///< k, N/m, >= 0
    };
    /// @throws InputError  when a normal has no length
    explicit PlaneSliding(std::vector<Slide> slides);

    double value(const Points& x) const override;
    void add_gradient(const Points& x, Points& gradient) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;

private:
    std::vector<Slide> slides_;  // with unit normals
};

}  // namespace sinew
