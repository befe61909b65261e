#pragma once

#include "sinew/base/fields.h"
#include "sinew/pipeline/solve_scene.h"

#include <string>

namespace sinew {

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SceneReaction>
void visit_fields(Options& o, Visitor&& v) {
    v(o.held, Field{.name = "held", .help = "the entry of the scene"});
    v(o.force, Field{.name = "force_n", .help = "of the hold on the body", .unit = "N"});
    v(o.moment, Field{.name = "moment_nm",
                      .help = "of these forces about the entry's centre, or the origin",
                      .unit = "N m"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SceneSurfaceReport>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "the entry of the scene"});
    v(o.area, Field{.name = "area_m2", .help = "at rest; of obstacles: touched", .unit = "m^2"});
    v(o.force, Field{.name = "force_n", .help = "on the body", .unit = "N"});
    v(o.depth, Field{.name = "depth_m", .help = "of the body in an obstacle", .unit = "m"});
}

/// What `sinew solve --json` says.
struct SolveSummary {
    std::string output;
    SolveResult result = {};  ///< its mesh is the output
    int frames = 0;           ///< files of a time series
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveSummary>
void visit_fields(Options& o, Visitor&& v) {
    v(o.output, Field{.name = "output", .help = "the file written"});
    v(o.frames, Field{.name = "frames", .help = "files of a time series (.pvd); else 0"});
    v(o.result.is_converged, Field{.name = "converged", .help = "the residual is small enough"});
    v(o.result.iterations, Field{.name = "iterations", .help = "of all time steps"});
    v(o.result.steps,
      Field{.name = "steps",
            .help = "of time, or of load until one did not converge; 0 without any"});
    v(o.result.residual, Field{.name = "residual", .help = "relative to the forces at work"});
    v(o.result.energy, Field{.name = "energy_j", .help = "elastic", .unit = "J"});
    v(o.result.external_work,
      Field{.name = "external_work_j", .help = "of forces and gravity", .unit = "J"});
    v(o.result.path_work,
      Field{.name = "path_work_j",
            .help = "of all loads and prescribed motion along the load steps, statics",
            .unit = "J"});
    v(o.result.least_volume_ratio,
      Field{.name = "least_volume_ratio", .help = "of an element, now over at rest"});
    v(o.result.inverted_tets, Field{.name = "inverted_tets", .help = "tetrahedra inside out"});
    v(o.result.reactions,
      Field{.name = "reactions", .help = "forces of what is held, in statics; none in dynamics"});
    v(o.result.surfaces, Field{.name = "surfaces", .help = "pressures, tractions, obstacles"});
    v(o.result.remarks, Field{.name = "remarks", .help = "what the user should know"});
    v(o.result.seconds, Field{.name = "seconds", .help = "time taken", .unit = "s"});
}

}  // namespace sinew
