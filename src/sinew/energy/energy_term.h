#pragma once

#include "sinew/energy/block_hessian.h"
#include "sinew/energy/term_scratch.h"
#include "sinew/linalg/sparse_symmetric.h"
#include "sinew/material/material.h"
#include "sinew/mesh/arrays.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sinew {

/// What a term offers besides its value and gradient.
struct TermOffers {
    bool hessian = false;       ///< second derivatives: Newton's method takes it
    bool projection = false;    ///< a constant quadratic part: local/global steps take it
    bool has_potential = true;  ///< false: forces that depend on the path, told by `work`
};

/// What terms may depend on besides the positions, as lists of numbers.
enum class TermParameter {
    RestShape,   ///< positions at rest, 3 per vertex, m; the same for all terms of a body
    Targets,     ///< of pins, 3 each, m
    Growth,      ///< tensors F_g of tetrahedra, 9 each, column by column
    Activation,  ///< of muscles, one each
};

/// How far volumes are from their targets.
struct VolumeError {
    double total = 0.0;    ///< |sum of volumes / sum of targets - 1|
    double largest = 0.0;  ///< over elements, |volume / target - 1|
};

/// One term of the total energy, a function of all vertex positions x (m). Solvers minimise the sum
/// of a list of such terms. Every function is const and works in memory that the caller owns: one
/// list of terms may be evaluated in several states at once, by several solvers and threads, as
/// long as nobody changes its parameters meanwhile.
///
/// A term says what it offers. Newton's method asks for the Hessian. Local/global steps ask for the
/// projection of Projective Dynamics [Bouaziz2014], a sum of squared distances to constraint sets,
///
///   E(x) = sum_i  w_i / 2 * |Q_i x - p_i|^2,    p_i = the point of set i nearest to Q_i x,
///
/// with Q_i constant. For fixed p the minimum over x is one linear system with the constant matrix
/// sum_i w_i Q_i^T Q_i; because p_i is the nearest point, the derivative of E by x is that of the
/// sum with p held fixed. Solvers therefore move by the solution d of (sum w Q^T Q) d = f with the
/// forces f = -dE/dx, which is the same step as solving for the positions but keeps full accuracy
/// with a factor in single precision.
///
/// Forces without a potential, such as a pressure that follows a surface with a free border, have
/// work along a step instead of a value, and their Hessian is the symmetric part of the derivative:
/// Newton's method then converges linearly, but fast.
///
/// Mixed second derivatives by parameters say how an equilibrium moves with them
/// (solver/sensitivity.h).
class EnergyTerm {
public:
    virtual ~EnergyTerm() = default;

    virtual TermOffers offers() const = 0;

    /// E(x), J, in double throughout; zero for terms without a potential.
    virtual double value(const Points& x) const = 0;
    /// Work of its forces along the straight line from one state to another, J. Minus the change
    /// of the value, unless there is no potential.
    virtual double work(const Points& from, const Points& to) const;
    /// gradient += dE/dx, N, in double throughout: the force is its negative.
    virtual void add_gradient(const Points& x, Points& gradient) const = 0;

    /// Names the blocks that add_hessian will ever write, whatever x.
    virtual void add_pattern(BlockPattern& pattern) const;
    /// H += d2E/dx2, N/m. Tangent::PositiveSemidefinite asks for a sum of element matrices each
    /// without negative eigenvalues. Only of terms that offer it.
    virtual void add_hessian(const Points& x, Tangent kind, BlockHessian& H) const;

    /// A += sum_i w_i Q_i^T Q_i, the same for x, y and z; nothing from terms without a quadratic
    /// part. Only of terms that offer a projection.
    virtual void add_quadratic(Triplets& A) const;
    /// Local step: projects and adds the forces, N, in one pass. Returns E(x), J. May round to
    /// single precision; allocates nothing once the scratch is large enough. The same bits for any
    /// thread count. What is not overridden is minus the gradient.
    virtual double add_force(const Points& x, Points& force, TermScratch& scratch) const;

    /// Numbers of a parameter that the term has; 0: it does not depend on it; nothing: it may,
    /// without offering derivatives.
    virtual std::optional<std::size_t> parameter_count(TermParameter parameter) const;
    /// out += (d2E / dx dp) dp: how the gradient changes with the parameter, for terms that have
    /// it.
    virtual void add_mixed_product(const Points& x, TermParameter parameter,
                                   std::span<const double> dp, Points& out) const;
    /// out += (d2E / dx dp)^T w: the adjoint of it.
    virtual void add_mixed_adjoint(const Points& x, TermParameter parameter, const Points& w,
                                   std::span<double> out) const;

    /// Of terms that ask for volumes; zero for all others.
    virtual VolumeError volume_error(const Points& x) const;
};

using EnergyTerms = std::vector<std::shared_ptr<const EnergyTerm>>;

}  // namespace sinew
