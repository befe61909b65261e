#pragma once

#include "sinew/energy/energy_term.h"
#include "sinew/solver/frame_stepper.h"
#include "sinew/solver/vertex_constraints.h"

#include <memory>
#include <span>
#include <vector>

namespace sinew {

struct SensitivityOptions {
    double tolerance = 1e-8;    ///< of conjugate gradients, relative residual, (0, 1)
    int max_iterations = 2000;  ///< of conjugate gradients, >= 1
};

/// How an equilibrium of energy terms moves with what they depend on. From dE/dx = 0 at all p
///
///   H dx = -(d2E / dx dp) dp,    H = d2E / dx2,
///
/// so that dx/dp is a product of a solve and the terms' mixed derivatives. A scalar g(x) changes
/// with all parameters by one solve: dg/dp = -(d2E / dx dp)^T H^-1 dg/dx, the adjoint product. The
/// inverse problems, shapes and activations from what is seen, are made of these two.
///
/// H is the exact one where it is positive definite. Where it is not (no minimum, or one with a
/// free motion), elements are projected and `is_exact` is false: products then are approximate.
class EquilibriumSensitivity {
public:
    /// With the Newton Hessian, factorised here.
    /// @param terms  that offer Hessians, with the parameters of the equilibrium
    /// @param x      where they are at equilibrium, under these constraints
    /// @throws InputError  when a term offers no Hessian
    EquilibriumSensitivity(EnergyTerms terms, const Points& x,
                           const VertexConstraints& constraints = {});
    /// With the kept factor of a stepper as preconditioner of conjugate gradients: no Hessian is
    /// factorised, which for large bodies takes far more time and memory. Vertices that are not
    /// free there stay.
    /// @param stepper  must outlive this object; its inertia and contacts do not count
    EquilibriumSensitivity(EnergyTerms terms, const Points& x, FrameStepper& stepper,
                           const SensitivityOptions& options = {});
    ~EquilibriumSensitivity();
    EquilibriumSensitivity(EquilibriumSensitivity&&) noexcept;
    EquilibriumSensitivity& operator=(EquilibriumSensitivity&&) noexcept;

    bool is_exact() const;

    /// dx = (dx/dp) dp. Parameters belong to the term `of`; those of the rest shape to all terms
    /// when no term is named.
    /// @param dp  as many numbers as the term has
    /// @throws InputError  when numbers differ, or a term gives no derivatives by the rest shape
    Points derivative(TermParameter parameter, std::span<const double> dp,
                      const EnergyTerm* of = nullptr);
    /// (dx/dp)^T g: how g . x changes with every number of the parameter.
    /// @param g  one row per vertex
    std::vector<double> adjoint(TermParameter parameter, const Points& g,
                                const EnergyTerm* of = nullptr);

    /// Conjugate gradients: steps of the last product, and whether it reached the tolerance.
    int iterations() const;
    bool is_converged() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
