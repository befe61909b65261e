#include "sinew/solver/low_rank_system.h"

#include "sinew/base/parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {
namespace {

// Costs in solves with the kept factor, as `sinew bench changing` measures them on a body of 76k
// vertices: they hardly depend on the machine, because all of it streams the same factor.
constexpr double kWoodburyRow = 0.36;
constexpr double kNewFactor = 150.0;    // ordering, analysis, numbers
constexpr double kGradientStep = 1.15;  // a solve, a product with the matrix, vectors

constexpr std::size_t kLowRankPiece = 16384;  // values per piece of parallel work

// The sum of term(i) over [0, n), in a fixed order. `term` may also change vectors at i.
template <class Term>
double sum_over(std::size_t n, std::vector<double>& partial, const Term& term) {
    partial.assign((n + kLowRankPiece - 1) / kLowRankPiece, 0.0);
    parallel_for(n, kLowRankPiece, [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        for (std::size_t i = begin; i < end; ++i) {
            sum += term(i);
        }
        partial[begin / kLowRankPiece] = sum;
    });
    return std::accumulate(partial.begin(), partial.end(), 0.0);
}

}  // namespace

ChangingMethod cheapest_method(std::size_t rows, int solves) {
    const auto r = static_cast<double>(rows);
    const double n = std::max(1, solves);
    // Steps of conjugate gradients to 1e-5, for contacts ten times as stiff as the flesh.
    const double steps = std::min(r + 1.0, 6.0 * std::pow(r, 0.28));
    const double woodbury = kWoodburyRow * r + 2.0 * n;
    const double second = kNewFactor + n;
    const double gradients = n * (1.0 + kGradientStep * steps);
    if (woodbury <= std::min(second, gradients)) {
        return ChangingMethod::Woodbury;
    }
    return second <= gradients ? ChangingMethod::SecondMatrix : ChangingMethod::ConjugateGradient;
}

LowRankSystem::LowRankSystem(const SparseSymmetric& A, const SparseCholesky& factor,
                             std::span<const int> number)
    : A_(A), factor_(factor), number_(number) {
    const std::size_t values = 3 * static_cast<std::size_t>(A.size);
    r_.resize(values);
    z_.resize(values);
    p_.resize(values);
    q_.resize(values);
}

void LowRankSystem::set_rows(std::span<const ProjectiveConstraints* const> constraints,
                             ChangingMethod method, SparseCholesky::Workspace& workspace,
                             int solves) {
    start_.assign(1, 0);
    unknown_.clear();
    coefficient_.clear();
    weight_.clear();
    for (const ProjectiveConstraints* list : constraints) {
        for (std::size_t i = 0; i < list->size(); ++i) {
            const ProjectiveConstraints::View c = list->constraint(i);
            const std::size_t count = c.vertices.size();
            for (std::size_t r = 0; r < static_cast<std::size_t>(list->rows()); ++r) {
                const std::size_t before = unknown_.size();
                for (std::size_t k = 0; k < count; ++k) {
                    const int u = number_[at(c.vertices[k])];
                    if (u >= 0 && c.coefficients[r * count + k] != 0.0) {
                        unknown_.push_back(u);
                        coefficient_.push_back(c.coefficients[r * count + k]);
                    }
                }
                if (unknown_.size() > before && c.weight > 0.0) {
                    start_.push_back(unknown_.size());
                    weight_.push_back(c.weight);
                } else {
                    unknown_.resize(before);
                    coefficient_.resize(before);
                }
            }
        }
    }
    rows_.resize(static_cast<Eigen::Index>(weight_.size()), 3);
    method_ =
        method != ChangingMethod::Automatic ? method : cheapest_method(weight_.size(), solves);
    second_.reset();
    if (method_ == ChangingMethod::Woodbury && !is_empty()) {
        prepare_woodbury(workspace);
    } else if (method_ == ChangingMethod::SecondMatrix && !is_empty()) {
        prepare_second_matrix();
    }
}

void LowRankSystem::prepare_woodbury(SparseCholesky::Workspace& workspace) {
    const std::size_t count = weight_.size();
    // C A^-1 C^T, three columns with each solve.
    Eigen::MatrixXd S =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count));
    for (std::size_t first = 0; first < count; first += 3) {
        std::fill(r_.begin(), r_.end(), 0.0);
        const std::size_t columns = std::min<std::size_t>(3, count - first);
        for (std::size_t c = 0; c < columns; ++c) {
            for (std::size_t e = start_[first + c]; e < start_[first + c + 1]; ++e) {
                r_[3 * static_cast<std::size_t>(unknown_[e]) + c] += coefficient_[e];
            }
        }
        factor_.solve(r_, 3, r_, workspace);
        multiply_rows(r_, rows_);
        S.middleCols(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(columns)) =
            rows_.leftCols(static_cast<Eigen::Index>(columns));
    }
    S = 0.5 * (S + S.transpose()).eval();
    for (std::size_t i = 0; i < count; ++i) {
        S(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) += 1.0 / weight_[i];
    }
    small_.compute(S);
}

