#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/build/anatomy_solid.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <concepts>
#include <type_traits>
#include <vector>

namespace sinew {

struct EnvelopeOptions {
    double shrink = 0.9;                  ///< beta, per iteration, [0.5, 1)
    int iterations = 10;                  ///< >= 0
    double rotation_weight = 100.0;       ///< w_rot, > 0
    double regularisation = 10.0;         ///< w_reg, > 0
    double regularisation_length = 0.02;  ///< unit of length that w_reg refers to, m, > 0
    double margin = 0.0006;               ///< kept from muscles and bones, m, >= 0
    double min_thickness = 0.0008;        ///< of the fat, where nothing thinner is forced, m, > 0
    double thickness_over_edge = 0.045;   ///< least thickness over the edges around, >= 0
    /// Of the cuts that triangles make into round parts between corners that touch them, [0, 1].
    /// With 0 the envelope is outside of all parts and coarse triangles make fat too thin, with 1
    /// too thick. Found on the built-in man: fat then has the same volume with 3000, 8500 and 21000
    /// vertices, within 0.7 %.
    double cut_share = 0.75;
    int solver_steps = 12;  ///< local and global steps per iteration, >= 1
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, EnvelopeOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.shrink, Field{.name = "shrink", .help = "shrinking factor", .min = 0.5, .max = 0.999});
    v(o.iterations, Field{.name = "iterations", .help = "of shrinking", .min = 0, .max = 100});
    v(o.rotation_weight,
      Field{.name = "rotation_weight", .help = "resistance to change of shape", .above = 0});
    v(o.regularisation,
      Field{.name = "regularisation", .help = "resistance to displacement", .above = 0});
    v(o.regularisation_length, Field{.name = "regularisation_length",
                                     .help = "unit of length of the regularisation",
                                     .unit = "m",
                                     .min = 1e-3,
                                     .max = 1});
    v(o.margin, Field{.name = "margin",
                      .help = "kept from muscles and bones",
                      .unit = "m",
                      .min = 0,
                      .max = 0.01});
    v(o.min_thickness, Field{.name = "min_thickness",
                             .help = "least thickness of fat",
                             .unit = "m",
                             .min = 1e-4,
                             .max = 0.01});
    v(o.thickness_over_edge, Field{.name = "thickness_over_edge",
                                   .help = "least thickness of fat over the edges around",
                                   .min = 0,
                                   .max = 0.5});
    v(o.cut_share, Field{.name = "cut_share",
                         .help = "of cuts into round parts that is left",
                         .min = 0,
                         .max = 1});
    v(o.solver_steps,
      Field{.name = "solver_steps", .help = "solver steps per iteration", .min = 1, .max = 1000});
}

struct Envelope {
    TriangleMesh mesh = {};  ///< the triangles of the skin, vertices moved inward
    int touching = 0;        ///< vertices that met a muscle or bone
    int backed_off = 0;      ///< vertices that had to move back towards the skin
    double residual = 0.0;   ///< largest of all iterations: forces left, relative to the first
};

/// The surface of muscles and bones: the skin, shrunken until it meets them [Saito2015, section
/// 3.2]. In every iteration k the flesh, grown by F_g = beta^k I, takes its quasi-static shape
///
///   E(x) = sum_t V_t w_rot/2 |F_e - R|^2 + sum_i V_i w_reg / (2 l^2) |x_i - y_i|^2
///
/// y being the shape before; vertices of the skin that meet a muscle or bone on their way stay
/// where they first touched it.
/// Departs: the paper leaves the unit of w_reg open; l gives it. Vertices keep near the normal of
/// the skin that they started on, so that fat lies in columns between skin and envelope. Afterwards
/// every vertex that makes a triangle cut deep into a muscle, a column of fat fold or the envelope
/// meet itself or the skin goes back towards the skin, at most to the least thickness, where all of
/// that holds; so the result is inside the skin everywhere and free of folds.
///
/// @param skin   closed, outward, without intersections
/// @param flesh  tetrahedra that fill it; their first points are the skin's
/// @param solid  muscles and bones, all in one
/// @throws InputError  for options out of range, or a skin so thin that no layer fits; Cancelled
Envelope shrink_envelope(const TriangleMesh& skin, const TetMesh& flesh, const AnatomySolid& solid,
                         const EnvelopeOptions& options = {}, const Progress& progress = {});

}  // namespace sinew
