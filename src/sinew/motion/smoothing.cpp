#include "sinew/motion/smoothing.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/body/function_value.h"
#include "sinew/body/motion_units.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// Positions to velocities and accelerations. A third-order Butterworth low-pass, forward and
// backward so that nothing is delayed, then a quintic spline whose derivatives are exact: the order
// of OpenSim's tools, so that inverse dynamics can be compared. Ends are continued by reflection
// through the last sample before filtering.
//
// The spline's unknowns are slope and curvature at each knot, a block tridiagonal system with 2 x 2
// blocks; third and fourth derivatives vanish at the ends.

namespace sinew {

namespace {

// One pass of the filter; the first three samples are kept.
std::vector<double> butterworth(const std::vector<double>& x, double step, double cutoff) {
    // (s + 1)(s^2 + s + 1) with s = (1 - z^-1) / (w (1 + z^-1)), w = tan(pi f T).
    const double w = std::tan(kPi * cutoff * step);
    const double w2 = w * w;
    const double w3 = w2 * w;
    const double scale = 1.0 / ((w + 1.0) * (w2 + w + 1.0));
    const double gain = w3 * scale;
    const std::array<double, 3> back = {(3.0 * w3 + 2.0 * w2 - 2.0 * w - 3.0) * scale,
                                        (3.0 * w3 - 2.0 * w2 - 2.0 * w + 3.0) * scale,
                                        (w - 1.0) * (w2 - w + 1.0) * scale};
    std::vector<double> y(x);
    for (std::size_t i = 3; i < x.size(); ++i) {
        y[i] = gain * (x[i] + 3.0 * x[i - 1] + 3.0 * x[i - 2] + x[i - 3]) - back[0] * y[i - 1] -
               back[1] * y[i - 2] - back[2] * y[i - 3];
    }
    return y;
}

using Mat2 = Eigen::Matrix2d;

}  // namespace

std::vector<double> low_pass(const std::vector<double>& signal, double step, double cutoff) {
    if (signal.size() < 4) {
        return signal;
    }
    const std::vector<double> x = continued_low_pass(signal, step, cutoff);
    const auto pad = static_cast<std::ptrdiff_t>(signal.size() / 2);
    return {x.begin() + pad, x.begin() + pad + static_cast<std::ptrdiff_t>(signal.size())};
}

// Point reflection keeps value and slope continuous at the ends; half of the signal on either side
// lets the filter's transient die out before the motion begins.
std::vector<double> continued_low_pass(const std::vector<double>& signal, double step,
                                       double cutoff) {
    const std::size_t n = signal.size();
    SINEW_ASSERT(n >= 4, "{} samples", n);
    cutoff = std::min(cutoff, 0.49 / step);
    const std::size_t pad = n / 2;
    std::vector<double> x;
    x.reserve(n + 2 * pad);
    for (std::size_t i = pad; i > 0; --i) {
        x.push_back(2.0 * signal[0] - signal[i]);
    }
    x.insert(x.end(), signal.begin(), signal.end());
    for (std::size_t i = 0; i < pad; ++i) {
        x.push_back(2.0 * signal[n - 1] - signal[n - 2 - i]);
    }
    x = butterworth(x, step, cutoff);
    std::reverse(x.begin(), x.end());
    x = butterworth(x, step, cutoff);
    std::reverse(x.begin(), x.end());
    return x;
}

SplineSamples quintic_spline(const std::vector<double>& times, const std::vector<double>& values) {
    const std::size_t n = times.size();
    SplineSamples out{values, std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
    if (n < 3) {
        if (n == 2) {
            const double slope = (values[1] - values[0]) / (times[1] - times[0]);
            out.slope = {slope, slope};
        }
        return out;
    }
    // Unknowns per knot: slope p and curvature c. On an interval of length h with rise D the
    // quintic Hermite form has, at its beginning,
    //   y'''  = 60 D/h^3 - (36 p0 + 24 p1)/h^2 - (9 c0 - 3 c1)/h
    //   y'''' = -360 D/h^4 + (192 p0 + 168 p1)/h^3 + (36 c0 - 24 c1)/h^2
    // and at its end the mirrored ones. Both are continuous at inner knots and 0 at the ends.
    // Block elimination without pivoting.
    std::vector<Mat2> low(n, Mat2::Zero());
    std::vector<Mat2> mid(n, Mat2::Zero());
    std::vector<Mat2> high(n, Mat2::Zero());
    std::vector<Vec2> rhs(n, Vec2::Zero());
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const double h = times[i + 1] - times[i];
        const double rise = values[i + 1] - values[i];
        const double h2 = h * h;
        const double h3 = h2 * h;
        Mat2 own;
        Mat2 other;
        // Beginning of the interval, subtracted from the end of the one before.
        own << 36.0 / h2, 9.0 / h, -192.0 / h3, -36.0 / h2;
        other << 24.0 / h2, -3.0 / h, -168.0 / h3, 24.0 / h2;
        mid[i] += own;
        high[i] += other;
        rhs[i] += Vec2(60.0 * rise / h3, -360.0 * rise / (h3 * h));
        // End of the interval.
        own << -36.0 / h2, 9.0 / h, -192.0 / h3, 36.0 / h2;
        other << -24.0 / h2, -3.0 / h, -168.0 / h3, -24.0 / h2;
        mid[i + 1] += own;
        low[i + 1] += other;
        rhs[i + 1] += Vec2(-60.0 * rise / h3, -360.0 * rise / (h3 * h));
    }
    for (std::size_t i = 1; i < n; ++i) {
        const Mat2 factor = low[i] * mid[i - 1].inverse();
        mid[i] -= factor * high[i - 1];
        rhs[i] -= factor * rhs[i - 1];
    }
    Vec2 x = Vec2::Zero();
    for (std::size_t i = n; i-- > 0;) {
        const Vec2 r = i + 1 < n ? Vec2(rhs[i] - high[i] * x) : rhs[i];
        x = mid[i].inverse() * r;
        out.slope[i] = x[0];
        out.curvature[i] = x[1];
    }
    return out;
}

namespace {

// The part of `whole` that belongs to the n samples in its middle.
SplineSamples middle_of(const SplineSamples& whole, std::size_t first, std::size_t n) {
    const auto part = [&](const std::vector<double>& x) {
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(n));
    };
    return {part(whole.value), part(whole.slope), part(whole.curvature)};
}

// Filter and spline at even steps. The spline runs on over the continued ends: its free ends, where
// curvature is unknown, then lie far from the motion.
SplineSamples smooth_even(double begin, double step, const std::vector<double>& values,
                          double cutoff) {
    const std::size_t pad = values.size() / 2;
    const std::vector<double> x = continued_low_pass(values, step, cutoff);
    std::vector<double> times(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        times[i] = begin + step * (static_cast<double>(i) - static_cast<double>(pad));
    }
    return middle_of(quintic_spline(times, x), pad, values.size());
}

SplineSamples smooth(const std::vector<double>& times, const std::vector<double>& values,
                     double cutoff) {
    if (cutoff <= 0.0 || times.size() < 4) {
        return quintic_spline(times, values);
    }
    const double step = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
    bool is_even = true;
    for (std::size_t i = 1; i < times.size(); ++i) {
        is_even = is_even && std::abs(times[i] - times[i - 1] - step) < 1e-3 * step;
    }
    if (is_even) {
        return smooth_even(times.front(), step, values, cutoff);
    }
    // The filter needs even steps: there and back by cubic splines.
    ScalarFunction f{.kind = ScalarFunction::Kind::NaturalSpline, .x = times, .y = values};
    const FunctionEvaluator uneven(f);
    f.x.clear();
    f.y.clear();
    for (std::size_t i = 0; i < times.size(); ++i) {
        f.x.push_back(times.front() + step * static_cast<double>(i));
        f.y.push_back(uneven(f.x.back()).value);
    }
    f.y = low_pass(f.y, step, cutoff);
    const FunctionEvaluator back(f);
    std::vector<double> smoothed;
    for (const double t : times) {
        smoothed.push_back(back(t).value);
    }
    return quintic_spline(times, smoothed);
}

}  // namespace