void LowRankSystem::prepare_second_matrix() {
    Triplets triplets(A_.size);
    for (int i = 0; i < A_.size; ++i) {
        const auto row = static_cast<std::size_t>(i);
        for (std::int64_t e = A_.start[row]; e < A_.start[row + 1]; ++e) {
            const int j = A_.column[at(e)];
            if (j <= i) {
                triplets.add(i, j, A_.value[at(e)]);
            }
        }
    }
    for (std::size_t i = 0; i < weight_.size(); ++i) {
        const std::size_t count = start_[i + 1] - start_[i];
        triplets.add_outer({unknown_.data() + start_[i], count},
                           {coefficient_.data() + start_[i], count}, weight_[i]);
    }
    const SparseSymmetric both = assemble(triplets);
    second_.emplace(both);
    if (!second_->factor(both).is_positive_definite) {
        // Rows so stiff that rounding wins; gradients need no factor of them.
        second_.reset();
        method_ = ChangingMethod::ConjugateGradient;
        return;
    }
    second_workspace_.emplace(second_->make_workspace());
}

void LowRankSystem::multiply_rows(std::span<const double> x, Points& y) const {
    for (std::size_t i = 0; i < weight_.size(); ++i) {
        Eigen::RowVector3d sum = Eigen::RowVector3d::Zero();
        for (std::size_t e = start_[i]; e < start_[i + 1]; ++e) {
            const double* from = x.data() + 3 * static_cast<std::size_t>(unknown_[e]);
            sum += coefficient_[e] * Eigen::RowVector3d(from[0], from[1], from[2]);
        }
        y.row(static_cast<Eigen::Index>(i)) = sum;
    }
}

void LowRankSystem::subtract_rows(const Points& y, std::span<double> x) const {
    for (std::size_t i = 0; i < weight_.size(); ++i) {
        for (std::size_t e = start_[i]; e < start_[i + 1]; ++e) {
            double* to = x.data() + 3 * static_cast<std::size_t>(unknown_[e]);
            for (int c = 0; c < 3; ++c) {
                to[c] -= coefficient_[e] * y(static_cast<Eigen::Index>(i), c);
            }
        }
    }
}

void LowRankSystem::solve(std::span<const double> f, std::span<double> d,
                          SparseCholesky::Workspace& workspace) {
    if (is_empty()) {
        factor_.solve(f, 3, d, workspace);
    } else if (method_ == ChangingMethod::Woodbury) {
        solve_woodbury(f, d, workspace);
    } else if (method_ == ChangingMethod::SecondMatrix) {
        second_->solve(f, 3, d, *second_workspace_);
    } else {
        solve_gradients(f, d, workspace);
    }
}

// d = A^-1 (f - C^T l),  (W^-1 + C A^-1 C^T) l = C A^-1 f   [Woodbury1950]
void LowRankSystem::solve_woodbury(std::span<const double> f, std::span<double> d,
                                   SparseCholesky::Workspace& workspace) {
    factor_.solve(f, 3, z_, workspace);
    multiply_rows(z_, rows_);
    small_.solveInPlace(rows_);
    std::copy(f.begin(), f.end(), r_.begin());
    subtract_rows(rows_, r_);
    factor_.solve(r_, 3, d, workspace);
}

// Preconditioned conjugate gradients; the three coordinates are one system with a common step.
void LowRankSystem::solve_gradients(std::span<const double> f, std::span<double> d,
                                    SparseCholesky::Workspace& workspace) {
    constexpr int kMaxSteps = 60;
    constexpr double kTolerance = 1e-5;
    const std::size_t n = d.size();
    std::fill(d.begin(), d.end(), 0.0);
    std::copy(f.begin(), f.end(), r_.begin());
    factor_.solve(r_, 3, z_, workspace);
    double rz = sum_over(n, partial_, [&](std::size_t i) {
        p_[i] = z_[i];
        return r_[i] * z_[i];
    });
    const double enough = kTolerance * kTolerance * rz;
    steps_ = 0;
    while (steps_ < kMaxSteps && rz > enough) {
        multiply(A_, p_, 3, q_);
        multiply_rows(p_, rows_);
        for (std::size_t i = 0; i < weight_.size(); ++i) {
            rows_.row(static_cast<Eigen::Index>(i)) *= -weight_[i];
        }
        subtract_rows(rows_, q_);
        const double pq = sum_over(n, partial_, [&](std::size_t i) { return p_[i] * q_[i]; });
        if (!(pq > 0.0)) {
            break;
        }
        const double length = rz / pq;
        parallel_for(n, kLowRankPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                d[i] += length * p_[i];
                r_[i] -= length * q_[i];
            }
        });
        factor_.solve(r_, 3, z_, workspace);
        const double next = sum_over(n, partial_, [&](std::size_t i) { return r_[i] * z_[i]; });
        parallel_for(n, kLowRankPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                p_[i] = z_[i] + next / rz * p_[i];
            }
        });
        rz = next;
        ++steps_;
    }
}

}  // namespace sinew
