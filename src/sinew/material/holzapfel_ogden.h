#pragma once

#include "sinew/material/material.h"

namespace sinew {

/// Constants of tissue with two families of fibres. Stiffnesses in Pa, >= 0; exponents >= 0, where
/// 0 is the limit: a b of 0 leaves a/2 (I1 - 3), the neo-Hookean law.
struct HolzapfelOgdenConstants {
    double a = 0.0, b = 0.0;      ///< of the matrix; a > 0
    double af = 0.0, bf = 0.0;    ///< along the fibre
    double as = 0.0, bs = 0.0;    ///< along the sheet, or the second family
    double afs = 0.0, bfs = 0.0;  ///< shear between both
    double K = 0.0;               ///< bulk modulus, Pa, > 0
};

/// Myocardium [HolzapfelOgden2009, the general form], and with b = afs = 0, af = as and the
/// directions of its two families the wall of arteries [Holzapfel2000].
///
///   psi = a/(2b) (e^(b (I1' - 3)) - 1) + sum_i a_i/(2 b_i) (e^(b_i (I_i - 1)^2) - 1)
///         + afs/(2 bfs) (e^(bfs I8^2) - 1) + K/4 (J^2 - 1 - 2 ln J)
///
/// I1' = J^(-2/3) I1, I_i = |F f|^2 and |F s|^2 where they exceed 1 (fibres bear no pressure),
/// I8 = F f . F s. Departs: the papers are incompressible; fibres take the whole stretch, which is
/// the same as K grows. Exponentials and powers of J are continued (exponential.h,
/// volume_functions.h). I8 is taken relative to its value at rest where f and s are not orthogonal.
class HolzapfelOgden final : public Material {
public:
    /// @param fibre, sheet  directions, any length > 0
    /// @throws InputError  outside the ranges above
    HolzapfelOgden(const HolzapfelOgdenConstants& constants, const Vec3& fibre, const Vec3& sheet);

    double energy(const Mat3& F) const override;
    Mat3 stress(const Mat3& F) const override;
    Mat9 tangent(const Mat3& F, Tangent kind) const override;

private:
    HolzapfelOgdenConstants c_;
    Vec3 f_;
    Vec3 s_;
};

}  // namespace sinew
