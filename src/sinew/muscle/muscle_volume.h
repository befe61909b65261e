#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/mesh/triangle_mesh.h"
#include "sinew/muscle/fibre_field.h"
#include "sinew/muscle/muscle_tets.h"

#include <concepts>
#include <type_traits>

namespace sinew {

struct MuscleVolumeOptions {
    double edge = 0.005;         ///< of tetrahedra, m, > 0; shorter where a muscle is thin
    double least_edge = 0.0015;  ///< nowhere shorter, m, > 0
    double reach = 0.02;         ///< of the path from either end that is held by bone, (0, 0.4]
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MuscleVolumeOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.edge, Field{.name = "edge", .help = "of tetrahedra", .unit = "m", .above = 0});
    v(o.least_edge,
      Field{.name = "least_edge", .help = "where muscles are thin", .unit = "m", .above = 0});
    v(o.reach, Field{.name = "reach",
                     .help = "of the way from either end that bones hold",
                     .max = 0.4,
                     .above = 0});
}

/// What is known of one muscle.
struct MuscleShape {
    TriangleMesh mesh = {};           ///< closed, outward, at rest
    std::vector<double> share = {};   ///< per vertex, 0 at the origin to 1 at the insertion
    std::vector<double> tendon = {};  ///< per vertex, 0 belly to 1 tendon
    double fmax = 0.0;                ///< greatest force, N; 0: peak stress times section
};

/// Fills one muscle with tetrahedra: the surface is given even triangles that are shorter where it
/// is thin, then filled by TetGen. Where that fails (sheets that nearly touch), again with shorter
/// edges, then from a level set. Fibres are LaplaceFibres, and
///
///   strength = fmax |grad u| / flow
///
/// so that every section bears the same greatest force, whatever its area.
/// @throws InputError  when no mesh can be made; Cancelled
MuscleVolume fill_muscle(const MuscleShape& shape, const MuscleVolumeOptions& options = {},
                         const Progress& progress = {});

/// Ends, fibres and strengths of a mesh of one muscle whose shares (per vertex) and tendons (per
/// vertex) are known.
MuscleVolume make_muscle_volume(TetMesh mesh, std::vector<double> share,
                                std::span<const double> tendon, double fmax, double reach);

/// Several muscles as one; muscle numbers become 0, 1, 2 ...
/// @param first_vertex  gets the first vertex of each, and the total
MuscleVolume join_muscles(std::span<const MuscleVolume> muscles, std::vector<Index>& first_vertex);

/// A straight muscle on the bench along +y, its origin at 0: a belly of constant round section that
/// narrows to tendons over `taper` of its length.
struct BenchMuscle {
    double belly_length = 0.12;    ///< m, tapers included
    double belly_radius = 0.0125;  ///< m
    double tendon_length = 0.04;   ///< m, each
    double tendon_radius = 0.006;  ///< m
    double taper = 0.35;           ///< fraction of the belly's length at either end, [0, 0.5]
    int rings = 60;                ///< layers of elements along it
    int around = 4;                ///< half of the elements across it
};
/// From rings of cubes cut in tetrahedra; no program needed. Strengths carry peak stress times the
/// belly's section everywhere.
MuscleVolume bench_muscle(const BenchMuscle& bench = {});

}  // namespace sinew
