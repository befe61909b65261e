#pragma once

#include "sinew/energy/projective_constraints.h"

namespace sinew {

/// Soft anchors: vertices pulled to places.
///   E(x) = sum_i  w_i / 2 * |x_i - t_i|^2      [Komaritzan, section 2.2.1, anchor constraint]
/// For places that must be met exactly, take the vertices out of the unknowns (LocalGlobal).
class ProjectiveAnchor final : public ProjectiveConstraints {
public:
    /// @param targets  one row per vertex of the list, m
    /// @param weights  one per vertex of the list, N/m
    ProjectiveAnchor(std::span<const Index> vertices, const Points& targets,
                     std::span<const double> weights);

    /// Moves the targets; the matrix stays.
    void set_targets(const Points& targets);

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;

private:
    Points targets_;
};

}  // namespace sinew
