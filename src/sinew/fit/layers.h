#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/body.h"

#include <concepts>
#include <string>
#include <vector>

namespace sinew {

struct LayerOptions {
    double wrap_voxel = 0.008;    ///< grid of the skeleton wrap, m, > 0
    double wrap_closing = 0.018;  ///< half of the gaps between bones that the wrap fills, m, >= 0
    double trunk_closing = 0.07;  ///< the same of chest and pelvis, m, >= 0
    double clearance = 0.001;     ///< of the muscle surface over the skeleton surface, m, > 0
    double stiffest = 1e-3;       ///< w_reg of eq. 4.1 at the start, > 0
    double softest = 1e-6;        ///< and at the end, > 0
    bool aligns = true;           ///< fixed targets that lower eq. 4.4
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, LayerOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.wrap_voxel, Field{.name = "wrap_voxel",
                          .help = "grid of the skeleton wrap",
                          .unit = "m",
                          .min = 0.001,
                          .max = 0.02});
    v(o.wrap_closing, Field{.name = "wrap_closing",
                            .help = "half of the gaps between bones that the wrap fills",
                            .unit = "m",
                            .min = 0.0,
                            .max = 0.05});
    v(o.trunk_closing, Field{.name = "trunk_closing",
                             .help = "the same of chest and pelvis",
                             .unit = "m",
                             .min = 0.0,
                             .max = 0.15});
    v(o.clearance, Field{.name = "clearance",
                         .help = "of the muscle surface over the skeleton surface",
                         .unit = "m",
                         .min = 1e-4,
                         .max = 0.01});
    v(o.stiffest, Field{.name = "stiffest", .help = "bending weight at the start", .above = 0});
    v(o.softest, Field{.name = "softest", .help = "bending weight at the end", .above = 0});
    v(o.aligns, Field{.name = "aligns", .help = "lower the alignment error"});
}

/// Skin S, muscle surface M and skeleton surface B of one triangulation [Komaritzan, section
/// 4.2.2]. Vertex i of one lies under vertex i of the next; corresponding triangles of S and M span
/// the prisms of fat, those of M and B the prisms of muscle.
struct LayeredTemplate {
    Triangles triangles = Triangles(0, 3);  ///< those of the body's skin
    Points skin = Points(0, 3);             ///< S, m
    Points muscle = Points(0, 3);           ///< M: the body's envelope
    Points bone = Points(0, 3);             ///< B
    /// Head, hands and feet: B is M there, and both follow the skin.
    std::vector<char> is_kept = {};
    /// Length of the line from S to B that lies in muscles, m [Komaritzan, muscle thickness map].
    std::vector<double> muscle_thickness = {};
    std::vector<Index> group = {};  ///< of muscle_groups(), of the most muscle under it; -1: none
    std::vector<double> bone_depth = {};       ///< of B under the skin, m
    std::vector<double> alignment_error = {};  ///< eq. 4.4 of S and B, in [0, 2]
    TriangleMesh wrap = {};                    ///< W, around the bones
};

/// Finds the skeleton surface of a body and measures what is above it. The muscle surface is the
/// body's envelope, which has the skin's triangulation by construction.
///
/// B minimises  sum_i w_i A_i |x_i - t_i|^2 + w_reg A_i |Lap x_i - R_i Lap X_i|^2  [Komaritzan,
/// eqs. 4.1-4.3] over targets t_i on a wrap W around the bones, w_reg falling by tenths. Targets
/// are the nearest point of W (weight 0.1), fixed ones where bones are near (1), and points above W
/// for vertices that came inside (100). Departs: it starts from M, not S, and stays inside M by
/// `clearance`; collisions are found by signed distance to W instead of continuous detection.
/// @throws InputError  for a body without tets, bones, or an envelope with the skin's triangles;
///                     Cancelled
LayeredTemplate build_layers(const Body& body, const LayerOptions& options = {},
                             const Progress& progress = {});

/// Per point of the body's skin or envelope: 1 where the nearest bone is one of head, hands or
/// feet.
std::vector<char> kept_vertices(const Body& body, const Points& points);

/// Misalignment of a vertex and the one under it with respect to their common normal, in [0, 2]:
///   | (n_o + n_i) . (x_o - x_i) / (|n_o + n_i| |x_o - x_i|) - 1 |      [Komaritzan, eq. 4.4]
double alignment_error(const Vec3& outer, const Vec3& outer_normal, const Vec3& inner,
                       const Vec3& inner_normal);

/// The surface around the bones: gaps narrower than twice `wrap_closing` are filled, those of trunk
/// and pelvis twice `trunk_closing`; cavities go.
TriangleMesh skeleton_wrap(const Body& body, const LayerOptions& options);

/// Volume between two surfaces of one triangulation, m^3: that of the prisms, cut as the body's
/// columns of fat are.
double volume_between(const Points& outer, const Points& inner, const Triangles& triangles);

/// Vertices of `inner` further than `tolerance` (m) outside the surface `outer`.
Eigen::Index count_crossings(const Points& outer, const Points& inner, const Triangles& triangles,
                             double tolerance);

/// The three layers as tetrahedra with cell data "layer" (0 fat, 1 muscle) and point data
/// "alignment_error", "muscle_thickness", "kept": what a picture is made of. Prisms without volume
/// are left out.
TetMesh layers_as_tets(const LayeredTemplate& layers);

}  // namespace sinew
