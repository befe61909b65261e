#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/kinematics.h"
#include "sinew/body/marker_data.h"
#include "sinew/body/musculoskeletal.h"

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinew {

/// Which ranges hold while markers are followed.
enum class IkLimits {
    Clamped,  ///< of coordinates that files mark as clamped
    All,
    None,
};

struct IkOptions {
    /// Weights of markers by name; 0: not followed. Others have `weight`.
    std::vector<std::pair<std::string, double>> weights = {};
    double weight = 1.0;  ///< of markers that are not named, >= 0
    /// Weights that hold coordinates at their default value, per rad^2 or m^2 where markers have
    /// theirs per m^2.
    std::vector<std::pair<std::string, double>> coordinate_weights = {};
    IkLimits limits = IkLimits::Clamped;
    double accuracy = 1e-9;  ///< relative decrease of the squared error at which a frame ends
    int iterations = 100;    ///< at the most, per frame
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, IkOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.weights, Field{.name = "marker_weight",
                       .help = "weight of one marker; 0: it is not followed",
                       .min = 0.0,
                       .metavar = "MARKER=W"});
    v(o.weight, Field{.name = "weight", .help = "of all other markers", .min = 0.0});
    v(o.coordinate_weights, Field{.name = "coordinate_weight",
                                  .help = "weight that holds a coordinate at its default value",
                                  .min = 0.0,
                                  .metavar = "COORDINATE=W"});
    v(o.limits, Field{.name = "limits",
                      .help = "which coordinates stay in their ranges",
                      .choices = {"clamped", "all", "none"}});
    v(o.accuracy, Field{.name = "accuracy",
                        .help = "relative decrease of the squared error at which a frame ends",
                        .max = 0.1,
                        .above = 0.0});
    v(o.iterations,
      Field{.name = "iterations", .help = "at the most, per frame", .min = 1, .max = 10000});
}

struct IkResult {
    MotionTable motion = {};  ///< all coordinates, degrees and m
    struct Marker {
        std::string name;
        double weight = 1.0;
        double rms = 0.0;      ///< m, over the frames that saw it
        double largest = 0.0;  ///< m
        std::size_t seen = 0;  ///< frames
    };
    std::vector<Marker> markers = {};        ///< those that were followed or could have been
    std::vector<double> frame_rms = {};      ///< m, over followed markers
    std::vector<double> frame_largest = {};  ///< m
    double rms = 0.0;                        ///< over all frames and followed markers, m
    int unsolved_frames = 0;
    double seconds = 0.0;
    std::vector<std::string> notes = {};
};

/// Coordinates that bring a model's markers to measured ones: per frame
///
///   min_q  sum_m w_m |x_m(q) - y_m|^2 + sum_c w_c (q_c - rest_c)^2,   low <= q <= high
///
/// [Lu1999, global optimisation], by Levenberg and Marquardt's method with exact Jacobians; coupled
/// coordinates are folded onto those they follow, ranges are kept by projection. A frame begins
/// where the last one ended; the first from rest with several rotations of the root, of which the
/// best counts. Markers that a frame does not see are left out of it.
/// @throws InputError  when fewer than three markers are common; Cancelled
IkResult follow_markers(const MusculoskeletalModel& model, const MarkerData& data,
                        const IkOptions& options = {}, const Progress& progress = {});

/// The sum above and its gradient by all coordinates, for one frame; what the solver minimises.
/// @param gradient  may be null
double marker_cost(const MusculoskeletalModel& model, const MarkerData& data, std::size_t frame,
                   const IkOptions& options, std::span<const double> q,
                   std::vector<double>* gradient);

}  // namespace sinew
