#pragma once

#include "sinew/energy/projective_constraints.h"

namespace sinew {

/// Points inside tetrahedra, held by springs of length zero: bones in a mesh that does not resolve
/// them.
///   E(x) = sum_i  w_i / 2 * |b_i^T x - t_i|^2      [Saito2015, eq. 5]
/// b_i are the barycentric coordinates of sample i, t_i is its target.
class ProjectiveAttachment final : public ProjectiveConstraints {
public:
    /// @param corners      row i: the four vertices of the tetrahedron around sample i
    /// @param barycentric  row i: its barycentric coordinates, sum 1
    /// @param targets      row i: t_i, m
    /// @param weights      one per sample, N/m
    ProjectiveAttachment(
        const Tets& corners,
        const Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>& barycentric,
        const Points& targets, std::span<const double> weights);

    void set_targets(const Points& targets);

protected:
    void project(std::size_t i, const Rows& q, Rows& p) const override;

private:
    Points targets_;
};

}  // namespace sinew
