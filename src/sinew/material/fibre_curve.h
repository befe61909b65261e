#pragma once

namespace sinew {

/// Tension of a bundle of fibres and its potential, per unit of undeformed section and volume.
struct FibreResponse {
    double energy = 0.0;   ///< F2(lambda), J/m^3; 0 at lambda = 1
    double tension = 0.0;  ///< dF2/dlambda, Pa
    double slope = 0.0;    ///< d2F2/dlambda2, Pa
};

/// How fibres pull when stretched and when activated. Tension is zero or positive, for every
/// stretch.
///
///   dF2/dlambda = alpha * peak_stress / l_o * f(lambda / l_o) + passive(lambda)
///
///   f(y)       = 9 (y - 0.4)^2        0.4 <= y < 0.6
///                1 - 4 (1 - y)^2      0.6 <= y < 1.4
///                9 (y - 1.6)^2        1.4 <= y < 1.6,   0 elsewhere    [Blemker2005, eq. 8;
///                                                                      Zajac1989, fig. 7]
///   passive    = passive_stress (exp(passive_exponent (lambda - 1)) - 1)   1 < lambda <
///   linear_from
///                its tangent beyond linear_from, 0 below 1
///
/// Departs: over the first `toe` of stretch the passive curve is a parabola that meets the
/// exponential (moved a little to larger stretches) without a corner: Newton's method needs a
/// tension with a derivative. toe = 0 gives the published curve.
struct FibreCurve {
    double peak_stress = 0.0;       ///< of full activation at optimal stretch, Pa, >= 0
    double optimal_stretch = 1.0;   ///< l_o, > 0
    double passive_stress = 0.0;    ///< Pa, >= 0
    double passive_exponent = 1.0;  ///< > 0
    double linear_from = 1.4;       ///< stretch, > 1 + toe
    double toe = 0.0;               ///< stretch, >= 0, toe * passive_exponent < 2

    /// f(y), 0 to 1.
    static double active_shape(double y);
    /// @param activation  alpha, [0, 1]
    FibreResponse at(double stretch, double activation) const;
};

}  // namespace sinew
