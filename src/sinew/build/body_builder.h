#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/build/muscle_field.h"

#include <concepts>
#include <type_traits>
#include <vector>

namespace sinew {

/// About 10k, 76k (as in [Saito2015]) and 200k vertices.
enum class BodyResolution { Preview, Standard, Fine };

struct BodyOptions {
    BodyResolution resolution = BodyResolution::Standard;
    int seed = 1;  ///< of samples, >= 0
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, BodyOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.resolution, Field{.name = "resolution",
                          .help = "about 10k, 76k or 200k vertices",
                          .choices = {"preview", "standard", "fine"}});
    v(o.seed, Field{.name = "seed", .help = "of samples", .min = 0, .max = 2e9});
}

/// A body half made.
struct BodyVolume {
    /// Skin at its resolution, muscle envelope, tetrahedra, the anatomy with its display meshes
    /// embedded; without tissues, fibres, attachments and masses. Its map "fat_thickness" holds the
    /// distance from skin to envelope, m.
    Body body;
    std::vector<MuscleField> fields;  ///< of the muscles; may be empty, then they are yet to come
};

/// First half of build_body. The muscles' fields, which need none of the rest, are computed beside
/// it: remeshing and TetGen leave all cores but one idle.
BodyVolume build_volume(const Template& anatomy, const BodyOptions& options,
                        const Progress& progress = {});
/// The same with tetrahedra made from `plain_skin`, while the anatomy's own skin, with details that
/// are too fine for them, is displayed. Empty: from the anatomy's.
BodyVolume build_volume(const Template& anatomy, const TriangleMesh& plain_skin,
                        const BodyOptions& options, const Progress& progress = {});

/// Second half: what each tetrahedron is made of, fibres, attachments of the bones, masses of the
/// segments.
Body fill_volume(BodyVolume volume, const BodyOptions& options, const Progress& progress = {});

/// A body ready for simulation from an anatomy [Saito2015, sections 3.1.1 to 3.2]: the steps are
/// resampled_skin, shrink_envelope, fill_body, sample_tissues, sample_bone_attachments,
/// weigh_segments; see docs/build.md. The same anatomy and options give the same bytes.
/// @throws InputError  when the anatomy is not valid or a step cannot be done; Cancelled
Body build_body(const Template& anatomy, const BodyOptions& options = {},
                const Progress& progress = {});
Body build_body(const Template& anatomy, const TriangleMesh& plain_skin, const BodyOptions& options,
                const Progress& progress = {});

/// How a built body measures up.
struct BodyQuality {
    double smallest_dihedral = 0.0;    ///< rad
    double largest_dihedral = 0.0;     ///< rad
    double largest_radius_edge = 0.0;  ///< circumradius over shortest edge
    double mean_radius_edge = 0.0;
    long inverted = 0;      ///< tetrahedra without positive volume
    double enclosed = 0.0;  ///< fraction of the parts' surface inside the envelope, or within 1 mm
    double enclosed_exactly = 0.0;    ///< the same without the millimetre
    double least_fat = 0.0;           ///< distance of the envelope's vertices from the skin, m
    double median_fat = 0.0;          ///< m
    bool is_envelope_inside = false;  ///< no vertex outside, no triangles that meet
    long skin_genus = 0;
    long skin_intersections = 0;       ///< of the skin and the envelope, alone and with each other
    double median_volume_error = 0.0;  ///< of muscles in the tets against their meshes, relative
    double worst_volume_error = 0.0;   ///< over muscles of 1 ml and more
};
BodyQuality measure_quality(const Body& body, int samples = 50000);

}  // namespace sinew
