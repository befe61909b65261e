#pragma once

#include "sinew/material/fibre_curve.h"
#include "sinew/material/material.h"
#include "sinew/material/mooney_rivlin.h"

namespace sinew {

/// What muscle or tendon is made of.
struct MuscleConstants {
    MooneyRivlinConstants matrix = {};  ///< what lies between the fibres
    FibreCurve fibre = {};
    double density = 1060.0;  ///< kg/m^3, > 0
};

/// Skeletal muscle. Fibres: peak stress 3e5 Pa, passive 0.05 of it with exponent 6.6, straight from
/// 1.4 [Blemker2005]. Between the fibres A = 1000, B = 500 Pa: a shear modulus 2 (A + B) of 3 kPa,
/// relaxed biceps in shear wave elastography [Gennisson2010]. K = 1e7 Pa. Density [Ward2005].
/// Fibres are at their optimal length at rest (l_o = 1), as the line muscles of the same body are.
/// Departs: a toe of 0.02.
/// Checked: fibres and f against two independent programs that cite their author (ArtiSynth,
/// BlemkerMuscle, with l_o = 1; FEBio's manual, "muscle material", whose example has l_o = 1.07 and
/// K = 1e6); the form of the law against [Teran2003, section 5], which prints no constants; A and B
/// against the Mooney-Rivlin constants of other authors in [Dao2018, table 2], where 2 (A + B) is
/// 0.7 to 10 kPa; 1060 kg/m^3 as the usual constant. The papers of Blemker and Gennisson themselves
/// were not at hand.
MuscleConstants muscle_constants();

/// Tendon and aponeurosis: 2.7e6 Pa with exponent 46.4, straight from 1.03, never activated; shear
/// constants 5e4 Pa, here as A = B = 2.5e4 [Blemker2005]; K = 1e7 Pa, as muscle. Departs: a toe of
/// 0.005.
/// Checked: all of these but the toe are the example of FEBio's manual, "tendon material", which
/// cites Blemker's thesis (5e4 are its moduli G1, G2 of a law in other invariants; there lambda
/// dF/dlambda is the curve, here dF2/dlambda, which differ by at most 3 % up to 1.03).
MuscleConstants tendon_constants();

/// Everything at one deformation.
struct MuscleStress {
    double energy = 0.0;        ///< J/m^3
    double stretch = 1.0;       ///< lambda, deviatoric, along the fibre
    double fibre_stress = 0.0;  ///< lambda dF2/dlambda: Cauchy stress of the fibres (J = 1), Pa
    Mat3 P = Mat3::Zero();      ///< first Piola-Kirchhoff, Pa
};

/// Quasi-incompressible, transversely isotropic muscle.
///
///   W = A (I1' - 3) + B (I2' - 3) + K (ln J)^2 + s F2(lambda, alpha)        [Teran2003, section 5]
///   I1' = J^(-2/3) I1,  I2' = J^(-4/3) I2,  lambda = J^(-1/3) |F a0|
///
/// s counts the fibres in a section, relative to the constants; it is 1 but where a muscle narrows.
/// Departs: powers and logarithm of J are continued below kSmallestVolumeRatio
/// (volume_functions.h), which is what keeps inverted elements finite.
/// @param a0          unit vector
/// @param activation  alpha, [0, 1]
/// @param crowd       s, >= 0
MuscleStress muscle_stress(const MuscleConstants& c, const Mat3& F, const Vec3& a0,
                           double activation, double crowd = 1.0);
/// dP/dF, exact. C += share * tangent
void add_muscle_tangent(const MuscleConstants& c, const Mat3& F, const Vec3& a0, double activation,
                        double crowd, double share, Mat9& C);
/// The Cauchy stress as the paper prints it,
///   sigma = p I + 2/J [(W1 + I1' W2) B - W2 B^2] + Wl l / J a (x) a - 2/(3J) (W1 I1' + 2 W2 I2' +
///   Wl l / 2) I,   p = 2 K ln J / J
/// for J above kSmallestVolumeRatio. Departs: the paper prints W_l l^2 for the fibre's term with
/// its own W_l; with W_l = dW/dlambda, as we use it, the work-conjugate factor is W_l l, and the
/// factors of J are those that make J sigma = P F^T.
Mat3 muscle_cauchy_stress(const MuscleConstants& c, const Mat3& F, const Vec3& a0,
                          double activation);

/// The nearest symmetric 9x9 matrix (Frobenius norm) without negative eigenvalues.
Mat9 without_negative_eigenvalues(const Mat9& A);

/// The law with a fibre direction and an activation of its own. Free of stress at rest only while
/// relaxed.
class MuscleMaterial final : public Material {
public:
    /// @throws InputError  for constants out of range, a direction without length, an activation
    ///                     outside [0, 1]
    MuscleMaterial(const MuscleConstants& constants, const Vec3& direction, double activation);

    double energy(const Mat3& F) const override;
    Mat3 stress(const Mat3& F) const override;
    Mat9 tangent(const Mat3& F, Tangent kind) const override;

private:
    MuscleConstants c_;
    Vec3 a0_;
    double activation_;
};

/// @throws InputError  naming `where` and the constant out of range
void require_valid(const MuscleConstants& constants, const char* where);

}  // namespace sinew
