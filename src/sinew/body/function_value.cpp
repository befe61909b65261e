#include "sinew/body/function_value.h"

#include "sinew/base/error.h"

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

using Kind = ScalarFunction::Kind;

// Solves a tridiagonal system in place; the matrix is diagonally dominant or nearly so.
std::vector<double> solve_tridiagonal(std::vector<double> low, std::vector<double> mid,
                                      std::vector<double> high, std::vector<double> rhs) {
    const std::size_t n = mid.size();
    for (std::size_t i = 1; i < n; ++i) {
        const double factor = low[i] / mid[i - 1];
        mid[i] -= factor * high[i - 1];
        rhs[i] -= factor * rhs[i - 1];
    }
    rhs[n - 1] /= mid[n - 1];
    for (std::size_t i = n - 1; i-- > 0;) {
        rhs[i] = (rhs[i] - high[i] * rhs[i + 1]) / mid[i];
    }
    return rhs;
}

// Leading coefficient of the cubic through four points: a sixth of its third derivative.
double third_difference(const std::vector<double>& x, const std::vector<double>& y,
                        std::size_t first) {
    std::array<double, 4> d{};
    for (std::size_t i = 0; i < 4; ++i) {
        d[i] = y[first + i];
    }
    for (std::size_t level = 1; level < 4; ++level) {
        for (std::size_t i = 3; i >= level; --i) {
            d[i] = (d[i] - d[i - 1]) / (x[first + i] - x[first + i - level]);
        }
    }
    return d[3];
}

}  // namespace

std::vector<double> cubic_spline_slopes(const std::vector<double>& x, const std::vector<double>& y,
                                        bool natural) {
    const std::size_t n = x.size();
    if (n == 2) {
        const double slope = (y[1] - y[0]) / (x[1] - x[0]);
        return {slope, slope};
    }
    // Curvatures M_i satisfy h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 (s_i -
    // s_{i-1}).
    std::vector<double> h(n - 1);
    std::vector<double> secant(n - 1);
    for (std::size_t i = 0; i + 1 < n; ++i) {
        h[i] = x[i + 1] - x[i];
        secant[i] = (y[i + 1] - y[i]) / h[i];
    }
    std::vector<double> low(n, 0.0);
    std::vector<double> mid(n, 1.0);
    std::vector<double> high(n, 0.0);
    std::vector<double> rhs(n, 0.0);
    for (std::size_t i = 1; i + 1 < n; ++i) {
        low[i] = h[i - 1];
        mid[i] = 2.0 * (h[i - 1] + h[i]);
        high[i] = h[i];
        rhs[i] = 6.0 * (secant[i] - secant[i - 1]);
    }
    if (!natural) {
        // M_1 - M_0 = h_0 * third derivative; with three points that is 0.
        const double first = n > 3 ? 6.0 * third_difference(x, y, 0) : 0.0;
        const double last = n > 3 ? 6.0 * third_difference(x, y, n - 4) : 0.0;
        mid[0] = -h[0];
        high[0] = h[0];
        rhs[0] = h[0] * h[0] * first;
        low[n - 1] = h[n - 2];
        mid[n - 1] = -h[n - 2];
        rhs[n - 1] = -h[n - 2] * h[n - 2] * last;
    }
    const std::vector<double> m = solve_tridiagonal(low, mid, high, rhs);
    std::vector<double> slopes(n);
    for (std::size_t i = 0; i + 1 < n; ++i) {
        slopes[i] = secant[i] - h[i] * (2.0 * m[i] + m[i + 1]) / 6.0;
    }
    slopes[n - 1] = secant[n - 2] + h[n - 2] * (m[n - 2] + 2.0 * m[n - 1]) / 6.0;
    return slopes;
}

FunctionEvaluator::FunctionEvaluator(const ScalarFunction& function) : function_(function) {
    if (function.kind == Kind::SimmSpline || function.kind == Kind::NaturalSpline) {
        if (function.x.size() < 2 || function.x.size() != function.y.size()) {
            throw InputError({.where = "spline",
                              .found = "fewer than 2 points, or not as many x as y",
                              .needs = "at least 2 points",
                              .remedy = "complete the function"});
        }
        slopes_ = cubic_spline_slopes(function.x, function.y, function.kind == Kind::NaturalSpline);
    }
    if (function.kind == Kind::Sine && function.coefficients.size() != 4) {
        throw InputError({.where = "sine",
                          .found = "other than 4 coefficients",
                          .needs = "amplitude, angular frequency, phase and offset",
                          .remedy = "complete the function"});
    }
}

FunctionValue FunctionEvaluator::operator()(double x) const {
    FunctionValue v;
    switch (function_.kind) {
        case Kind::Constant:
            v.value = function_.coefficients[0];
            break;
        case Kind::Linear:
            v.value = function_.coefficients[0] * x + function_.coefficients[1];
            v.slope = function_.coefficients[0];
            break;
        case Kind::Polynomial:
            v = polynomial(x);
            break;
        case Kind::PiecewiseLinear: {
            const auto& xs = function_.x;
            const auto at = std::upper_bound(xs.begin() + 1, xs.end() - 1, x);
            const std::size_t i = static_cast<std::size_t>(at - xs.begin()) - 1;
            v.slope = (function_.y[i + 1] - function_.y[i]) / (xs[i + 1] - xs[i]);
            v.value = function_.y[i] + v.slope * (x - xs[i]);
            break;
        }
        case Kind::SimmSpline:
        case Kind::NaturalSpline:
            v = spline(x);
            break;
        case Kind::Sine: {
            const auto& c = function_.coefficients;
            const double angle = c[1] * x + c[2];
            v = {c[0] * std::sin(angle) + c[3], c[0] * c[1] * std::cos(angle),
                 -c[0] * c[1] * c[1] * std::sin(angle)};
            break;
        }
    }
    const double s = function_.scale;
    return {s * v.value, s * v.slope, s * v.curvature};
}

FunctionValue FunctionEvaluator::polynomial(double x) const {
    FunctionValue v;
    for (const double c : function_.coefficients) {
        v.curvature = v.curvature * x + 2.0 * v.slope;
        v.slope = v.slope * x + v.value;
        v.value = v.value * x + c;
    }
    return v;
}

FunctionValue FunctionEvaluator::spline(double x) const {
    const auto& xs = function_.x;
    const auto& ys = function_.y;
    const std::size_t n = xs.size();
    if (x <= xs[0]) {
        return {ys[0] + slopes_[0] * (x - xs[0]), slopes_[0], 0.0};
    }
    if (x >= xs[n - 1]) {
        return {ys[n - 1] + slopes_[n - 1] * (x - xs[n - 1]), slopes_[n - 1], 0.0};
    }
    const auto at = std::upper_bound(xs.begin() + 1, xs.end() - 1, x);
    const std::size_t i = static_cast<std::size_t>(at - xs.begin()) - 1;
    // Hermite form: y = y0 + t (s0 + t (c + t d)), t = x - x0.
    const double h = xs[i + 1] - xs[i];
    const double secant = (ys[i + 1] - ys[i]) / h;
    const double c = (3.0 * secant - 2.0 * slopes_[i] - slopes_[i + 1]) / h;
    const double d = (slopes_[i] + slopes_[i + 1] - 2.0 * secant) / (h * h);
    const double t = x - xs[i];
    return {ys[i] + t * (slopes_[i] + t * (c + t * d)), slopes_[i] + t * (2.0 * c + 3.0 * t * d),
            2.0 * c + 6.0 * t * d};
}

}  // namespace sinew
