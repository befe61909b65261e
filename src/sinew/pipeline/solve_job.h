#pragma once

#include "sinew/base/fields.h"
#include "sinew/pipeline/solve_scene.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace sinew {

/// A scene as a file tells it (docs/solve.md); what is absent has the default of SolveScene.
struct SolveJob {
    /// Vertices by a box of two corners, by a list, or by both.
    struct Selection {
        std::optional<std::array<Vec3, 2>> box = {};
        std::optional<std::vector<Index>> vertices = {};
    };
    struct Material {
        std::optional<int> region = {};
        SceneLaw law = SceneLaw::StableNeoHookean;
        std::optional<double> young_modulus = {};
        std::optional<double> poisson_ratio = {};
        std::optional<Vec3> fibre = {};
        std::optional<double> activation = {};
        std::optional<double> A = {};
        std::optional<double> B = {};
        std::optional<double> K = {};
        std::optional<double> peak_stress = {};
        std::optional<double> optimal_stretch = {};
        std::optional<double> passive_stress = {};
        std::optional<double> passive_exponent = {};
        std::optional<double> linear_from = {};
        std::optional<double> toe = {};
        double density = 1000.0;
    };
    struct Hold {
        Selection where = {};
        std::string axes = "xyz";
    };
    struct Prescribed {
        Hold hold = {};
        Vec3 displacement = Vec3::Zero();
    };
    struct Force {
        Selection where = {};
        std::optional<Vec3> each = {};
        std::optional<Vec3> total = {};
    };
    struct BodyForce {
        std::optional<int> region = {};
        Vec3 density = Vec3::Zero();
    };

    std::string mesh = {};
    Unit unit = Unit::Metre;
    UpAxis up = UpAxis::Y;
    SceneAnalysis analysis = SceneAnalysis::Statics;
    SceneMethod method = SceneMethod::Newton;
    std::vector<Material> materials = {};
    std::vector<Hold> fixed = {};
    std::vector<Prescribed> prescribed = {};
    Vec3 gravity = Vec3::Zero();
    std::vector<Force> forces = {};
    std::vector<BodyForce> body_forces = {};
    std::optional<int> max_iterations = {};
    std::optional<double> tolerance = {};
    std::optional<double> step = {};
    std::optional<double> duration = {};
    std::optional<double> damping = {};
};

