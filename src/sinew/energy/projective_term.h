#pragma once

#include "sinew/linalg/sparse_symmetric.h"
#include "sinew/mesh/arrays.h"

namespace sinew {

/// How far volumes are from their targets.
struct VolumeError {
    double total = 0.0;    ///< |sum of volumes / sum of targets - 1|
    double largest = 0.0;  ///< over elements, |volume / target - 1|
};

/// A term of Projective Dynamics [Bouaziz2014]: a sum of squared distances to constraint sets,
///
///   E(x) = sum_i  w_i / 2 * |Q_i x - p_i|^2,    p_i = the point of set i nearest to Q_i x,
///
/// with Q_i constant. For fixed p the minimum over x is one linear system with the constant matrix
/// sum_i w_i Q_i^T Q_i; because p_i is the nearest point, the derivative of E by x is that of the
/// sum with p held fixed. Solvers therefore ask for forces,
///
///   f(x) = -dE/dx = sum_i w_i Q_i^T (p_i - Q_i x),
///
/// and move by the solution d of (sum w Q^T Q) d = f, which is the same step as solving for the
/// positions but keeps full accuracy with a factor in single precision.
class ProjectiveTerm {
public:
    virtual ~ProjectiveTerm() = default;

    /// A += sum_i w_i Q_i^T Q_i, the same for x, y and z. Once, or when weights or growth changed.
    virtual void add_quadratic(Triplets& A) const = 0;

    /// Local step: projects and adds the forces, N, in one pass. Returns E(x), J. May use scratch
    /// memory of the term, so one call at a time; allocates nothing after the first call. The same
    /// bits for any thread count.
    virtual double add_force(const Points& x, Points& force) = 0;

    /// E(x), J, in double throughout.
    virtual double energy(const Points& x) const = 0;

    /// Of terms that ask for volumes; zero for all others.
    virtual VolumeError volume_error(const Points& x) const {
        static_cast<void>(x);
        return {};
    }
};

}  // namespace sinew
