#pragma once

#include "sinew/linalg/sparse_symmetric.h"

#include <cstdint>
#include <memory>
#include <span>

namespace sinew {

struct CholeskyOptions {
    /// Keep L in double: solves to 1e-15 instead of 1e-7 at twice the memory and time.
    bool store_double = false;
    /// Factorise in float: half the time, for condition numbers below about 1e5.
    bool factor_in_float = false;
};

/// What became of a numeric factorisation.
struct FactorResult {
    bool is_positive_definite = false;
    int pivot = -1;            ///< unknown at which it failed, -1 when it did not
    double pivot_value = 0.0;  ///< what was left on the diagonal there
};

/// Sparse Cholesky factorisation A = L L^T that is made once and solved with many times, one or
/// three interleaved right-hand sides at a time.
///
/// Ordering by nested dissection, supernodes by elimination-tree merging, multifrontal numeric
/// factorisation on dense blocks. The factor is kept as panels of up to 64 columns in which the
/// diagonal block is inverted and multiplied into the rows below [Alvarado1993], so that both
/// halves of a solve are plain matrix products that stream through memory once each. Independent
/// subtrees run in parallel; the bits of factor and solution do not depend on the number of
/// threads.
class SparseCholesky {
public:
    /// Orders and analyses the pattern of A; `factor` fills in the numbers.
    explicit SparseCholesky(const SparseSymmetric& A, const CholeskyOptions& options = {});
    /// For matrices of the same pattern, without another analysis.
    SparseCholesky(const SparseCholesky& same_pattern, const CholeskyOptions& options);
    ~SparseCholesky();
    SparseCholesky(SparseCholesky&&) noexcept;
    SparseCholesky& operator=(SparseCholesky&&) noexcept;

    /// Numeric factorisation; `A` must have the pattern of the constructor's matrix. May be called
    /// again with other values.
    FactorResult factor(const SparseSymmetric& A);

    /// Scratch memory of a solve; one per thread of callers.
    class Workspace {
    public:
        ~Workspace();
        Workspace(Workspace&&) noexcept;
        Workspace& operator=(Workspace&&) noexcept;

    private:
        friend class SparseCholesky;
        struct Data;
        explicit Workspace(std::unique_ptr<Data> data);
        std::unique_ptr<Data> data_;
    };
    Workspace make_workspace() const;

    /// Solves A x = b for size() x columns row-major values, columns 1 or 3. `x` may be `b`.
    /// Nothing is allocated. Needs a factorisation that succeeded.
    void solve(std::span<const double> b, int columns, std::span<double> x,
               Workspace& workspace) const;

    int size() const;
    std::int64_t nonzeros() const;  ///< of L, with the zeros kept for speed
    std::int64_t bytes() const;     ///< memory that the stored factor takes

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

struct RefineOptions {
    int max_steps = 5;
    double tolerance = 1e-12;  ///< of |b - A x| / |b|
};

struct RefineResult {
    int steps = 0;
    double residual = 0.0;  ///< |b - A x| / |b| at the end
};

/// Solves with the kept factor and improves x in double by iterative refinement until the residual
/// is small or no longer falls. Allocates its residual.
RefineResult solve_refined(const SparseCholesky& factor, const SparseSymmetric& A,
                           std::span<const double> b, int columns, std::span<double> x,
                           SparseCholesky::Workspace& workspace, const RefineOptions& options = {});

}  // namespace sinew
