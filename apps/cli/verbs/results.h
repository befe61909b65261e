#pragma once

#include "sinew/base/fields.h"
#include "sinew/pipeline/skin_run.h"

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/verbs/exam_results.h"

namespace sinew::cli {

// What verbs without a summary of their own say with --json (docs/jobs.md): the fields of the
// schema's "result". Optional ones are there for some inputs only.

using Names = std::vector<std::string>;
using Count = std::int64_t;
template <class T>
using ByName = std::vector<std::pair<std::string, T>>;

/// A muscle's length in MuJoCo against ours.
struct ConvertedMuscle {
    std::string name;
    std::string lacks;
    double rms = 0.0;
    double most = 0.0;
    double over_1mm = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ConvertedMuscle>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the muscle"});
    v(o.lacks, Field{.name = "cannot_express", .help = "of its path; empty: nothing"});
    v(o.rms, Field{.name = "rms_mm", .help = "difference of lengths", .unit = "mm"});
    v(o.most, Field{.name = "most_mm", .help = "largest difference", .unit = "mm"});
    v(o.over_1mm, Field{.name = "over_1mm", .help = "fraction of poses over 1 mm"});
}

struct ConvertResult {
    std::string input;
    std::string output;
    std::string summary;
    std::optional<std::string> converted = {};
    std::optional<Names> notes = {};
    std::optional<std::vector<ConvertedMuscle>> muscles = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ConvertResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.input, Field{.name = "input", .help = "the file read"});
    v(o.output, Field{.name = "output", .help = "the file written"});
    v(o.summary, Field{.name = "summary", .help = "what was written, for people"});
    v(o.converted, Field{.name = "converted", .help = "unit and axes, where they were others"});
    v(o.notes, Field{.name = "notes", .help = "of a model: what another program reads otherwise"});
    v(o.muscles, Field{.name = "muscles", .help = "lengths in MuJoCo, where it is installed"});
}

struct ExportResult {
    std::optional<Names> files = {};
    std::optional<Count> vertices = {};
    std::optional<Count> tets = {};
    std::string output;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ExportResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.files, Field{.name = "files", .help = "surfaces written"});
    v(o.vertices, Field{.name = "vertices", .help = "of the tetrahedra"});
    v(o.tets, Field{.name = "tets", .help = "tetrahedra written"});
    v(o.output, Field{.name = "output", .help = "the file or folder written"});
}

struct FigureResult {
    std::string output;
    std::string sex;
    Count bones = 0;
    Count muscles = 0;
    Count skin_vertices = 0;
    double stature = 0.0;        ///< m
    double volume = 0.0;         ///< l
    double muscle_volume = 0.0;  ///< l
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, FigureResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.output, Field{.name = "output", .help = "the file or folder written"});
    v(o.sex, Field{.name = "sex", .help = "of the figure"});
    v(o.bones, Field{.name = "bones", .help = "number of bones"});
    v(o.muscles, Field{.name = "muscles", .help = "number of muscles"});
    v(o.skin_vertices, Field{.name = "skin_vertices", .help = "of the skin"});
    v(o.stature, Field{.name = "stature_m", .help = "of the figure", .unit = "m"});
    v(o.volume, Field{.name = "volume_l", .help = "inside of the skin", .unit = "l"});
    v(o.muscle_volume, Field{.name = "muscle_volume_l", .help = "of all muscles", .unit = "l"});
}

struct RenderResult {
    std::string output;
    int width = 0;
    int height = 0;
    double seconds = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RenderResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.output, Field{.name = "output", .help = "the picture written"});
    v(o.width, Field{.name = "width", .help = "in pixels"});
    v(o.height, Field{.name = "height", .help = "in pixels"});
    v(o.seconds, Field{.name = "seconds", .help = "time taken", .unit = "s"});
}

