#pragma once

#include "sinew/base/fields.h"
#include "sinew/pipeline/contract.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// A contraction as a file and flags tell it (docs/muscle.md).
struct ContractSettings {
    struct Key {
        double time = 0.0;                                      ///< s
        std::vector<std::pair<std::string, double>> pose = {};  ///< degrees by coordinate
    };
    std::string body = {};
    std::vector<std::string> muscles = {};
    std::optional<NumberOrText> activation = {};
    std::vector<Key> keys = {};
    std::optional<double> duration = {};
    double rate = 60.0;
    int substeps = 1;
    bool is_static = false;
    int static_frames = 6;
    double stretch = 0.0;
    std::vector<double> curves = {};
    bool is_torus = false;
    bool is_whole_body = false;
    bool has_measures_only = false;
    double turn = 35.0;
    MuscleSceneOptions scene = {};
    MuscleSimulatorOptions simulator = {};
};

/// Paths are relative to the file's folder. @throws InputError
ContractSettings read_contract_settings(const std::filesystem::path& path);
/// @param where  the file or command, for messages
/// @throws InputError  for settings that do not go together, and for tables that cannot be read
ContractJob job_of(const ContractSettings& settings, const std::string& where);

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ContractSettings::Key>
void visit_fields(Options& o, Visitor&& v) {
    v(o.time, Field{.name = "time", .help = "of the pose", .unit = "s", .is_required = true});
    v(o.pose,
      Field{
          .name = "pose", .help = "angles by coordinate", .unit = "degrees", .is_required = true});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ContractSettings>
void visit_fields(Options& o, Visitor&& v) {
    v(o.body, Field{.name = "body",
                    .help = "a body (.sinew); without it: a muscle on the bench",
                    .is_path = true});
    v(o.muscles,
      Field{.name = "muscles", .help = "names or groups, comma separated", .metavar = "LIST"});
    v(o.activation, Field{.name = "activation",
                          .help = "0 to 1, a ramp 0..1, a table .sto, keys or keys-hill",
                          .min = 0,
                          .max = 1,
                          .metavar = "A"});
    v(o.keys, Field{.name = "keys", .help = "poses at rising times"});
    v(o.duration, Field{.name = "duration",
                        .help = "of the simulation",
                        .unit = "s",
                        .max = 1e5,
                        .above = 0,
                        .metavar = "S"});
    v(o.rate, Field{.name = "rate",
                    .help = "frames per second",
                    .unit = "1/s",
                    .max = 1e6,
                    .above = 0,
                    .metavar = "HZ"});
    v(o.substeps, Field{.name = "substeps", .help = "time steps per frame", .min = 1, .max = 1000});
    v(o.is_static, Field{.name = "statics", .help = "equilibrium in every frame, without inertia"});
    v(o.static_frames,
      Field{.name = "frames", .help = "of statics without key frames", .min = 2, .max = 10000});
    v(o.stretch, Field{.name = "stretch",
                       .help = "of the bench: how far the insertion is drawn away",
                       .unit = "m",
                       .min = -10,
                       .max = 10});
    v(o.curves, Field{.name = "curves",
                      .help = "of the bench: force over stretch at these activations instead",
                      .min = 0,
                      .max = 1,
                      .metavar = "LIST"});
    v(o.is_torus, Field{.name = "torus", .help = "the bouncing ring instead"});
    v(o.is_whole_body, Field{.name = "whole_body",
                             .help = "contract in the body's own mesh, so that the skin shows it"});
    v(o.has_measures_only,
      Field{.name = "measures_only", .help = "no frames, no animation, no film"});
    v(o.turn, Field{.name = "turn",
                    .help = "of the film's camera, 0 from the front, towards the body's left",
                    .unit = "degrees",
                    .min = -360,
                    .max = 360,
                    .metavar = "DEG"});
    visit_fields(o.scene, v);
    visit_fields(o.simulator, v);
}

/// What `sinew contract --json` says: of a run, of the bench's curves, of the whole body or of the
/// ring.
struct ContractSummary {
    struct Muscle {
        std::string name;
        double activation = 0.0;
        double volume_change = 0.0;
        std::optional<double> least_volume_ratio = {};
        double force = 0.0;
        std::optional<double> peak_force = {};
        std::optional<double> greatest_force = {};
        double length = 0.0;
        double max_fibre_stress = 0.0;
        double fibre_stretch = 0.0;
        std::optional<double> tendon_stretch = {};
        std::optional<double> section = {};
        std::optional<double> section_at_start = {};
    };
    struct Overlap {
        std::string muscle;
        std::string in;
        double share_of_way = 0.0;
    };
    struct Curve {
        double activation = 0.0;
        std::vector<double> force = {};
        std::vector<double> fibre_stretch = {};
        double volume_change = 0.0;
        double max_fibre_stress = 0.0;
    };
    std::string output;
    std::vector<Muscle> muscles = {};
    std::optional<Eigen::Index> tets = {};
    std::optional<std::size_t> frames = {};
    std::optional<double> fill_seconds = {};
    std::optional<double> simulate_seconds = {};
    std::optional<double> largest_volume_change = {};
    std::optional<double> deepest_penetration = {};
    std::optional<Overlap> deepest = {};
    std::optional<int> stalled_steps = {};
    std::optional<bool> is_finite = {};
    std::optional<double> rest_length = {};
    std::optional<double> greatest_force = {};
    std::optional<std::vector<double>> length = {};
    std::optional<std::vector<Curve>> curves = {};
    std::optional<int> unsettled = {};
    std::optional<int> iterations = {};
    std::optional<double> prepare_seconds = {};
    std::optional<double> seconds_per_iteration = {};
    std::optional<double> largest_skin_move = {};
    std::optional<Eigen::Index> inverted_tets = {};
    std::optional<double> stable_step = {};
    std::optional<double> step = {};
    std::optional<std::int64_t> steps = {};
    std::optional<double> rebound = {};
};
ContractSummary summary_of(const ContractRun& run);
ContractSummary summary_of(const StretchCurves& curves);
ContractSummary summary_of(const BodyContraction& done);
ContractSummary summary_of(const TorusRun& torus);

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ContractSummary::Muscle>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the muscle"});
    v(o.activation, Field{.name = "activation", .help = "in the last frame"});
    v(o.volume_change, Field{.name = "volume_change", .help = "largest, relative"});
    v(o.least_volume_ratio,
      Field{.name = "least_volume_ratio", .help = "of a tetrahedron in any frame"});
    v(o.force, Field{.name = "force_n", .help = "in the last frame", .unit = "N"});
    v(o.peak_force, Field{.name = "peak_force_n", .help = "of all frames", .unit = "N"});
    v(o.greatest_force, Field{.name = "greatest_force_n", .help = "of the model", .unit = "N"});
    v(o.length, Field{.name = "length_m", .help = "in the last frame", .unit = "m"});
    v(o.max_fibre_stress,
      Field{.name = "max_fibre_stress_pa", .help = "of all frames", .unit = "Pa"});
    v(o.fibre_stretch, Field{.name = "fibre_stretch", .help = "mean, in the last frame"});
    v(o.tendon_stretch, Field{.name = "tendon_stretch", .help = "mean, in the last frame"});
    v(o.section, Field{.name = "section_m2", .help = "largest of the belly", .unit = "m^2"});
    v(o.section_at_start,
      Field{.name = "section_at_start_m2", .help = "in the first frame", .unit = "m^2"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ContractSummary::Overlap>
void visit_fields(Options& o, Visitor&& v) {
    v(o.muscle, Field{.name = "muscle", .help = "that lies in another part"});
    v(o.in, Field{.name = "in", .help = "the muscle or bone in which it lies"});
    v(o.share_of_way, Field{.name = "share_of_way", .help = "0 at its origin, 1 at its insertion"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ContractSummary::Curve>
void visit_fields(Options& o, Visitor&& v) {
    v(o.activation, Field{.name = "activation", .help = "of the curve"});
    v(o.force, Field{.name = "force_n", .help = "at each length", .unit = "N"});
    v(o.fibre_stretch, Field{.name = "fibre_stretch", .help = "at each length"});
    v(o.volume_change, Field{.name = "volume_change", .help = "largest, relative"});
    v(o.max_fibre_stress, Field{.name = "max_fibre_stress_pa", .help = "largest", .unit = "Pa"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ContractSummary>
void visit_fields(Options& o, Visitor&& v) {
    v(o.output, Field{.name = "output", .help = "the folder written"});
    v(o.muscles, Field{.name = "muscles", .help = "what they did"});
    v(o.tets, Field{.name = "tets", .help = "tetrahedra"});
    v(o.frames, Field{.name = "frames", .help = "with the first, at rest"});
    v(o.fill_seconds, Field{.name = "fill_s", .help = "for meshes and fibres", .unit = "s"});
    v(o.simulate_seconds, Field{.name = "simulate_s", .help = "for all steps", .unit = "s"});
    v(o.largest_volume_change,
      Field{.name = "largest_volume_change", .help = "of a muscle, relative"});
    v(o.deepest_penetration, Field{.name = "deepest_penetration_mm",
                                   .help = "of a muscle, beyond that at rest",
                                   .unit = "mm"});
    v(o.deepest, Field{.name = "deepest_penetration", .help = "where that is"});
    v(o.stalled_steps,
      Field{.name = "stalled_steps", .help = "in which no step lowered the energy"});
    v(o.is_finite, Field{.name = "finite", .help = "all positions are numbers"});
    v(o.rest_length, Field{.name = "rest_length_m", .help = "of the bench's muscle", .unit = "m"});
    v(o.greatest_force, Field{.name = "greatest_force_n", .help = "of that muscle", .unit = "N"});
    v(o.length, Field{.name = "length_m", .help = "of the curves", .unit = "m"});
    v(o.curves, Field{.name = "curves", .help = "force over stretch"});
    v(o.unsettled, Field{.name = "unsettled", .help = "equilibria that were not found"});
    v(o.iterations, Field{.name = "iterations", .help = "of the whole body"});
    v(o.prepare_seconds, Field{.name = "prepare_s", .help = "of the whole body", .unit = "s"});
    v(o.seconds_per_iteration,
      Field{.name = "seconds_per_iteration", .help = "of the whole body", .unit = "s"});
    v(o.largest_skin_move,
      Field{.name = "largest_skin_move_mm", .help = "of the whole body", .unit = "mm"});
    v(o.inverted_tets, Field{.name = "inverted_tets", .help = "tetrahedra inside out"});
    v(o.stable_step, Field{.name = "stable_step_s", .help = "of the ring", .unit = "s"});
    v(o.step, Field{.name = "step_s", .help = "of the ring", .unit = "s"});
    v(o.steps, Field{.name = "steps", .help = "of the ring"});
    v(o.rebound, Field{.name = "rebound_m", .help = "of the ring", .unit = "m"});
}

}  // namespace sinew
