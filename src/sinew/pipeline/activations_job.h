#pragma once

#include "sinew/motion/ground_contact.h"
#include "sinew/motion/static_optimisation.h"

#include <string>
#include <vector>

namespace sinew {

/// Where the forces from outside come from.
struct LoadsJob {
    std::string loads = {};        ///< table of forces, points and torques
    std::string loads_setup = {};  ///< which columns act on which body
    bool contact = false;          ///< estimated from feet on the ground
    std::vector<std::string> feet = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, LoadsJob>
void visit_fields(Options& o, Visitor&& v) {
    v(o.loads, Field{.name = "loads",
                     .help = "forces from outside over time, such as ground reactions (.mot, "
                             ".sto, .c3d)",
                     .is_path = true,
                     .metavar = "FILE"});
    v(o.loads_setup, Field{.name = "loads_setup",
                           .help = "which columns are force, point and torque on which body: "
                                   "OpenSim's ExternalLoads (.xml) or JSON",
                           .is_path = true,
                           .metavar = "FILE"});
    v(o.contact,
      Field{.name = "contact",
            .help = "estimate the ground reaction from feet that stand; no measurement"});
    v(o.feet, Field{.name = "feet_bodies",
                    .help = "with contact: bodies that may touch the ground; without it, those "
                            "named after feet",
                    .metavar = "BODY"});
}

/// The job of `sinew activations`.
struct ActivationsJob {
    std::string motion = {};
    LoadsJob loads = {};
    std::string reserves = {};  ///< OpenSim's reserve actuators
    bool strict = false;
    StaticOptimisationOptions options = {};
    std::string output = {};
    std::string forces = {};
    std::string moments = {};
    std::string reserve_moments = {};
    std::string loads_output = {};
    std::string plot = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ActivationsJob>
void visit_fields(Options& o, Visitor&& v) {
    v(o.motion, Field{.name = "motion",
                      .help = "coordinates over time (.mot, .sto) or a recording (.bvh, .glb, "
                              ".gltf, .fbx), whose joint names are known (docs/motion.md)",
                      .is_path = true,
                      .metavar = "FILE"});
    visit_fields(o.loads, v);
    v(o.reserves, Field{.name = "reserves",
                        .help = "reserve actuators per coordinate as OpenSim writes them (.xml)",
                        .is_path = true,
                        .metavar = "FILE"});
    v(o.strict, Field{.name = "strict",
                      .help = "exit with 1 when residuals of the root exceed 5 % of body weight"});
    visit_fields(o.options, v);
    v(o.forces, Field{.name = "forces",
                      .help = "muscle forces to write (.sto)",
                      .is_path = true,
                      .metavar = "FILE"});
    v(o.moments, Field{.name = "moments",
                       .help = "joint moments to write (.sto)",
                       .is_path = true,
                       .metavar = "FILE"});
    v(o.reserve_moments, Field{.name = "reserve_moments",
                               .help = "what reserves add, to write (.sto)",
                               .is_path = true,
                               .metavar = "FILE"});
    v(o.loads_output, Field{.name = "loads_output",
                            .help = "loads as they were used, in the ground's frame (.mot)",
                            .is_path = true,
                            .metavar = "FILE"});
    v(o.plot, Field{.name = "plot",
                    .help = "picture of the activations (.png, .svg)",
                    .is_path = true,
                    .metavar = "FILE"});
    v(o.output, Field{.name = "output",
                      .help = "activations to write (.sto)",
                      .is_path = true,
                      .metavar = "FILE"});
}

/// Greatest joint moment, N m per kg of the model, that a person can have: about four times those
/// of a landing or a sprint.
inline constexpr double kGreatestMoment = 40.0;

struct Activations {
    StaticOptimisation result = {};
    ExternalLoads loads = {};
    std::vector<std::string> warnings = {};
    bool is_usable = true;  ///< all frames solved, moments possible, residuals small where strict
};

/// Loads of a motion, read or estimated; none where the job asks for none.
/// @throws InputError
ExternalLoads loads_for(const MusculoskeletalModel& model, const MotionTable& motion,
                        const LoadsJob& job, double filter);

/// @throws InputError; Cancelled
Activations run_activations(const MusculoskeletalModel& model, const MotionTable& motion,
                            const ActivationsJob& job, const Progress& progress = {});

/// Loads in the ground's frame as columns NAME_force_vx ... NAME_force_px ... NAME_torque_x ...
MotionTable table_of_loads(const ExternalLoads& loads, const MusculoskeletalModel& model,
                           const MotionTable& motion);

/// Moments that no person can have, in words.
std::vector<std::string> impossible_moments(const MusculoskeletalModel& model,
                                            const MotionTable& moments);

}  // namespace sinew
