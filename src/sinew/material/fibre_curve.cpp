#include "sinew/material/fibre_curve.h"

#include <cmath>

namespace sinew {

namespace {

/// f(y) with its integral from 0 and its derivative.
FibreResponse active_curve(double y) {
    if (y < 0.4) {
        return {};
    }
    if (y < 0.6) {
        const double d = y - 0.4;
        return {3.0 * d * d * d, 9.0 * d * d, 18.0 * d};
    }
    if (y < 1.4) {
        const double d = y - 1.0;
        // Integral from 0.6, where the first piece has reached 0.024.
        return {0.024 + (y - 0.6) - 4.0 / 3.0 * (d * d * d + 0.064), 1.0 - 4.0 * d * d, -8.0 * d};
    }
    constexpr double kArea = 0.024 + 0.8 - 4.0 / 3.0 * 0.128;  // up to 1.4
    if (y < 1.6) {
        const double d = y - 1.6;
        return {kArea + 3.0 * (d * d * d + 0.008), 9.0 * d * d, 18.0 * d};
    }
    return {kArea + 0.024, 0.0, 0.0};
}

/// Zero for x < 0, c x^2 in the toe, exp(k (x - x0)) - 1 up to x1, straight beyond; with integral
/// and derivative. c and x0 make value and slope continuous at the toe's end.
FibreResponse passive_curve(double x, double k, double toe, double x1) {
    if (x <= 0.0) {
        return {};
    }
    const double E = 1.0 / (1.0 - 0.5 * k * toe);  // exp(k (toe - x0))
    const double c = toe > 0.0 ? 0.5 * k * E / toe : 0.0;
    if (x < toe) {
        return {c * x * x * x / 3.0, c * x * x, 2.0 * c * x};
    }
    const double z = x < x1 ? x : x1;
    const double e = E * std::exp(k * (z - toe));
    const FibreResponse f{c * toe * toe * toe / 3.0 + (e - E) / k - (z - toe), e - 1.0, k * e};
    if (x < x1) {
        return f;
    }
    const double d = x - x1;
    return {f.energy + d * (f.tension + 0.5 * d * f.slope), f.tension + d * f.slope, f.slope};
}

}  // namespace

double FibreCurve::active_shape(double y) {
    return active_curve(y).tension;
}

FibreResponse FibreCurve::at(double stretch, double activation) const {
    FibreResponse r;
    if (const double stress = activation * peak_stress; stress > 0.0) {
        // F2 = stress * g(lambda / l_o) with g' = f, so that dF2/dlambda = stress / l_o * f.
        const FibreResponse f = active_curve(stretch / optimal_stretch);
        r.energy = stress * (f.energy - active_curve(1.0 / optimal_stretch).energy);
        r.tension = stress / optimal_stretch * f.tension;
        r.slope = stress / (optimal_stretch * optimal_stretch) * f.slope;
    }
    if (passive_stress > 0.0) {
        const FibreResponse p =
            passive_curve(stretch - 1.0, passive_exponent, toe, linear_from - 1.0);
        r.energy += passive_stress * p.energy;
        r.tension += passive_stress * p.tension;
        r.slope += passive_stress * p.slope;
    }
    return r;
}

}  // namespace sinew
