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
    struct Surface {
        std::optional<std::array<Vec3, 2>> box = {};
        std::optional<int> region = {};
        std::optional<Vec3> normal = {};
        std::optional<Vec3> facing = {};
        double angle = 45.0;
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
        std::optional<std::array<std::string, 3>> fibre_formula = {};
        std::optional<std::string> fibre_data = {};
        std::optional<Vec3> sheet = {};
        std::optional<std::array<std::string, 3>> sheet_formula = {};
        std::optional<std::string> sheet_data = {};
        std::optional<double> C = {};
        std::optional<double> bt = {};
        std::optional<double> a = {};
        std::optional<double> b = {};
        std::optional<double> af = {};
        std::optional<double> bf = {};
        std::optional<double> as = {};
        std::optional<double> bs = {};
        std::optional<double> afs = {};
        std::optional<double> bfs = {};
        std::optional<std::vector<double>> mu = {};
        std::optional<std::vector<double>> alpha = {};
        double density = 1000.0;
    };
    struct Hold {
        Selection where = {};
        std::string axes = "xyz";
    };
    struct Prescribed {
        Hold hold = {};
        Vec3 displacement = Vec3::Zero();
        Vec3 rotation = Vec3::Zero();
        std::optional<std::array<Vec3, 3>> matrix = {};
        Vec3 centre = Vec3::Zero();
    };
    struct Pressure {
        Surface where = {};
        double pressure = 0.0;
    };
    struct Traction {
        Surface where = {};
        Vec3 traction = Vec3::Zero();
    };
    struct Obstacle {
        SceneShape shape = SceneShape::Plane;
        Vec3 position = Vec3::Zero();
        std::optional<Vec3> normal = {};
        std::optional<double> radius = {};
        std::optional<std::string> mesh = {};
        Vec3 displacement = Vec3::Zero();
        std::optional<double> stiffness = {};
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
    std::vector<Pressure> pressures = {};
    std::vector<Traction> tractions = {};
    std::vector<Obstacle> obstacles = {};
    int order = 1;
    std::optional<int> steps = {};
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
requires std::same_as<std::remove_const_t<Options>, SolveJob::Surface>
void visit_fields(Options& o, Visitor&& v) {
    v(o.box, Field{.name = "box", .help = "lower and upper corner, borders included", .unit = "m"});
    v(o.region, Field{.name = "region", .help = "label of the mesh"});
    v(o.normal, Field{.name = "normal", .help = "outward direction of the triangles, at rest"});
    v(o.facing, Field{.name = "facing", .help = "point that the triangles face", .unit = "m"});
    v(o.angle, Field{.name = "angle",
                     .help = "largest deviation from that direction",
                     .unit = "degrees",
                     .max = 180,
                     .above = 0});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveJob::Pressure>
void visit_fields(Options& o, Visitor&& v) {
    visit_fields(o.where, v);
    v(o.pressure, Field{.name = "pressure",
                        .help = "pushes on the body and follows its surface",
                        .unit = "Pa",
                        .is_required = true});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveJob::Traction>
void visit_fields(Options& o, Visitor&& v) {
    visit_fields(o.where, v);
    v(o.traction, Field{.name = "traction",
                        .help = "force per undeformed area, of constant direction",
                        .unit = "Pa",
                        .is_required = true});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveJob::Obstacle>
void visit_fields(Options& o, Visitor&& v) {
    v(o.shape, Field{.name = "shape",
                     .help = "of something rigid that the body cannot enter",
                     .choices = {"plane", "sphere", "mesh"},
                     .is_required = true});
    v(o.position, Field{.name = "position",
                        .help = "a point of the plane, centre of the sphere, shift of the mesh",
                        .unit = "m"});
    v(o.normal, Field{.name = "normal", .help = "of the plane, towards the body"});
    v(o.radius, Field{.name = "radius", .help = "of the sphere", .unit = "m", .above = 0});
    v(o.mesh, Field{.name = "mesh", .help = "file of a closed surface", .is_path = true});
    v(o.displacement, Field{.name = "displacement", .help = "over the load steps", .unit = "m"});
    v(o.stiffness, Field{.name = "stiffness",
                         .help = "pressure per depth; without it: ten times an element's",
                         .unit = "Pa/m",
                         .above = 0});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SolveJob::Material>
void visit_fields(Options& o, Visitor&& v) {
    v(o.region, Field{.name = "region", .help = "label of the mesh; without it: all not named"});
    v(o.law,
      Field{.name = "law",
            .help = "of elasticity",
            .choices = {"linear", "corotated", "stable_neo_hookean", "compressible_neo_hookean",
                        "isochoric_neo_hookean", "mooney_rivlin", "symmetric_arap", "muscle",
                        "tendon", "guccione", "holzapfel_ogden", "ogden"},
            .is_required = true});
    v(o.young_modulus,
      Field{.name = "young_modulus", .help = "stiffness", .unit = "Pa", .above = 0});
    v(o.poisson_ratio,
      Field{.name = "poisson_ratio", .help = "lateral contraction", .above = -1, .below = 0.5});
    v(o.fibre, Field{.name = "fibre", .help = "direction of fibres"});
    v(o.fibre_formula,
      Field{.name = "fibre_formula", .help = "the same by three formulas of x, y, z"});
    v(o.fibre_data, Field{.name = "fibre_data", .help = "the same by element data of the mesh"});
    v(o.sheet, Field{.name = "sheet", .help = "direction of sheets, or of a second family"});
    v(o.sheet_formula,
      Field{.name = "sheet_formula", .help = "the same by three formulas of x, y, z"});
    v(o.sheet_data, Field{.name = "sheet_data", .help = "the same by element data of the mesh"});
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
    v(o.C, Field{.name = "C", .help = "of Guccione's law", .unit = "Pa", .above = 0});
    v(o.a, Field{.name = "a", .help = "of the matrix", .unit = "Pa", .above = 0});
    v(o.b, Field{.name = "b", .help = "exponent of the matrix", .min = 0});
    v(o.af, Field{.name = "af", .help = "of fibres", .unit = "Pa", .min = 0});
    v(o.bf, Field{.name = "bf", .help = "exponent of fibres", .min = 0});
    v(o.bt, Field{.name = "bt", .help = "exponent across fibres", .above = 0});
    v(o.as, Field{.name = "as", .help = "of sheets", .unit = "Pa", .min = 0});
    v(o.bs, Field{.name = "bs", .help = "exponent of sheets", .min = 0});
    v(o.afs, Field{.name = "afs", .help = "of fibre-sheet shear", .unit = "Pa", .min = 0});
    v(o.bfs, Field{.name = "bfs", .help = "exponent of fibre-sheet shear", .min = 0});
    v(o.mu, Field{.name = "mu", .help = "of Ogden's terms", .unit = "Pa"});
    v(o.alpha, Field{.name = "alpha", .help = "exponents of Ogden's terms"});
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
    v(o.displacement, Field{.name = "displacement", .help = "from rest", .unit = "m"});
    v(o.rotation, Field{.name = "rotation", .help = "axis times angle", .unit = "rad"});
    v(o.matrix, Field{.name = "matrix", .help = "linear part of an affine motion, by rows"});
    v(o.centre, Field{.name = "centre", .help = "of matrix and rotation", .unit = "m"});
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
    v(o.pressures, Field{.name = "pressures", .help = "on surfaces, following them"});
    v(o.tractions, Field{.name = "tractions", .help = "on surfaces, of constant direction"});
    v(o.obstacles, Field{.name = "obstacles", .help = "rigid shapes that the body touches"});
    v(o.order, Field{.name = "order",
                     .help = "of the tetrahedra: 2 adds a node to every edge, against locking",
                     .min = 1,
                     .max = 2});
    v(o.steps, Field{.name = "steps",
                     .help = "in which loads and prescribed motions grow, statics",
                     .min = 1,
                     .max = 1e5});
    v(o.max_iterations, Field{.name = "max_iterations",
                              .help = "of the solver, in each time or load step",
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

}  // namespace sinew
