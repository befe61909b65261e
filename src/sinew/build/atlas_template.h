#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/atlas.h"
#include "sinew/body/figure_table.h"

#include <concepts>
#include <type_traits>

namespace sinew {

struct AtlasTemplateOptions {
    bool remove_intersections = true;  ///< rebuild parts that intersect themselves by level sets
    double part_voxel = 0.0015;        ///< cell of those, m; finer where a part is thin
    double largest_change = 0.05;      ///< of a part's volume that rebuilding may cost, fraction
    double skin_cell = 0.004;          ///< grid of a skin that has to be rebuilt, m
    double skin_gap = 0.004;           ///< openings of it narrower than twice this are closed, m
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, AtlasTemplateOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.remove_intersections,
      Field{.name = "remove_intersections", .help = "rebuild parts that intersect themselves"});
    v(o.part_voxel, Field{.name = "part_voxel",
                          .help = "grid cell of parts that are rebuilt",
                          .unit = "m",
                          .min = 0.0002,
                          .max = 0.02});
    v(o.largest_change, Field{.name = "largest_change",
                              .help = "fraction of a part's volume that rebuilding may cost",
                              .min = 0.0,
                              .max = 1.0});
    v(o.skin_cell, Field{.name = "skin_cell",
                         .help = "grid cell of a skin that is rebuilt",
                         .unit = "m",
                         .min = 0.001,
                         .max = 0.02});
    v(o.skin_gap, Field{.name = "skin_gap",
                        .help = "openings of the skin narrower than twice this are closed",
                        .unit = "m",
                        .min = 0.0,
                        .max = 0.05});
}

/// A Template of an atlas. Every mesh is mended (see docs/formats.md); parts that cannot be are
/// left out and listed with the reason. The skin becomes one closed piece of genus 0. What the
/// manifest does not say is estimated:
/// - joints: the built-in figure's, carried over by fitting its bones to the atlas's bones of the
///   same names; bones it does not know move with the nearest one it does;
/// - bones at a muscle's ends: those nearest to the ends; names, aliases, forces from the figure;
/// - bellies: where the section is more than 22 % of the largest, as in the figure.
/// Vertices of muscles carry "share" (fraction of the path from origin to insertion) and "tendon".
/// @throws InputError  without usable skin or bones, for joints that are no tree, bones and
///                     landmarks that do not exist; Cancelled
Template build_atlas_template(Atlas atlas, const FigureTable& figure,
                              const AtlasTemplateOptions& options, const Progress& progress,
                              AtlasReport& report);

}  // namespace sinew
