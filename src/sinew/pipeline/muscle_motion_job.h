#pragma once

#include "sinew/motion/muscle_analysis.h"
#include "sinew/pipeline/activations_job.h"

#include <string>
#include <vector>

namespace sinew {

/// The job of `sinew muscles --motion`.
struct MuscleMotionJob {
    std::string motion = {};
    std::string activations = {};
    LoadsJob loads = {};
    MuscleAnalysisOptions options = {};
    std::vector<std::string> quantities = {};  ///< endings of columns; none: all
    std::string reactions = {};
    std::string powers = {};
    std::string moments = {};
    std::string output = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MuscleMotionJob>
void visit_fields(Options& o, Visitor&& v) {
    v(o.motion, Field{.name = "motion",
                      .help = "coordinates over time (.mot, .sto) or a recording: what muscles "
                              "do over it",
                      .is_path = true,
                      .metavar = "FILE"});
    v(o.activations, Field{.name = "activations",
                           .help = "of muscles over the motion, as 'sinew activations' writes "
                                   "them (.sto)",
                           .is_path = true,
                           .metavar = "FILE"});
    visit_fields(o.loads, v);
    visit_fields(o.options, v);
    v(o.quantities, Field{.name = "quantity",
                          .help = "which columns: length, velocity, fibre_length, "
                                  "fibre_velocity, pennation, tendon_length, active_force, "
                                  "passive_force, force, power, moment_arm; without it, all",
                          .metavar = "NAME"});
    v(o.reactions, Field{.name = "reactions",
                         .help = "contact forces and moments of joints to write (.sto)",
                         .is_path = true,
                         .metavar = "FILE"});
    v(o.powers, Field{.name = "powers",
                      .help = "powers of joints to write (.sto)",
                      .is_path = true,
                      .metavar = "FILE"});
    v(o.moments, Field{.name = "moments",
                       .help = "moments of joints to write (.sto)",
                       .is_path = true,
                       .metavar = "FILE"});
    v(o.output, Field{.name = "output",
                      .help = "muscles over the motion to write (.sto)",
                      .is_path = true,
                      .metavar = "FILE"});
}

/// @throws InputError; Cancelled
MuscleAnalysis run_muscle_motion(const MusculoskeletalModel& model, const MotionTable& motion,
                                 const MuscleMotionJob& job, const Progress& progress = {});

}  // namespace sinew