struct RemeshResult {
    std::string output;
    std::string summary;
    Count new_intersections = 0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RemeshResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.output, Field{.name = "output", .help = "the file written"});
    v(o.summary, Field{.name = "summary", .help = "what was written, for people"});
    v(o.new_intersections, Field{.name = "new_intersections",
                                 .help = "pairs of triangles that cross and did not before"});
}

struct RepairResult {
    struct Action {
        std::string part;
        std::string what;
        Count count = 0;
    };
    std::vector<Action> actions = {};
    std::string output;
    bool healthy = false;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RepairResult::Action>
void visit_fields(Options& o, Visitor&& v) {
    v(o.part, Field{.name = "part", .help = "of the file"});
    v(o.what, Field{.name = "what", .help = "was mended"});
    v(o.count, Field{.name = "count", .help = "how many of them"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RepairResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.actions, Field{.name = "actions", .help = "what was done"});
    v(o.output, Field{.name = "output", .help = "the file written"});
    v(o.healthy, Field{.name = "healthy", .help = "nothing is left to mend"});
}

struct TetrahedraliseResult {
    std::string output;
    Count vertices = 0;
    Count tets = 0;
    double volume = 0.0;  ///< l
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, TetrahedraliseResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.output, Field{.name = "output", .help = "the file written"});
    v(o.vertices, Field{.name = "vertices", .help = "of the tetrahedra"});
    v(o.tets, Field{.name = "tets", .help = "number of tetrahedra"});
    v(o.volume, Field{.name = "volume_l", .help = "of all of them", .unit = "l"});
}

struct StudioResult {
    std::string address;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, StudioResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.address, Field{.name = "address", .help = "of the page, printed when the studio starts"});
}

