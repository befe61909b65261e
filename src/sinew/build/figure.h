#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/figure_table.h"

#include <concepts>
#include <type_traits>

namespace sinew {

enum class FigureSex { Male, Female };
/// A: arms about 40 degrees from the body, legs apart, as scans are taken; no limbs touch.
/// Measured: arms hanging, as the table was measured.
enum class FigurePose { A, Measured };

struct FigureOptions {
    FigureSex sex = FigureSex::Male;
    FigurePose pose = FigurePose::A;
    double stature = 0.0;            ///< m; 0: that of the table
    double arm_length = 1.0;         ///< shoulder to wrist, ratio to the table's
    double leg_length = 1.0;         ///< hip to ankle, ratio to the table's
    double part_cell = 0.003;        ///< grid cell of bones and muscles, m; finer where thin
    double thin_part_cell = 0.0012;  ///< the finest of those, m
    double simplify = 0.00015;       ///< mean distance that parts may lose where flat, m
    double skin_cell = 0.004;        ///< grid cell of the skin, m
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, FigureOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.sex, Field{.name = "sex", .help = "sex of the figure", .choices = {"male", "female"}});
    v(o.pose, Field{.name = "pose", .help = "stance at rest", .choices = {"a", "measured"}});
    v(o.stature, Field{.name = "stature",
                       .help = "height from soles to vertex; 0: the table's",
                       .unit = "m",
                       .min = 0.0,
                       .max = 2.5});
    v(o.arm_length, Field{.name = "arm_length",
                          .help = "shoulder to wrist, relative to the table",
                          .min = 0.7,
                          .max = 1.4});
    v(o.leg_length, Field{.name = "leg_length",
                          .help = "hip to ankle, relative to the table",
                          .min = 0.7,
                          .max = 1.4});
    v(o.part_cell, Field{.name = "part_cell",
                         .help = "grid cell of bones and muscles",
                         .unit = "m",
                         .min = 0.0005,
                         .max = 0.02});
    v(o.thin_part_cell, Field{.name = "thin_part_cell",
                              .help = "finest grid cell, for thin parts",
                              .unit = "m",
                              .min = 0.0003,
                              .max = 0.02});
    v(o.simplify, Field{.name = "simplify",
                        .help = "mean distance that parts may lose to fewer triangles; 0: none",
                        .unit = "m",
                        .min = 0.0,
                        .max = 0.01});
    v(o.skin_cell, Field{.name = "skin_cell",
                         .help = "grid cell of the skin",
                         .unit = "m",
                         .min = 0.001,
                         .max = 0.02});
}

/// The table as the options want it: sex, proportions, stature, then stance. Left and midline, as
/// in the table; soles on y = 0 up to the skin's thickness.
/// @throws InputError  for options out of range or a sex or stance that the table lacks
FigureTable shape_figure(const FigureTable& table, const FigureOptions& options);

/// The whole human: every bone, disc and cartilage, every muscle with its tendons, and the skin, as
/// closed, outward, 2-manifold surfaces, with joints, landmarks and names. The skin is one piece of
/// genus 0. The right half mirrors the left exactly. Muscles keep the table's volumes. Vertices of
/// muscles carry "tendon" (0 belly to 1 tendon), "share" (fraction of the path from origin to
/// insertion) and "fibre" (unit vector along the strokes, or as the fibres of a sheet run).
/// @throws InputError  as shape_figure; Cancelled
Template build_figure(const FigureTable& table, const FigureOptions& options,
                      const Progress& progress = {});

/// The figure, whose skin has fingers and toes on a grid of their own, finer than that of the rest,
/// and the skin without these: tetrahedra of a few thousand vertices are made from it.
struct FigureWithPlainSkin {
    Template figure;
    TriangleMesh plain_skin;
};
FigureWithPlainSkin build_figure_with_plain_skin(const FigureTable& table,
                                                 const FigureOptions& options,
                                                 const Progress& progress = {});
/// That skin alone.
TriangleMesh plain_figure_skin(const FigureTable& table, const FigureOptions& options);

}  // namespace sinew
