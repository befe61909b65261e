#include "sinew/skinning/skin_system.h"

#include "sinew/base/error.h"

#include <algorithm>

namespace sinew {
namespace {

SparseSymmetric reduced_matrix(const std::vector<const EnergyTerm*>& terms,
                               std::span<const double> masses, std::span<const int> free) {
    Triplets triplets(static_cast<int>(masses.size()));
    for (const EnergyTerm* term : terms) {
        term->add_quadratic(triplets);
    }
    for (std::size_t v = 0; v < masses.size(); ++v) {
        triplets.add(static_cast<int>(v), static_cast<int>(v), masses[v]);
    }
    return submatrix(assemble(triplets), free);
}

}  // namespace

SkinSystem::SkinSystem(const std::vector<const EnergyTerm*>& terms, std::span<const double> masses,
                       std::span<const int> free)
    : free_(free.begin(), free.end()),
      is_contiguous_(free.empty() || free.back() + 1 == static_cast<int>(free.size())),
      matrix_(reduced_matrix(terms, masses, free)),
      value_(matrix_.value),
      cholesky_(matrix_),
      workspace_(cholesky_.make_workspace()) {
    for (int i = 0; i < matrix_.size; ++i) {
        const auto begin = static_cast<std::size_t>(matrix_.start[static_cast<std::size_t>(i)]);
        const auto end = static_cast<std::size_t>(matrix_.start[static_cast<std::size_t>(i) + 1]);
        for (std::size_t e = begin; e < end; ++e) {
            if (matrix_.column[e] == i) {
                diagonal_at_.push_back(e);
            }
        }
    }
    // A vertex that no tetrahedron holds stays where it is.
    double largest = 0.0;
    for (const std::size_t e : diagonal_at_) {
        largest = std::max(largest, value_[e]);
    }
    for (const std::size_t e : diagonal_at_) {
        value_[e] = std::max(value_[e], 1e-7 * largest);
    }
    reduced_.resize(3 * free_.size());
    factor({});
}

SkinSystem::SkinSystem(const SkinSystem& same, const CholeskyOptions& options)
    : free_(same.free_),
      is_contiguous_(same.is_contiguous_),
      matrix_(same.matrix_),
      value_(same.value_),
      diagonal_at_(same.diagonal_at_),
      cholesky_(same.cholesky_, options),
      workspace_(cholesky_.make_workspace()),
      reduced_(same.reduced_.size()) {}

SkinSystem SkinSystem::factored_often(const SkinSystem& same) {
    return {same, {.factor_in_float = true}};
}

void SkinSystem::factor(std::span<const double> diagonal) {
    matrix_.value = value_;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        matrix_.value[diagonal_at_[i]] += diagonal[i];
    }
    FactorResult result = cholesky_.factor(matrix_);
    for (double shift = 1e-6; !result.is_positive_definite && shift < 1.0; shift *= 10.0) {
        for (std::size_t i = 0; i < diagonal_at_.size(); ++i) {
            matrix_.value[diagonal_at_[i]] *= 1.0 + shift;
        }
        result = cholesky_.factor(matrix_);
    }
    SINEW_ASSERT(result.is_positive_definite, "pivot {} at {}", result.pivot_value, result.pivot);
}

void SkinSystem::solve(const Points& f, Points& d) {
    if (is_contiguous_) {
        cholesky_.solve({f.data(), 3 * free_.size()}, 3, {d.data(), 3 * free_.size()}, workspace_);
        return;
    }
    for (std::size_t k = 0; k < free_.size(); ++k) {
        std::copy_n(f.data() + 3 * static_cast<std::ptrdiff_t>(free_[k]), 3,
                    reduced_.data() + 3 * k);
    }
    cholesky_.solve(reduced_, 3, reduced_, workspace_);
    for (std::size_t k = 0; k < free_.size(); ++k) {
        std::copy_n(reduced_.data() + 3 * k, 3,
                    d.data() + 3 * static_cast<std::ptrdiff_t>(free_[k]));
    }
}

}  // namespace sinew
