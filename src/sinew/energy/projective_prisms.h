#pragma once

#include "sinew/energy/projective_constraints.h"

#include <array>

namespace sinew {

/// Resistance of prisms, each between a triangle and its copy below, to all changes of shape but
/// stretch along the outer triangle's normal:
///
///   E(x) = sum_p  w_p / 2 * |F_p - R_p B_p S_p B_p^T|^2,   S_p = diag(1, 1, alpha)
///
/// with alpha in [least, most] [Komaritzan, eq. 4.8]. F_p is the linear part of the affine map that
/// takes the six corners at rest nearest to where they are; B_p turns the z axis to the normal.
/// Departs: the thesis takes R_p from the polar decomposition of F_p; ours, and alpha, are those of
/// the nearest allowed state, so that the force is the derivative of the energy.
class ProjectivePrisms final : public ProjectiveConstraints {
public:
    struct Prism {
        std::array<Index, 6> corners;  ///< outer triangle, then the inner one in the same order
        double weight;                 ///< w, J, >= 0
    };
    struct Stretch {
        double least = 0.2;  ///< of the height, > 0
        double most = 5.0;
    };

    /// Prisms without volume at rest (no height, or no area) are left out.
    ProjectivePrisms(const Points& rest, std::span<const Prism> prisms, const Stretch& stretch);

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;

private:
    std::vector<Vec3> normal_;
    Stretch stretch_;
};

}  // namespace sinew
