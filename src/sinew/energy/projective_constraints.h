#pragma once

#include "sinew/energy/projective_term.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

/// A list of small constraints of one kind, each on a few vertices. Derived classes are one small
/// file each: their constructor calls `add` with the rows of Q_i, and `project` finds p_i. Matrix,
/// forces, energy and parallel work follow from these two. A spring without its checks:
///
///   class Spring final : public ProjectiveConstraints {
///   public:
///       Spring(Index a, Index b, double length, double weight)
///           : ProjectiveConstraints(1), length_(length) {          // one row: x_b - x_a
///           add(std::array{a, b}, std::array{-1.0, 1.0}, weight);
///       }
///
///   private:
///       void project(std::size_t, const Rows& q, Rows& p) const override {
///           p.row(0) = length_ * q.row(0).normalized();
///       }
///       double length_;
///   };
///
/// Its test calls the checks of tests/energy/projective_support.h.
class ProjectiveConstraints : public ProjectiveTerm {
public:
    std::size_t size() const {
        return weight_.size();
    }

    void add_quadratic(Triplets& A) const final;
    double add_force(const Points& x, Points& force) final;
    double energy(const Points& x) const final;

    /// Row k: (Q_i x)_k or (p_i)_k; rows from `rows` on are unused.
    using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

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

    /// p_i, given Q_i x: the nearest point of constraint set i.
    virtual void project(std::size_t i, const Rows& q, Rows& p) const = 0;

private:
    Rows rows_at(std::size_t i, const Points& x) const;
    void index_vertices();

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
    bool is_indexed_ = false;
    std::vector<Index> touched_ = {};
    std::vector<std::size_t> share_start_ = {};
    std::vector<Share> shares_ = {};
    std::vector<Vec3> pull_ = {};
    std::vector<double> part_energy_ = {};
};

}  // namespace sinew
