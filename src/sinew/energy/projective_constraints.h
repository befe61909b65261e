#pragma once

#include "sinew/energy/energy_term.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

/// A list of small constraints of one kind, each on a few vertices. Derived classes are one small
/// file each: their constructor calls `add` with the rows of Q_i and `finish` after the last, and
/// `project` finds p_i. Matrix, forces, energy and parallel work follow from these. A spring
/// without its checks:
///
///   class Spring final : public ProjectiveConstraints {
///   public:
///       Spring(Index a, Index b, double length, double weight)
///           : ProjectiveConstraints(1), length_(length) {          // one row: x_b - x_a
///           add(std::array{a, b}, std::array{-1.0, 1.0}, weight);
///           finish();
///       }
///
///   private:
///       void project(std::size_t, const Rows& q, Rows& p) const override {
///           p.row(0) = length_ * q.row(0).normalized();
///       }
///       double length_;
///   };
///
/// A constraint that knows how p_i changes with Q_i x (`derivative`) offers a Hessian too:
///
///   d2E/dx2 = sum_i w_i Q_i^T (I - dp_i/dq_i) Q_i.
///
/// Its test calls the checks of tests/energy/term_support.h.
class ProjectiveConstraints : public EnergyTerm {
public:
    std::size_t size() const {
        return weight_.size();
    }

    TermOffers offers() const final;
    double value(const Points& x) const final;
    void add_gradient(const Points& x, Points& gradient) const final;
    void add_pattern(BlockPattern& pattern) const override;
    void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const override;
    void add_quadratic(Triplets& A) const final;
    double add_force(const Points& x, Points& force, TermScratch& scratch) const final;

    /// Row k: (Q_i x)_k or (p_i)_k; rows from `rows` on are unused.
    using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    /// Entry (3 k + c, 3 l + d): d (p_i)_kc / d (Q_i x)_ld; rows and columns from 3 `rows` on are
    /// unused.
    using RowsDerivative = Mat9;

    /// Rows of Q_i, rows x vertices, for solvers that treat the constraints one by one.
    struct View {
        std::span<const Index> vertices;
        std::span<const double> coefficients;  ///< row-major
        double weight;
    };
    View constraint(std::size_t i) const;
    int rows() const {
        return rows_;
    }

protected:
    /// @param rows  of each Q_i, 1 to 3
    explicit ProjectiveConstraints(int rows) : rows_(rows) {}

    /// @param coefficients  rows x vertices, row-major
    /// @param weight        >= 0
    void add(std::span<const Index> vertices, std::span<const double> coefficients, double weight);
    /// Drops all constraints, to add others.
    void clear();
    /// After the last `add`: lists what pulls at each vertex.
    void finish();

    /// p_i, given Q_i x: the nearest point of constraint set i.
    virtual void project(std::size_t i, const Rows& q, Rows& p) const = 0;
    /// dp_i/dq_i, given Q_i x; D is zero before. For constraints whose `has_hessian` is true.
    virtual void derivative(std::size_t i, const Rows& q, RowsDerivative& D) const;
    virtual bool has_hessian() const;

private:
    Rows rows_at(std::size_t i, const Points& x) const;
    /// to += sign * forces. Returns the energy.
    double add_pulls(const Points& x, double sign, Points& to, TermScratch& scratch) const;

    int rows_;
    std::vector<double> weight_ = {};
    std::vector<std::size_t> start_ = {0};  // vertices of constraint i: [start_[i], start_[i + 1])
    std::vector<Index> vertices_ = {};
    std::vector<double> coefficients_ = {};  // of constraint i from rows_ * start_[i]

    // What each vertex receives: coefficient times a row of w (p - Q x), in order of constraints.
    struct Share {
        std::size_t row;
        double coefficient;
    };
    bool is_finished_ = true;
    std::vector<Index> touched_ = {};
    std::vector<std::size_t> share_start_ = {0};
    std::vector<Share> shares_ = {};
};

}  // namespace sinew
