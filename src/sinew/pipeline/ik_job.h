#pragma once

#include "sinew/motion/inverse_kinematics.h"
#include "sinew/motion/model_scaling.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// The axis that points up in marker files.
enum class MarkerUp { AsFile, Y, Z };

/// Markers that were measured, and how they are to be followed.
struct MarkerTrial {
    std::string markers = {};
    MarkerUp up = MarkerUp::AsFile;
    std::string marker_set = {};  ///< OpenSim's MarkerSet or JSON
    std::string weights = {};     ///< OpenSim's IKTaskSet or JSON
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MarkerTrial>
void visit_fields(Options& o, Visitor&& v) {
    v(o.markers, Field{.name = "markers",
                       .help = "measured positions of markers (.trc, .c3d); of a static trial for "
                               "scale",
                       .is_path = true,
                       .metavar = "FILE"});
    v(o.up, Field{.name = "up",
                  .help = "axis that points up in the marker file: what a .c3d says, else y for "
                          ".trc and z for .c3d",
                  .choices = {"as-file", "y", "z"}});
    v(o.marker_set,
      Field{.name = "marker_set",
            .help = "markers that the model gets or that move: OpenSim's MarkerSet (.xml), or "
                    "JSON, which may name landmarks of a body",
            .is_path = true,
            .metavar = "FILE"});
    v(o.weights, Field{.name = "weights",
                       .help = "weights of markers: OpenSim's IKTaskSet (.xml) or JSON",
                       .is_path = true,
                       .metavar = "FILE"});
}

/// The job of `sinew ik`.
struct IkJob {
    MarkerTrial trial = {};
    IkOptions options = {};
    std::string errors = {};
    std::string plot = {};
    std::string output = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, IkJob>
void visit_fields(Options& o, Visitor&& v) {
    visit_fields(o.trial, v);
    visit_fields(o.options, v);
    v(o.errors, Field{.name = "errors",
                      .help = "errors of all frames to write (.sto)",
                      .is_path = true,
                      .metavar = "FILE"});
    v(o.plot, Field{.name = "plot",
                    .help = "picture of the coordinates (.png, .svg)",
                    .is_path = true,
                    .metavar = "FILE"});
    v(o.output,
      Field{
          .name = "output", .help = "motion to write (.mot)", .is_path = true, .metavar = "FILE"});
}

/// Adds the markers of a file to a model, or moves those that it has. Names of landmarks give a
/// marker another name.
/// @throws InputError for bodies and landmarks that the model lacks
void apply_marker_set(const std::filesystem::path& file, MusculoskeletalModel& model);

/// Markers of a .trc or .c3d. @throws InputError
MarkerData read_markers(const std::filesystem::path& path, MarkerUp up = MarkerUp::AsFile);

/// @throws InputError; Cancelled
IkResult run_ik(const MusculoskeletalModel& model, const IkJob& job, const Progress& progress = {});

/// RMS and largest error per frame, m.
MotionTable table_of_errors(const IkResult& result);

/// The job of `sinew scale`.
struct ScaleJob {
    MarkerTrial trial = {};  ///< static
    std::string setup = {};  ///< OpenSim's MeasurementSet or JSON
    double mass = 0.0;       ///< kg; 0: the set-up's, else with the volumes
    bool place_markers = true;
    std::string output = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ScaleJob>
void visit_fields(Options& o, Visitor&& v) {
    visit_fields(o.trial, v);
    v(o.setup, Field{.name = "setup",
                     .help = "pairs of markers and the bodies they scale: OpenSim's "
                             "MeasurementSet (.xml) or JSON; without it, pairs on each body",
                     .is_path = true,
                     .metavar = "FILE"});
    v(o.mass, Field{.name = "mass",
                    .help = "of the person; 0: as the set-up says, else as volumes grow",
                    .unit = "kg",
                    .min = 0.0});
    v(o.place_markers, Field{.name = "place_markers",
                             .help = "moving the model's markers to where the person wears them"});
    v(o.output,
      Field{
          .name = "output", .help = "model to write (.osim)", .is_path = true, .metavar = "FILE"});
}

struct ScaledModel {
    MusculoskeletalModel model = {};
    std::vector<Vec3> factors = {};  ///< per body
    std::vector<ScalePair> pairs = {};
    double mass = 0.0;        ///< kg
    double marker_rms = 0.0;  ///< of the static pose before markers move, m
    std::vector<std::string> notes = {};
};

/// @throws InputError
ScaledModel run_scale(const MusculoskeletalModel& model, const ScaleJob& job,
                      const Progress& progress = {});

}  // namespace sinew
