#pragma once

#include "sinew/energy/finite_volume.h"

namespace sinew {

/// Resistance to the rate of strain, linear in the velocities v. With the rate of Green strain
/// D = (F^T dF/dt + dF/dt^T F) / 2 the stress is
///
///   P = F S,   S = 2 eta D + zeta tr(D) I
///
/// so rigid motion is never damped, and linear and angular momentum are kept. Forces come from P as
/// in [Teran2003, section 4.1]; being linear in v they can be stepped implicitly with forces alone
/// [Teran2003, section 4.3].
class FemViscosity {
public:
    /// @param shear  eta, Pa s, >= 0
    /// @param bulk   zeta, Pa s, >= 0
    /// @throws InputError  when a rest volume is <= 0 or a coefficient is negative
    FemViscosity(const TetMesh& rest, double shear, double bulk);

    /// damping += C(x) v, N: the force is its negative. C is symmetric without negative
    /// eigenvalues.
    void add_damping(const Points& x, const Points& v, Points& damping) const;

private:
    FiniteVolumeTets elements_;
    double shear_;
    double bulk_;
};

}  // namespace sinew
