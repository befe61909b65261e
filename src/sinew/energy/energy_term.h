#pragma once

#include "sinew/energy/block_hessian.h"
#include "sinew/material/material.h"
#include "sinew/mesh/arrays.h"

namespace sinew {

/// One term of the total energy, a function of all vertex positions x (m), with derivatives. What a
/// Newton solver minimises is the sum of a list of such terms. A term is immutable while it is
/// being used, and may be used by several threads and solvers at once.
class EnergyTerm {
public:
    virtual ~EnergyTerm() = default;

    virtual double value(const Points& x) const = 0;  ///< J
    /// gradient += dE/dx, N: the force is its negative.
    virtual void add_gradient(const Points& x, Points& gradient) const = 0;

    /// Names the blocks that add_hessian will ever write, whatever x.
    virtual void add_pattern(BlockPattern& pattern) const = 0;
    /// H += d2E/dx2, N/m. Tangent::PositiveSemidefinite asks for a sum of element matrices each
    /// without negative eigenvalues.
    virtual void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const = 0;
};

}  // namespace sinew
