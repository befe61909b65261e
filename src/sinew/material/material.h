#pragma once

#include "sinew/base/arrays.h"

namespace sinew {

/// Derivative of one 3x3 matrix by another, both read column by column: entry (r + 3c, s + 3d) is
/// dP_rc / dF_sd.
using Mat9 = Eigen::Matrix<double, 9, 9>;

/// Which second derivative to give.
enum class Tangent {
    Exact,                ///< may be indefinite
    PositiveSemidefinite  ///< the nearest (Frobenius norm) without negative eigenvalues
};

/// The law of an elastic material at one point: energy per undeformed volume as a function of the
/// deformation gradient F. All laws are zero with zero stress at F = I, and finite with finite
/// derivatives for every finite F, inverted ones (det F <= 0) included, so that a solver can find
/// its way back from there.
class Material {
public:
    virtual ~Material() = default;

    virtual double energy(const Mat3& F) const = 0;               ///< J/m^3
    virtual Mat3 stress(const Mat3& F) const = 0;                 ///< first Piola-Kirchhoff, Pa
    virtual Mat9 tangent(const Mat3& F, Tangent kind) const = 0;  ///< d stress / d F, Pa
};

}  // namespace sinew
