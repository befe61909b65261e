#pragma once

#include "sinew/body/musculoskeletal.h"

#include <array>
#include <vector>

namespace sinew {

/// A smooth curve y(x) of quintic Bezier pieces that share value, slope and curvature where they
/// meet; straight beyond its ends [Millard2013, appendix].
class BezierCurve {
public:
    /// A place the curve goes through, with its slope there.
    struct Station {
        double x = 0.0;
        double y = 0.0;
        double slope = 0.0;
    };

    /// @param stations   rising in x, at least 2; neighbours differ in slope
    /// @param roundness  of each piece between two stations, in [0, 1]: 0 straight, 1 a sharp bend
    BezierCurve(const std::vector<Station>& stations, const std::vector<double>& roundness);

    double operator()(double x) const;

private:
    struct Piece {
        std::array<double, 6> x = {};
        std::array<double, 6> y = {};
    };
    std::vector<Piece> pieces_ = {};
    Station first_ = {};
    Station last_ = {};
};

/// Curves of the Millard2012 equilibrium muscle: fibre length to force (active and passive),
/// velocity to force, tendon strain (0.049 at force 1) to force. Kept per thread until another
/// shape is asked for: the muscles of a model mostly share one.
const BezierCurve& millard_active_curve(const MillardShape& shape);
const BezierCurve& millard_passive_curve(const MillardShape& shape);
const BezierCurve& millard_velocity_curve(const MillardShape& shape);
const BezierCurve& millard_tendon_curve();

}  // namespace sinew
