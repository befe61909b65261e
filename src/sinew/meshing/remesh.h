#pragma once

#include "sinew/base/fields.h"
#include "sinew/base/progress.h"
#include "sinew/mesh/triangle_mesh.h"

#include <concepts>
#include <span>

namespace sinew {

struct RemeshOptions {
    double edge_length = 0.0;     ///< aimed at, m, > 0
    int iterations = 8;           ///< rounds of split, collapse, flip, relax, >= 1
    double feature_angle = 1.05;  ///< edges bent by more than this stay in place, rad, (0, pi]
    double max_triangles = 2e7;   ///< refuse to make more, >= 1
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, RemeshOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.edge_length,
      Field{.name = "edge_length", .help = "edge length aimed at", .unit = "m", .above = 0});
    v(o.iterations, Field{.name = "iterations", .help = "rounds", .min = 1, .max = 1000});
    v(o.feature_angle, Field{.name = "feature_angle",
                             .help = "edges bent by more are kept",
                             .unit = "rad",
                             .max = 3.15,
                             .above = 0});
    v(o.max_triangles,
      Field{.name = "max_triangles", .help = "refuse to make more triangles", .min = 1});
}

/// The same surface with nearly equilateral triangles of about one size [Botsch2004]: edges longer
/// than 4/3 of the aim are split, shorter than 4/5 collapsed, edges flipped towards six triangles
/// per vertex, vertices moved along the surface to the middle of their neighbours and back onto the
/// original surface. Pieces, handles and borders stay as they are; borders and sharp edges are
/// resampled along themselves. Point data is carried over, data of triangles is not.
/// @throws InputError when the mesh is not a manifold with triangles of one sense, or when the
///         result would have too many triangles; Cancelled
TriangleMesh remeshed(const TriangleMesh& mesh, const RemeshOptions& options,
                      const Progress& progress = {});

/// The same with triangles of different sizes: small where detail asks for it.
/// @param edge_lengths  aimed at near each vertex of the mesh, m, > 0; they should change slowly,
///                      by less than half of the distance. options.edge_length is not used.
TriangleMesh remeshed(const TriangleMesh& mesh, std::span<const double> edge_lengths,
                      const RemeshOptions& options, const Progress& progress = {});

}  // namespace sinew