/// @param where  the file, for messages
/// @throws InputError  for keys that do not go together
SolveScene scene_of(const SolveJob& job, const std::string& where);

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveJob::Selection>
void visit_fields(Options& o, Visitor&& v) {
    v(o.box, Field{.name = "box", .help = "lower and upper corner, borders included", .unit = "m"});
    v(o.vertices, Field{.name = "vertices", .help = "numbers of vertices, from 0", .min = 0});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveJob::Material>
void visit_fields(Options& o, Visitor&& v) {
    v(o.region, Field{.name = "region", .help = "label of the mesh; without it: all not named"});
    v(o.law, Field{.name = "law",
                   .help = "of elasticity",
                   .choices = {"linear", "corotated", "stable_neo_hookean",
                               "compressible_neo_hookean", "isochoric_neo_hookean", "mooney_rivlin",
                               "symmetric_arap", "muscle", "tendon"},
                   .is_required = true});
    v(o.young_modulus,
      Field{.name = "young_modulus", .help = "stiffness", .unit = "Pa", .above = 0});
    v(o.poisson_ratio,
      Field{.name = "poisson_ratio", .help = "lateral contraction", .above = -1, .below = 0.5});
    v(o.fibre, Field{.name = "fibre", .help = "direction of muscle or tendon"});
    v(o.activation, Field{.name = "activation", .help = "of muscle", .min = 0, .max = 1});
    v(o.A, Field{.name = "A", .help = "of the matrix", .unit = "Pa", .min = 0, .max = 1e15});
    v(o.B, Field{.name = "B", .help = "of the matrix", .unit = "Pa", .min = 0, .max = 1e15});
    v(o.K, Field{.name = "K", .help = "against change of volume", .unit = "Pa", .above = 0});
    v(o.peak_stress, Field{.name = "peak_stress", .help = "of active fibres", .unit = "Pa"});
    v(o.optimal_stretch, Field{.name = "optimal_stretch", .help = "of fibres"});
    v(o.passive_stress, Field{.name = "passive_stress", .help = "of fibres", .unit = "Pa"});
    v(o.passive_exponent, Field{.name = "passive_exponent", .help = "of fibres"});
    v(o.linear_from, Field{.name = "linear_from", .help = "stretch, where fibres are straight"});
    v(o.toe, Field{.name = "toe", .help = "width of the toe region, as a stretch"});
    v(o.density, Field{.name = "density", .help = "at rest", .unit = "kg/m^3", .above = 0});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveJob::Hold>
void visit_fields(Options& o, Visitor&& v) {
    visit_fields(o.where, v);
    v(o.axes, Field{.name = "axes", .help = "coordinates that are held, letters of xyz"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveJob::Prescribed>
void visit_fields(Options& o, Visitor&& v) {
    visit_fields(o.hold, v);
    v(o.displacement,
      Field{.name = "displacement", .help = "from rest", .unit = "m", .is_required = true});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveJob::Force>
void visit_fields(Options& o, Visitor&& v) {
    visit_fields(o.where, v);
    v(o.each, Field{.name = "each", .help = "force on each vertex", .unit = "N"});
    v(o.total,
      Field{.name = "total", .help = "force on all of them together, in equal parts", .unit = "N"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveJob::BodyForce>
void visit_fields(Options& o, Visitor&& v) {
    v(o.region, Field{.name = "region", .help = "label of the mesh; without it: all"});
    v(o.density, Field{.name = "force_density",
                       .help = "force per undeformed volume",
                       .unit = "N/m^3",
                       .is_required = true});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveJob>
void visit_fields(Options& o, Visitor&& v) {
    v(o.mesh, Field{.name = "mesh",
                    .help = "file of tetrahedra, relative to the scene's folder",
                    .is_required = true,
                    .is_path = true});
    v(o.unit, Field{.name = "unit", .help = "of the mesh file", .choices = {"m", "cm", "mm"}});
    v(o.up, Field{.name = "up", .help = "axis of the mesh file", .choices = {"y", "z"}});
    v(o.analysis, Field{.name = "analysis",
                        .help = "equilibrium, or motion in time",
                        .choices = {"statics", "dynamics"}});
    v(o.method, Field{.name = "method", .help = "of solving", .choices = {"newton", "projective"}});
    v(o.materials,
      Field{.name = "materials", .help = "one for every region of the mesh", .is_required = true});
    v(o.fixed, Field{.name = "fixed", .help = "selections that stay where they are"});
    v(o.prescribed, Field{.name = "prescribed", .help = "selections that are displaced"});
    v(o.gravity, Field{.name = "gravity", .help = "acceleration", .unit = "m/s^2"});
    v(o.forces, Field{.name = "forces", .help = "on selections"});
    v(o.body_forces, Field{.name = "body_forces", .help = "on regions"});
    v(o.max_iterations, Field{.name = "max_iterations",
                              .help = "of the solver, in each time step",
                              .min = 1,
                              .max = 1e6});
    v(o.tolerance, Field{.name = "tolerance",
                         .help = "largest residual, relative to the forces at work",
                         .min = 1e-15,
                         .max = 1.0});
    v(o.step,
      Field{.name = "step", .help = "of time, dynamics", .unit = "s", .min = 1e-9, .max = 1e6});
    v(o.duration, Field{.name = "duration", .help = "dynamics", .unit = "s", .above = 0});
    v(o.damping, Field{.name = "damping",
                       .help = "rate at which velocities decay, dynamics",
                       .unit = "1/s",
                       .min = 0,
                       .max = 1e9});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SceneReaction>
void visit_fields(Options& o, Visitor&& v) {
    v(o.held, Field{.name = "held", .help = "the entry of the scene"});
    v(o.force, Field{.name = "force_n", .help = "of the hold on the body", .unit = "N"});
}

/// What `sinew solve --json` says.
struct SolveSummary {
    std::string output;
    SolveResult result = {};  ///< its mesh is the output
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveSummary>
void visit_fields(Options& o, Visitor&& v) {
    v(o.output, Field{.name = "output", .help = "the file written"});
    v(o.result.is_converged, Field{.name = "converged", .help = "the residual is small enough"});
    v(o.result.iterations, Field{.name = "iterations", .help = "of all time steps"});
    v(o.result.steps, Field{.name = "steps", .help = "of time; 0 in statics"});
    v(o.result.residual, Field{.name = "residual", .help = "relative to the forces at work"});
    v(o.result.energy, Field{.name = "energy_j", .help = "elastic", .unit = "J"});
    v(o.result.external_work,
      Field{.name = "external_work_j", .help = "of forces and gravity", .unit = "J"});
    v(o.result.inverted_tets, Field{.name = "inverted_tets", .help = "tetrahedra inside out"});
    v(o.result.reactions,
      Field{.name = "reactions", .help = "forces of what is held, in statics; none in dynamics"});
    v(o.result.seconds, Field{.name = "seconds", .help = "time taken", .unit = "s"});
}

}  // namespace sinew
