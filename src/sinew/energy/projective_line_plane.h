#pragma once

#include "sinew/energy/projective_constraints.h"

namespace sinew {

/// Vertices drawn to planes, free to slide in them.
///   E(x) = sum_i  w_i / 2 * ((x_i - o_i) . n_i)^2          [Bouaziz2014, plane constraint]
class ProjectivePlane final : public ProjectiveConstraints {
public:
    /// @param one_sided  pull only vertices on the side away from the normal, as a floor does
    /// @throws InputError when a normal has no length
    ProjectivePlane(std::span<const Index> vertices, const Points& origins, const Points& normals,
                    std::span<const double> weights, bool one_sided = false);

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;

private:
    Points origins_;
    Points normals_;
    bool one_sided_;
};

/// Vertices drawn to lines, free to slide along them.
///   E(x) = sum_i  w_i / 2 * |(I - d_i d_i^T)(x_i - o_i)|^2   [Bouaziz2014, line constraint]
class ProjectiveLine final : public ProjectiveConstraints {
public:
    /// @throws InputError when a direction has no length
    ProjectiveLine(std::span<const Index> vertices, const Points& origins, const Points& directions,
                   std::span<const double> weights);

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;

private:
    Points origins_;
    Points directions_;
};

}  // namespace sinew
