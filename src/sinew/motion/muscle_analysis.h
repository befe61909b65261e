#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/external_load.h"
#include "sinew/motion/smoothing.h"

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

namespace sinew {

/// How fibres share a length with their tendons.
enum class TendonModel {
    Rigid,    ///< rigid_tendon_force: with the fibre's velocity
    Elastic,  ///< equilibrium_force: fibre and tendon balance, velocity left out
};

struct MuscleAnalysisOptions {
    double filter = 6.0;      ///< low-pass cutoff of the motion, Hz; 0: none
    double activation = 1.0;  ///< where no table of activations is given, in [0, 1]
    TendonModel tendon = TendonModel::Rigid;
    std::vector<std::string> only = {};  ///< parts of muscles' names; none: all
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MuscleAnalysisOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.filter, Field{.name = "filter",
                      .help = "low-pass cutoff of the motion; 0: none",
                      .unit = "Hz",
                      .min = 0.0});
    v(o.activation, Field{.name = "activation",
                          .help = "of all muscles, where no table of activations is given",
                          .min = 0.0,
                          .max = 1.0});
    v(o.tendon, Field{.name = "tendon",
                      .help = "over a motion: rigid, with the fibres' velocity, or elastic, in "
                              "balance without it",
                      .choices = {"rigid", "elastic"}});
    v(o.only, Field{.name = "only", .help = "muscles whose name contains this", .metavar = "PART"});
}

/// What muscles do over a motion.
struct MuscleAnalysis {
    /// Columns MUSCLE_length, _velocity (m, m/s), _fibre_length, _fibre_velocity, _pennation (rad),
    /// _tendon_length, _active_force, _passive_force, _force (N, along the tendon), _power (W,
    /// shortening positive) and _moment_arm_COORDINATE (m; of coupled coordinates, the leading one)
    MotionTable muscles = {};
    MotionTable moments = {};  ///< inverse dynamics, N m or N
    MotionTable powers = {};   ///< moment times speed per coordinate, W
    /// Contact of each joint, of the parent on the child in the joint's centre, ground's axes:
    /// JOINT_fx ... N, JOINT_mx ... N m. Muscles of the analysis pull, and loads push.
    MotionTable reactions = {};
    struct Work {
        std::string name;
        double positive = 0.0;  ///< J
        double negative = 0.0;  ///< J, <= 0
    };
    std::vector<Work> muscle_work = {};
    std::vector<Work> joint_work = {};  ///< per coordinate
    std::vector<std::string> notes = {};
};

/// @param activations  one column per muscle; muscles without one, and all where it is empty, have
///                     options.activation
/// @throws InputError  as coordinate_motion; Cancelled
MuscleAnalysis analyse_muscles(const MusculoskeletalModel& model, const MotionTable& motion,
                               const MuscleAnalysisOptions& options = {},
                               const MotionTable& activations = {}, const ExternalLoads& loads = {},
                               const Progress& progress = {});

}  // namespace sinew
