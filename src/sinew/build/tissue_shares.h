#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/build/muscle_field.h"

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

namespace sinew {

/// Labels of TetMesh::region: what tetrahedralise gives for the surfaces {skin, envelope}.
inline constexpr int kFatRegion = 1;    ///< between skin and envelope
inline constexpr int kFleshRegion = 2;  ///< inside the envelope

struct TissueShareOptions {
    double spacing = 0.0007;   ///< between sample lines, m, > 0
    int min_lines = 8;         ///< that a tetrahedron is sampled with at least, >= 1
    int max_rounds = 60;       ///< of the correction of volumes, >= 0; 0: none
    double tolerance = 0.002;  ///< of volumes, at which it stops, > 0
    int seed = 1;              ///< of the lines' places, >= 0
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, TissueShareOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.spacing, Field{.name = "spacing",
                       .help = "between sample lines",
                       .unit = "m",
                       .min = 1e-4,
                       .max = 0.05});
    v(o.min_lines,
      Field{.name = "min_lines", .help = "per tetrahedron at least", .min = 1, .max = 1000});
    v(o.max_rounds,
      Field{.name = "max_rounds", .help = "of the correction of volumes", .min = 0, .max = 1000});
    v(o.tolerance, Field{.name = "tolerance",
                         .help = "of volumes, at which the correction stops",
                         .max = 0.1,
                         .above = 0.0});
    v(o.seed, Field{.name = "seed", .help = "of the lines' places", .min = 0, .max = 2e9});
}

/// What became of the volume of one muscle or bone.
struct PartVolume {
    std::string name;
    double mesh = 0.0;     ///< that its surface encloses, m^3
    double sampled = 0.0;  ///< sum of fraction * volume as sampled, overlaps shared, m^3
    double stored = 0.0;   ///< the same in the shares returned, m^3
};

struct TissueSampling {
    TissueShares shares = {};
    Fibres fibres = {};
    std::vector<PartVolume> muscles = {};
    std::vector<PartVolume> bones = {};
    int rounds = 0;  ///< of the correction
};

/// What each tetrahedron is made of, and how the fibres run in it, by stratified random sampling
/// along lines: lines parallel to z, one at a random place of each cell of a lattice, are cut
/// exactly by tetrahedra and by the surfaces of all muscles and bones. A stretch inside several
/// parts is shared equally between them; what lies in none is generic tissue; tetrahedra labelled
/// kFatRegion are fat (a mesh without labels has none). Muscles are split into belly and tendon by
/// their field; fibres are the field's direction in the middle of the muscle's stretches.
///
/// Correction: where parts overlap, or stick out of the flesh, they would come out too small. So
/// the odds f / (1 - f) of a part's fraction, in the tetrahedra that it holds only in part, are
/// multiplied by one factor per part, found by Newton steps, until fractions times volumes sum to
/// the volume of its mesh; tetrahedra that are too full are scaled down in every round. What is
/// moved stays in tetrahedra that the part touches.
///
/// @param fields  one per muscle
/// @throws InputError  when the counts disagree or a tissue has no material; Cancelled
TissueSampling sample_tissues(const TetMesh& tets, const std::vector<Muscle>& muscles,
                              const std::vector<MuscleField>& fields,
                              const std::vector<Bone>& bones,
                              const std::vector<TissueMaterial>& materials,
                              const TissueShareOptions& options = {},
                              const Progress& progress = {});

/// Muscles without a field of their own: computed first.
TissueSampling sample_tissues(const TetMesh& tets, const Template& anatomy,
                              const TissueShareOptions& options = {},
                              const Progress& progress = {});

}  // namespace sinew
