#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/geometry/tet_locator.h"

#include <concepts>
#include <type_traits>
#include <vector>

namespace sinew {

struct AttachmentOptions {
    double spacing = 0.006;     ///< no two samples of a bone are nearer than this, m, > 0
    double max_outside = 0.02;  ///< samples further from the tets than this are left out, m, >= 0
    int seed = 1;               ///< >= 0
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, AttachmentOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.spacing, Field{.name = "spacing",
                       .help = "between samples of the bones' surfaces",
                       .unit = "m",
                       .min = 5e-4,
                       .max = 0.1});
    v(o.max_outside, Field{.name = "max_outside",
                           .help = "samples further outside are left out",
                           .unit = "m",
                           .min = 0.0,
                           .max = 0.1});
    v(o.seed, Field{.name = "seed", .help = "of the samples", .min = 0, .max = 2e9});
}

/// Samples of the bones' surfaces that hold the flesh [Saito2015, section 3.2]: dart throwing, so
/// evenly spread and never in rows. Every bone with triangles gets one at least. Discs are soft and
/// get none.
/// @throws InputError  for options out of range
Attachments sample_bone_attachments(const std::vector<Bone>& bones, const TetLocator& locator,
                                    const AttachmentOptions& options = {},
                                    const Progress& progress = {});

/// Ties points to the tetrahedra that hold them or are nearest to them.
/// @throws InputError  when one lies further than `max_outside` (m) outside
EmbeddedPoints embed_points(const Points& points, const TetLocator& locator,
                            double max_outside = 0.02);

/// Vertices of the display meshes of all bones, and of all muscles.
std::vector<EmbeddedPoints> embed_parts(const std::vector<Bone>& bones, const TetLocator& locator,
                                        double max_outside = 0.02);
std::vector<EmbeddedPoints> embed_parts(const std::vector<Muscle>& muscles,
                                        const TetLocator& locator, double max_outside = 0.02);

}  // namespace sinew
