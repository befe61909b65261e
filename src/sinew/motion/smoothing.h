#pragma once

#include "sinew/body/musculoskeletal.h"

#include <vector>

namespace sinew {

/// Low-pass filter without delay: a third-order Butterworth filter by the bilinear transform, run
/// forwards and backwards [Butterworth1930; Winter2009, section 2.2.4.4]. The signal is continued
/// at both ends by half its length, rotated by 180 degrees about its end, so value and slope stay.
/// @param step    time between samples, s, > 0
/// @param cutoff  Hz; from 0.49 / step upwards it is 0.49 / step
std::vector<double> low_pass(const std::vector<double>& signal, double step, double cutoff);

/// The same with its n / 2 samples before and after the n of the signal, n >= 4.
std::vector<double> continued_low_pass(const std::vector<double>& signal, double step,
                                       double cutoff);

/// A signal with its derivatives by time.
struct SplineSamples {
    std::vector<double> value = {};
    std::vector<double> slope = {};
    std::vector<double> curvature = {};
};
/// The natural quintic spline through all samples: of all curves through them the one with the
/// least integral of the squared third derivative.
/// @param times  rising; with fewer than 3 samples slopes are those of the chord
SplineSamples quintic_spline(const std::vector<double>& times, const std::vector<double>& values);

/// Columns of a motion for each coordinate of the model (those missing stay at rest), filtered.
struct CoordinateMotion {
    std::vector<double> times = {};
    /// Row after row: value, speed and acceleration of every coordinate.
    std::vector<double> q = {};
    std::vector<double> speed = {};
    std::vector<double> acceleration = {};
    std::vector<std::string> missing = {};  ///< coordinates that the table does not have
    std::vector<std::string> unused = {};   ///< columns that are no coordinate
};
/// @param cutoff  Hz; <= 0: no filter
/// @throws InputError  when no column names a coordinate, or times do not rise
CoordinateMotion coordinate_motion(const MusculoskeletalModel& model, const MotionTable& table,
                                   double cutoff);

}  // namespace sinew