struct RomResult {
    struct Range {
        std::string coordinate;
        double low = 0.0;   ///< degrees or m
        double high = 0.0;  ///< degrees or m
        std::string low_muscle;
        std::string high_muscle;
        bool rest_is_valid = true;
    };
    std::string model;
    std::string joint;
    std::vector<Range> ranges = {};
    std::optional<Count> swings = {};
    std::optional<Count> directions = {};
    std::optional<Count> twists = {};
    std::optional<Count> cells = {};
    std::optional<Count> valid_cells = {};
    std::optional<double> valid_fraction = {};
    std::optional<ByName<double>> limiting_muscles = {};
    std::optional<Names> valid = {};
    struct Edit {
        double valid_before = 0.0;
        double valid_wished = 0.0;
        double valid = 0.0;
        double error = 0.0;
        std::string output;
    };
    std::optional<Edit> edit = {};
    std::optional<Names> notes = {};
    std::optional<std::string> output = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RomResult::Edit>
void visit_fields(Options& o, Visitor&& v) {
    v(o.valid_before, Field{.name = "valid_before", .help = "fraction of poses allowed before"});
    v(o.valid_wished, Field{.name = "valid_wished", .help = "that the wish allows"});
    v(o.valid, Field{.name = "valid", .help = "that the written muscles allow"});
    v(o.error, Field{.name = "error", .help = "fraction where these two differ"});
    v(o.output, Field{.name = "output", .help = "the model written"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RomResult::Range>
void visit_fields(Options& o, Visitor&& v) {
    v(o.coordinate, Field{.name = "coordinate", .help = "of the joint"});
    v(o.low, Field{.name = "low", .help = "end of the range, degrees or m"});
    v(o.high, Field{.name = "high", .help = "end of the range, degrees or m"});
    v(o.low_muscle, Field{.name = "low_muscle", .help = "that ends it below; empty: none"});
    v(o.high_muscle, Field{.name = "high_muscle", .help = "that ends it above; empty: none"});
    v(o.rest_is_valid, Field{.name = "rest_is_valid", .help = "no muscle is overstretched there"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RomResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.model, Field{.name = "model", .help = "its name"});
    v(o.joint, Field{.name = "joint", .help = "its name"});
    v(o.ranges, Field{.name = "ranges", .help = "of its coordinates, one by one"});
    v(o.swings, Field{.name = "swings", .help = "of a ball joint: angles away from rest"});
    v(o.directions, Field{.name = "directions", .help = "of the swings"});
    v(o.twists, Field{.name = "twists", .help = "about the bone"});
    v(o.cells, Field{.name = "cells", .help = "of swing, direction and twist"});
    v(o.valid_cells, Field{.name = "valid_cells", .help = "that can be reached"});
    v(o.valid_fraction, Field{.name = "valid_fraction", .help = "of all rotations"});
    v(o.limiting_muscles, Field{.name = "limiting_muscles", .help = "cells that each one ends"});
    v(o.valid, Field{.name = "valid", .help = "rows of 0 and 1, one per swing and direction"});
    v(o.edit, Field{.name = "edit", .help = "the change of the range; all else is before it"});
    v(o.notes, Field{.name = "notes", .help = "worth knowing"});
    v(o.output, Field{.name = "output", .help = "the picture written"});
}

struct IkResultFields {
    struct Marker {
        double weight = 1.0;
        double rms = 0.0;      ///< mm
        double largest = 0.0;  ///< mm
        Count frames = 0;
    };
    std::string model;
    std::string input;
    Count frames = 0;
    Count unsolved_frames = 0;
    double frames_per_s = 0.0;
    double rms = 0.0;  ///< mm
    ByName<Marker> markers = {};
    Names notes = {};
    std::optional<std::string> output = {};
    std::optional<std::string> errors = {};
    std::optional<std::string> plot = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, IkResultFields::Marker>
void visit_fields(Options& o, Visitor&& v) {
    v(o.weight, Field{.name = "weight", .help = "of the marker"});
    v(o.rms, Field{.name = "rms_mm", .help = "error over the frames", .unit = "mm"});
    v(o.largest, Field{.name = "largest_mm", .help = "error of any frame", .unit = "mm"});
    v(o.frames, Field{.name = "frames", .help = "in which it was seen"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, IkResultFields>
void visit_fields(Options& o, Visitor&& v) {
    v(o.model, Field{.name = "model", .help = "its name"});
    v(o.input, Field{.name = "input", .help = "measured markers"});
    v(o.frames, Field{.name = "frames", .help = "of the motion"});
    v(o.unsolved_frames, Field{.name = "unsolved_frames", .help = "that did not converge"});
    v(o.frames_per_s, Field{.name = "frames_per_s", .help = "solved", .unit = "1/s"});
    v(o.rms, Field{.name = "rms_mm", .help = "error of all markers and frames", .unit = "mm"});
    v(o.markers, Field{.name = "markers", .help = "errors by marker"});
    v(o.notes, Field{.name = "notes", .help = "worth knowing"});
    v(o.output, Field{.name = "output", .help = "the motion written"});
    v(o.errors, Field{.name = "errors", .help = "the table of errors written"});
    v(o.plot, Field{.name = "plot", .help = "the picture written"});
}

struct ScaleResult {
    struct Pair {
        std::string measurement;
        Names markers = {};
        double measured = 0.0;  ///< m
        double model = 0.0;     ///< m
    };
    std::string model;
    std::string input;
    ByName<std::array<double, 3>> factors = {};
    std::vector<Pair> pairs = {};
    double mass = 0.0;        ///< kg
    double static_rms = 0.0;  ///< mm
    std::optional<std::string> output = {};
    Names notes = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ScaleResult::Pair>
void visit_fields(Options& o, Visitor&& v) {
    v(o.measurement, Field{.name = "measurement", .help = "its name"});
    v(o.markers, Field{.name = "markers", .help = "the two between which it is measured"});
    v(o.measured, Field{.name = "measured_m", .help = "on the person", .unit = "m"});
    v(o.model, Field{.name = "model_m", .help = "on the model", .unit = "m"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ScaleResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.model, Field{.name = "model", .help = "its name"});
    v(o.input, Field{.name = "input", .help = "measured markers"});
    v(o.factors, Field{.name = "factors", .help = "x, y and z of each body"});
    v(o.pairs, Field{.name = "pairs", .help = "distances that the factors come from"});
    v(o.mass, Field{.name = "mass_kg", .help = "of the scaled model", .unit = "kg"});
    v(o.static_rms, Field{.name = "static_rms_mm", .help = "of markers at rest", .unit = "mm"});
    v(o.output, Field{.name = "output", .help = "the model written"});
    v(o.notes, Field{.name = "notes", .help = "worth knowing"});
}

struct RetargetEnergy {
    double direction = 0.0;
    double length = 0.0;
    double waypoint = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetEnergy>
void visit_fields(Options& o, Visitor&& v) {
    v(o.direction, Field{.name = "direction", .help = "of pieces of the path (Ryu 2021, eq. 7)"});
    v(o.length, Field{.name = "length", .help = "of length-angle curves (eq. 8)"});
    v(o.waypoint, Field{.name = "waypoint", .help = "both, weighted (eq. 6)"});
}

struct RetargetMuscle {
    std::string name;
    bool routed = false;
    RetargetEnergy before = {};
    RetargetEnergy after = {};
    double disorder_naive = 0.0;
    double disorder = 0.0;
    double farthest_move = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetMuscle>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the muscle"});
    v(o.routed, Field{.name = "routed", .help = "its points were optimised"});
    v(o.before, Field{.name = "energy_before", .help = "with its points on their bones"});
    v(o.after, Field{.name = "energy_after", .help = "after the optimisation"});
    v(o.disorder_naive, Field{.name = "disorder_naive",
                              .help = "fraction of the range where it does the opposite, worst of "
                                      "its motions, muscles only scaled"});
    v(o.disorder, Field{.name = "disorder", .help = "the same, retargeted"});
    v(o.farthest_move, Field{.name = "farthest_move_m", .help = "of a point", .unit = "m"});
}

struct RetargetRange {
    std::string joint;
    double valid_fraction = 0.0;
    double error_naive = 0.0;
    double error = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetRange>
void visit_fields(Options& o, Visitor&& v) {
    v(o.joint, Field{.name = "joint", .help = "that muscles cross"});
    v(o.valid_fraction, Field{.name = "valid_fraction", .help = "of poses the reference allows"});
    v(o.error_naive, Field{.name = "error_naive",
                           .help = "fraction of poses that change their answer, muscles only "
                                   "scaled"});
    v(o.error, Field{.name = "error", .help = "the same, retargeted"});
}

struct RetargetFinding {
    std::string what;
    std::string where;
    double value = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetFinding>
void visit_fields(Options& o, Visitor&& v) {
    v(o.what, Field{.name = "what", .help = "in plain words"});
    v(o.where, Field{.name = "where", .help = "part of the model"});
    v(o.value, Field{.name = "value", .help = "that was found"});
}

struct RetargetFindings {
    Count errors = 0;
    Count remarks = 0;
    std::vector<RetargetFinding> list = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetFindings>
void visit_fields(Options& o, Visitor&& v) {
    v(o.errors, Field{.name = "errors", .help = "what a body could not be or do"});
    v(o.remarks, Field{.name = "remarks", .help = "worth a look"});
    v(o.list, Field{.name = "list", .help = "the errors"});
}

struct RetargetDoctor {
    RetargetFindings before = {};
    RetargetFindings after = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetDoctor>
void visit_fields(Options& o, Visitor&& v) {
    v(o.before, Field{.name = "before", .help = "of the reference"});
    v(o.after, Field{.name = "after", .help = "of what was written"});
}

struct RetargetParted {
    std::array<double, 2> correlation = {};
    double rom_error = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetParted>
void visit_fields(Options& o, Visitor&& v) {
    v(o.correlation, Field{.name = "length_curve_correlation",
                           .help = "of the same body with and without such points: median, 5th "
                                   "percentile"});
    v(o.rom_error, Field{.name = "rom_error",
                         .help = "fraction of poses that change their answer, worst joint"});
}

struct RetargetEquivalence {
    Count poses = 0;
    Count muscles = 0;
    double length = 0.0;
    std::string length_muscle;
    double mean_length = 0.0;
    double moment_arm = 0.0;
    std::string moment_arm_muscle;
    std::string moment_arm_coordinate;
    double torque = 0.0;
    std::string torque_coordinate;
    double torque_share = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetEquivalence>
void visit_fields(Options& o, Visitor&& v) {
    v(o.poses, Field{.name = "poses", .help = "random ones, all coordinates at once"});
    v(o.muscles, Field{.name = "muscles", .help = "of both"});
    v(o.length, Field{.name = "length_mm", .help = "greatest difference", .unit = "mm"});
    v(o.length_muscle, Field{.name = "length_muscle", .help = "whose it is"});
    v(o.mean_length, Field{.name = "mean_length_mm", .help = "mean difference", .unit = "mm"});
    v(o.moment_arm, Field{.name = "moment_arm_mm", .help = "greatest difference", .unit = "mm"});
    v(o.moment_arm_muscle, Field{.name = "moment_arm_muscle", .help = "whose it is"});
    v(o.moment_arm_coordinate, Field{.name = "moment_arm_coordinate", .help = "about which"});
    v(o.torque, Field{.name = "torque_nm",
                      .help = "greatest difference of all muscles' torque at full activation",
                      .unit = "N m"});
    v(o.torque_coordinate, Field{.name = "torque_coordinate", .help = "about which"});
    v(o.torque_share, Field{.name = "torque_share", .help = "RMS of differences over RMS"});
}

struct RetargetPenetration {
    double depth = 0.0;
    double inside = 0.0;
    double deepest = 0.0;
    std::string muscle;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetPenetration>
void visit_fields(Options& o, Visitor&& v) {
    v(o.depth, Field{.name = "depth_over_length",
                     .help = "mean depth of lines in bones over their length at rest, mean over "
                             "muscles and motions"});
    v(o.inside, Field{.name = "inside", .help = "fraction of lines that is inside bones"});
    v(o.deepest, Field{.name = "deepest_over_length", .help = "deepest point over length"});
    v(o.muscle, Field{.name = "deepest_muscle", .help = "whose that is"});
}

struct RetargetBones {
    RetargetPenetration reference = {};
    RetargetPenetration naive = {};
    RetargetPenetration retargeted = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetBones>
void visit_fields(Options& o, Visitor&& v) {
    v(o.reference, Field{.name = "reference", .help = "the model it comes from"});
    v(o.naive, Field{.name = "naive", .help = "muscles only moved with their bones"});
    v(o.retargeted, Field{.name = "retargeted", .help = "what was written"});
}

struct RetargetFlesh {
    double stature = 0.0;
    double mass = 0.0;
    Count inverted_tets = 0;
    Count crossings = 0;
    Count crossings_before = 0;
    double gap = 0.0;
    double force = 0.0;
    double length = 0.0;
    double worst_length = 0.0;
    std::string worst_length_muscle;
    double fibre = 0.0;
    double joint_centres = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetFlesh>
void visit_fields(Options& o, Visitor&& v) {
    v(o.stature, Field{.name = "stature_m", .help = "height of the skin", .unit = "m"});
    v(o.mass, Field{.name = "mass_kg", .help = "of the flesh", .unit = "kg"});
    v(o.inverted_tets, Field{.name = "inverted_tets", .help = "tetrahedra inside out"});
    v(o.crossings, Field{.name = "skin_crossings", .help = "pairs of skin triangles that cross"});
    v(o.crossings_before,
      Field{.name = "skin_crossings_before", .help = "of the body it comes from"});
    v(o.gap, Field{.name = "largest_gap_mm",
                   .help = "between flesh and the bones that hold it",
                   .unit = "mm"});
    v(o.force, Field{.name = "lines_force",
                     .help = "greatest relative difference of forces between the retargeted lines "
                             "and the model that `convert` makes of the new body"});
    v(o.length, Field{.name = "lines_length", .help = "the same of lengths at rest, median"});
    v(o.worst_length, Field{.name = "lines_worst_length", .help = "the same, greatest"});
    v(o.worst_length_muscle, Field{.name = "lines_worst_length_muscle", .help = "whose it is"});
    v(o.fibre, Field{.name = "lines_fibre", .help = "of optimal fibre lengths, median"});
    v(o.joint_centres, Field{.name = "lines_joint_centres_mm",
                             .help = "greatest distance of joints' centres",
                             .unit = "mm"});
}

struct RetargetResult {
    std::string model;
    std::string to;
    double seconds = 0.0;
    std::array<double, 2> correlation_naive = {};
    std::array<double, 2> correlation = {};
    double peak_naive = 0.0;
    double peak = 0.0;
    std::vector<RetargetMuscle> muscles = {};
    std::vector<RetargetRange> rom = {};
    RetargetDoctor doctor = {};
    Names notes = {};
    std::optional<std::string> output = {};
    std::optional<RetargetParted> parted = {};
    std::optional<RetargetEquivalence> equivalence = {};
    std::optional<std::string> plot = {};
    std::optional<ExamResults> exam = {};
    std::optional<PoseLengthResults> poses = {};
    std::optional<std::vector<SkillResult>> skills = {};
    std::optional<std::string> skills_plot = {};
    std::optional<RetargetFlesh> flesh = {};
    std::optional<RetargetBones> bones = {};
    std::optional<std::string> report = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RetargetResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.model, Field{.name = "model", .help = "its name"});
    v(o.to, Field{.name = "to", .help = "proportions"});
    v(o.seconds, Field{.name = "seconds", .help = "of the retargeting", .unit = "s"});
    v(o.correlation_naive, Field{.name = "length_curve_correlation_naive",
                                 .help = "with the reference's curves, muscles only scaled: "
                                         "median, 5th percentile"});
    v(o.correlation, Field{.name = "length_curve_correlation", .help = "the same, retargeted"});
    v(o.peak_naive, Field{.name = "peak_torque_deg_naive",
                          .help = "mean distance of angles of greatest torque, muscles only scaled",
                          .unit = "deg"});
    v(o.peak, Field{.name = "peak_torque_deg", .help = "the same, retargeted", .unit = "deg"});
    v(o.muscles, Field{.name = "muscles", .help = "each one's energies and function"});
    v(o.rom, Field{.name = "rom", .help = "range of motion by joint"});
    v(o.doctor, Field{.name = "doctor", .help = "findings, as `sinew check` has them"});
    v(o.notes, Field{.name = "notes", .help = "worth knowing"});
    v(o.output, Field{.name = "output", .help = "the model written"});
    v(o.parted, Field{.name = "single_bone_points",
                      .help = "what it costs that files hold no points that follow two bones"});
    v(o.equivalence,
      Field{.name = "equivalence", .help = "the file, read back, against the model in memory"});
    v(o.plot, Field{.name = "plot", .help = "the picture written"});
    v(o.exam, Field{.name = "exam", .help = "the examination table"});
    v(o.poses, Field{.name = "poses", .help = "maximal lengths from poses"});
    v(o.skills, Field{.name = "skills", .help = "motions that muscles are asked for"});
    v(o.skills_plot, Field{.name = "skills_plot", .help = "the picture of them written"});
    v(o.flesh, Field{.name = "flesh", .help = "of a body, and how its lines agree with it"});
    v(o.bones, Field{.name = "bones", .help = "lines through bones, where there are meshes"});
    v(o.report, Field{.name = "report", .help = "the page written"});
}

}  // namespace sinew::cli
