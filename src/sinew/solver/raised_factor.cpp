#include "sinew/solver/raised_factor.h"

#include "sinew/mesh/arrays.h"

#include <cmath>

namespace sinew {

namespace {

constexpr double kFirstRaise = 1e-6;  // of the mean diagonal, when nothing holds the body

}  // namespace

std::vector<std::size_t> diagonal_of(const SparseSymmetric& A) {
    std::vector<std::size_t> places;
    places.reserve(at(A.size));
    for (int i = 0; i < A.size; ++i) {
        for (auto e = A.start[at(i)]; e < A.start[at(i) + 1]; ++e) {
            if (A.column[at(e)] == i) {
                places.push_back(at(e));
            }
        }
    }
    return places;
}

FactorResult factor_raised(SparseSymmetric& A, const std::vector<std::size_t>& diagonal,
                           SparseCholesky& cholesky) {
    FactorResult result = cholesky.factor(A);
    double mean = 0.0;
    if (!result.is_positive_definite) {
        for (const std::size_t e : diagonal) {
            mean += A.value[e] / A.size;
        }
    }
    for (double raise = kFirstRaise;
         !result.is_positive_definite && mean > 0.0 && std::isfinite(mean) && raise < 1.0;
         raise *= 10.0) {
        for (const std::size_t e : diagonal) {
            A.value[e] += raise * mean;
        }
        result = cholesky.factor(A);
    }
    return result;
}

}  // namespace sinew
