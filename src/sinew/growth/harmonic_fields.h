#pragma once

#include "sinew/body/body.h"
#include "sinew/linalg/cholesky.h"

#include <Eigen/SparseCore>

#include <optional>
#include <span>
#include <vector>

namespace sinew {

/// Fields in the tetrahedra of a body that are as smooth as their ends allow: given on some points,
/// held on the samples of the bones, harmonic in between. They minimise
///
///   sum_t w_t V_t |grad u_t|^2 + c sum_k (u(s_k) - b_k)^2
///
/// with a firm c; factorised once.
class HarmonicField {
public:
    HarmonicField() = default;
    /// @param weights  of tetrahedra, > 0
    /// @param given    points of the tets on which values are given
    HarmonicField(const Body& body, const Eigen::VectorXd& weights, std::vector<Index> given);

    /// @param at_given  values on the points given, in their order, any number of columns
    /// @param at_bones  values on the bone samples, the same number
    /// @returns  values on all points of the tets
    Eigen::MatrixXd values(const Eigen::MatrixXd& at_given, const Eigen::MatrixXd& at_bones) const;
    /// Three columns, with bones that stand still.
    Points displacement(const Points& at_given) const;
    /// The transpose of displacement: of a gradient by all points, the one by the points given.
    Points transposed(const Points& at_all) const;

private:
    /// The free points' values, columns of `rhs` in place.
    void solve(Eigen::MatrixXd& rhs) const;

    Eigen::Index points_ = 0;
    std::vector<Index> given_;
    std::vector<Index> free_;
    Eigen::SparseMatrix<double> free_given_;  // rows of free points, columns of given ones
    Eigen::SparseMatrix<double> free_bones_;  // rows of free points, columns of samples
    std::optional<SparseCholesky> factor_;
};

}  // namespace sinew