CoordinateMotion coordinate_motion(const MusculoskeletalModel& model, const MotionTable& table,
                                   double cutoff) {
    const std::size_t rows = table.times.size();
    const std::size_t count = model.coordinates.size();
    for (std::size_t i = 1; i < rows; ++i) {
        if (!(table.times[i] > table.times[i - 1])) {
            throw InputError(
                {.where = fmt::format("motion '{}', row {}", table.name, i + 1),
                 .found = fmt::format("time {} after {}", table.times[i], table.times[i - 1]),
                 .needs = "times that rise",
                 .remedy = "sort the rows and drop doubles"});
        }
    }
    CoordinateMotion motion{.times = table.times};
    motion.q.resize(rows * count);
    motion.speed.assign(rows * count, 0.0);
    motion.acceleration.assign(rows * count, 0.0);
    std::vector<bool> is_used(table.columns.size(), false);
    for (std::size_t c = 0; c < count; ++c) {
        const Coordinate& coordinate = model.coordinates[c];
        const Index found = column_of(table, coordinate.name);
        if (found < 0) {
            motion.missing.push_back(coordinate.name);
            for (std::size_t r = 0; r < rows; ++r) {
                motion.q[r * count + c] = coordinate.rest;
            }
            continue;
        }
        const auto column = static_cast<std::size_t>(found);
        is_used[column] = true;
        const double unit = table.in_degrees && coordinate.is_rotation ? kPi / 180.0 : 1.0;
        std::vector<double> values(rows);
        for (std::size_t r = 0; r < rows; ++r) {
            values[r] = table.at(r, column) * unit;
        }
        const SplineSamples s = smooth(table.times, values, cutoff);
        for (std::size_t r = 0; r < rows; ++r) {
            motion.q[r * count + c] = s.value[r];
            motion.speed[r * count + c] = s.slope[r];
            motion.acceleration[r * count + c] = s.curvature[r];
        }
    }
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
        if (!is_used[k]) {
            motion.unused.push_back(table.columns[k]);
        }
    }
    if (motion.unused.size() == table.columns.size()) {
        throw InputError({.where = fmt::format("motion '{}'", table.name),
                          .found = fmt::format("columns {}", join(table.columns, ", ")),
                          .needs = "columns named after the model's coordinates",
                          .remedy = "choose the motion that belongs to this model"});
    }
    return motion;
}

}  // namespace sinew
