#include "sinew/solver/low_rank_system.h"

#include "sinew/base/parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {
namespace {

// Beyond this many rows the preparation of Woodbury's formula costs more than conjugate gradients.
constexpr std::size_t kWoodburyRows = 96;

constexpr std::size_t kPiece = 16384;  // values per piece of parallel work

// The sum of term(i) over [0, n), in a fixed order. `term` may also change vectors at i.
template <class Term>
double sum_over(std::size_t n, std::vector<double>& partial, const Term& term) {
    partial.assign((n + kPiece - 1) / kPiece, 0.0);
    parallel_for(n, kPiece, [&](std::size_t begin, std::size_t end) {
        double sum = 0.0;
        for (std::size_t i = begin; i < end; ++i) {
            sum += term(i);
        }
        partial[begin / kPiece] = sum;
    });
    return std::accumulate(partial.begin(), partial.end(), 0.0);
}

}  // namespace

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
                             ChangingMethod method, SparseCholesky::Workspace& workspace) {
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
                    const int u = number_[static_cast<std::size_t>(c.vertices[k])];
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
    const std::size_t count = weight_.size();
    rows_.resize(static_cast<Eigen::Index>(count), 3);
    method_ = method != ChangingMethod::Automatic
                  ? method
                  : (count <= kWoodburyRows ? ChangingMethod::Woodbury
                                            : ChangingMethod::ConjugateGradient);
    if (method_ != ChangingMethod::Woodbury || count == 0) {
        return;
    }
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
        parallel_for(n, kPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                d[i] += length * p_[i];
                r_[i] -= length * q_[i];
            }
        });
        factor_.solve(r_, 3, z_, workspace);
        const double next = sum_over(n, partial_, [&](std::size_t i) { return r_[i] * z_[i]; });
        parallel_for(n, kPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                p_[i] = z_[i] + next / rz * p_[i];
            }
        });
        rz = next;
        ++steps_;
    }
}

}  // namespace sinew
