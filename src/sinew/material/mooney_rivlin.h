#pragma once

#include "sinew/material/material.h"

namespace sinew {

/// Constants of the Mooney-Rivlin law, Pa.
struct MooneyRivlinConstants {
    double A = 0.0;  ///< weight of the first isochoric invariant, >= 0
    double B = 0.0;  ///< weight of the second, >= 0; A + B > 0
    double K = 0.0;  ///< resistance to change of volume, > 0; the bulk modulus is 2 K
};

/// The isotropic part of the muscle material.
///
///   psi = A (J^(-2/3) I1 - 3) + B (J^(-4/3) I2 - 3) + K (ln J)^2   [Teran2003, section 5]
///
/// Small-strain shear modulus 2 (A + B). What fibres add is a further function of F: a second
/// Material over the same elements, so that stresses and tangents add up in the sum of terms.
/// Departs: the constants -3 make the rest state cost nothing; powers and logarithm of J are
/// continued below kSmallestVolumeRatio (volume_functions.h).
class MooneyRivlin final : public Material {
public:
    /// @throws InputError  outside the ranges above
    explicit MooneyRivlin(const MooneyRivlinConstants& constants);

    double energy(const Mat3& F) const override;
    Mat3 stress(const Mat3& F) const override;
    Mat9 tangent(const Mat3& F, Tangent kind) const override;

private:
    MooneyRivlinConstants c_;
};

}  // namespace sinew
