#pragma once

#include "sinew/body/musculoskeletal.h"

#include <vector>

namespace sinew {

/// A function with its first two derivatives.
struct FunctionValue {
    double value = 0.0;
    double slope = 0.0;
    double curvature = 0.0;
};

/// A ScalarFunction made ready to be evaluated. Beyond its knots a spline goes on straight.
class FunctionEvaluator {
public:
    FunctionEvaluator() = default;
    /// @throws InputError  when the function has too few numbers
    explicit FunctionEvaluator(const ScalarFunction& function);

    FunctionValue operator()(double x) const;

private:
    FunctionValue polynomial(double x) const;
    FunctionValue spline(double x) const;

    ScalarFunction function_ = {};
    std::vector<double> slopes_ = {};  ///< of a spline at its knots
};

/// Slopes at the knots of the cubic spline through (x, y) with continuous curvature. `natural`:
/// curvature 0 at the ends; otherwise the third derivative there is that of the cubic through the
/// four outermost points [Forsythe1977, section 4.4].
std::vector<double> cubic_spline_slopes(const std::vector<double>& x, const std::vector<double>& y,
                                        bool natural);

}  // namespace sinew
