#pragma once

#include "sinew/base/fields.h"
#include "sinew/mesh/triangle_mesh.h"

#include <concepts>

namespace sinew {

enum class SmoothMethod { Laplacian, Taubin };

struct SmoothOptions {
    SmoothMethod method = SmoothMethod::Taubin;
    int iterations = 10;       ///< passes, >= 0
    double step = 0.5;         ///< fraction of the distance to the mean of the neighbours, (0, 1]
    double pass_band = 0.1;    ///< Taubin: detail of lower frequency is kept, (0, 1)
    bool keep_volume = false;  ///< move along the normals afterwards so that the volume returns
    bool keep_border = true;   ///< vertices on a border stay
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SmoothOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.method,
      Field{.name = "method", .help = "kind of smoothing", .choices = {"laplacian", "taubin"}});
    v(o.iterations, Field{.name = "iterations", .help = "passes", .min = 0, .max = 100000});
    v(o.step, Field{.name = "step",
                    .help = "fraction of the distance to the neighbours' mean",
                    .max = 1,
                    .above = 0});
    v(o.pass_band, Field{.name = "pass_band",
                         .help = "frequency below which detail is kept",
                         .min = 0.001,
                         .max = 0.99});
    v(o.keep_volume, Field{.name = "keep_volume", .help = "restore the enclosed volume"});
    v(o.keep_border, Field{.name = "keep_border", .help = "leave border vertices where they are"});
}

/// Moves vertices towards the mean of their neighbours; triangles and data stay.
///   Laplacian:  x <- x + step * L x,  L x = mean of the neighbours - x: shrinks
///   Taubin:     every other pass with -step', 1/step' = 1/step - pass_band: hardly shrinks
///               [Taubin1995]
/// @throws InputError when the mesh is invalid or an option out of range
TriangleMesh smoothed(const TriangleMesh& mesh, const SmoothOptions& options = {});

}  // namespace sinew
