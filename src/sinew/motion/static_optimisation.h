#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/external_load.h"
#include "sinew/motion/coordination.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/residuals.h"
#include "sinew/motion/rigid_dynamics.h"
#include "sinew/motion/smoothing.h"

#include <concepts>
#include <type_traits>

namespace sinew {

/// What a muscle can pull at full activation.
enum class MuscleStrength {
    Isokinetic,   ///< isokinetic_strength for Thelen2003 units, RigidTendon for others
    RigidTendon,  ///< the active part of rigid_tendon_force, as OpenSim has it since version 3
    Constant,     ///< fmax, whatever the length and velocity
    /// As the program did that the model was made for: Isokinetic for OpenSim files before version
    /// 3 and for muscle classes named _Deprecated, else RigidTendon.
    AsFile,
};

struct StaticOptimisationOptions {
    double exponent = 2.0;  ///< p in min sum a^p, > 1
    MuscleStrength strength = MuscleStrength::AsFile;
    double reserve = 0.1;  ///< optimal force of reserve actuators, N m or N, > 0
    /// The same of single coordinates, by name; those that no muscle crosses are then reported.
    std::vector<std::pair<std::string, double>> reserve_for = {};
    double filter = 6.0;      ///< low-pass cutoff of the motion, Hz; 0: none
    double low = 0.0;         ///< least activation, in [0, 1); a muscle's own where that is more
    double high = 1.0;        ///< greatest activation, > 0
    double tolerated = 1e-3;  ///< fraction of the peak moment that reserves may add unreported
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, StaticOptimisationOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.exponent, Field{.name = "exponent", .help = "p in min sum a^p", .min = 1.1, .max = 10.0});
    v(o.strength, Field{.name = "strength",
                        .help = "what a muscle can pull: balance with its tendon, along a rigid "
                                "tendon, its greatest force always, or as the OpenSim of the "
                                "file's version has it",
                        .choices = {"isokinetic", "rigid-tendon", "constant", "as-file"}});
    v(o.reserve, Field{.name = "reserve",
                       .help = "optimal force of reserve actuators",
                       .unit = "N m",
                       .above = 0.0});
    v(o.reserve_for, Field{.name = "reserve_for",
                           .help = "optimal force of the reserve of one coordinate",
                           .unit = "N m",
                           .above = 0.0,
                           .metavar = "COORDINATE=N"});
    v(o.filter, Field{.name = "filter",
                      .help = "low-pass cutoff of the motion; 0: none",
                      .unit = "Hz",
                      .min = 0.0});
    v(o.low, Field{.name = "low",
                   .help = "least activation (OpenSim since version 3: 0.01)",
                   .min = 0.0,
                   .max = 0.99});
    v(o.high, Field{.name = "high", .help = "greatest activation", .max = 100.0, .above = 0.0});
    v(o.tolerated, Field{.name = "tolerated",
                         .help = "fraction of the peak moment that reserves may add unreported",
                         .min = 0.0,
                         .max = 1.0});
}

/// Who pulls how much over a motion.
struct StaticOptimisation {
    MotionTable moments = {};              ///< per coordinate, N m or N
    MotionTable activations = {};          ///< per muscle
    MotionTable forces = {};               ///< per muscle, along the tendon, N
    MotionTable reserves = {};             ///< per free coordinate, N m or N
    std::vector<Residual> residuals = {};  ///< of the root, where the model moves freely
    std::vector<std::string> notes = {};   ///< what the muscles could not do, what was missing
    int unsolved_frames = 0;
    double seconds = 0.0;  ///< of the optimisation alone
};

/// Joint moments of a motion: filter, differentiate, invert the dynamics.
/// @param loads  forces from outside, such as ground reactions; not filtered
MotionTable inverse_dynamics(const MusculoskeletalModel& model, const MotionTable& motion,
                             double filter, const ExternalLoads& loads = {});

/// Coordinates that muscles are asked to move: those that one crosses and that are not locked; of
/// coupled ones, the one that leads.
std::vector<Index> muscle_driven_coordinates(const MusculoskeletalModel& model,
                                             const MusclePaths& paths);

/// Static optimisation [Crowninshield1981; Anderson2001]: at every frame the moments are shared out
/// at the least sum of activations to the power p. The force of a muscle is its activation times
/// what it can do at this length and velocity (MuscleStrength). Coordinates that are locked or
/// follow others, and those of joints that no muscle crosses, are left to the reserves and not
/// reported. What the root needs beside the loads is reported as residuals.
/// @throws InputError  as coordinate_motion, and for a reserve of an unknown coordinate; Cancelled
StaticOptimisation optimise_motion(const MusculoskeletalModel& model, const MotionTable& motion,
                                   const StaticOptimisationOptions& options = {},
                                   const Progress& progress = {}, const ExternalLoads& loads = {});

/// What a unit can pull at full activation, N.
/// @param version  of the OpenSim file, for AsFile
double muscle_strength(const MuscleUnit& unit, double length, double velocity, MuscleStrength kind,
                       int version = 0);

/// Activations for wanted accelerations in one pose [Ryu2021, eqs. 12-13]:
///   min |q''_wanted - q''(a)|^2 + w_reg |a|^2,  0 <= a <= 1
/// with forces a * fmax(length) + passive force along rigid tendons.
/// @param w_reg  > 0
struct AccelerationResult {
    std::vector<double> activation = {};
    std::vector<double> acceleration = {};  ///< reached
    bool has_converged = false;
};
AccelerationResult activations_for_acceleration(const MusculoskeletalModel& model,
                                                std::span<const double> q,
                                                std::span<const double> speed,
                                                std::span<const double> wanted, double w_reg);

}  // namespace sinew
