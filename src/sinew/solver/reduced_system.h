#pragma once

#include "sinew/energy/block_hessian.h"
#include "sinew/solver/vertex_constraints.h"

#include <memory>

namespace sinew {

/// The Newton system of the unknowns that constraints leave: H_free y = b_free. The pattern is
/// analysed once; numbers come and go.
class ReducedSystem {
public:
    /// In which numbers a factor is made.
    enum class Precision {
        Double,
        Single  ///< half the time; solutions are refined to those of double precision
    };

    ReducedSystem(const BlockHessian& pattern, const VertexConstraints& constraints);
    ~ReducedSystem();
    ReducedSystem(ReducedSystem&&) noexcept;
    ReducedSystem& operator=(ReducedSystem&&) noexcept;

    /// Number of scalar unknowns.
    Eigen::Index unknowns() const;

    /// Takes the values of H (with the constructor's pattern) and factorises H + shift I.
    /// Where single precision does not do, double takes over: what is said and solved is the same.
    /// @return false when the matrix is not safely positive definite
    bool factorise(const BlockHessian& H, double shift, Precision precision = Precision::Double);
    /// Mean of the diagonal taken last, before the shift, N/m.
    double mean_diagonal() const;
    /// Solves with the last factorisation, which must have succeeded. Constrained directions of the
    /// right-hand side are ignored, those of the result are zero.
    Points solve(const Points& b) const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
