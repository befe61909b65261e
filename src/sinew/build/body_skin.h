#pragma once

#include "sinew/base/progress.h"
#include "sinew/build/anatomy_solid.h"
#include "sinew/mesh/triangle_mesh.h"

#include <vector>

namespace sinew {

struct BodySkinOptions {
    double vertices = 22000.0;  ///< aimed at, [300, 1e6]
    /// Smallest over largest edge aimed at, (0, 1]: fingers, toes, ears and lips get short edges.
    double smallest_edge = 0.3;
    double edge_over_thickness = 0.4;  ///< edge over the thickness of the flesh or of a gap, > 0
    double edge_over_radius = 0.8;     ///< edge over the radius of curvature, > 0
    double clearance = 0.0012;  ///< skin is lifted where muscle or bone is nearer than this, m
    double clearance_over_edge = 0.05;  ///< or nearer than this times the length of edges, >= 0
    double max_lift = 0.006;            ///< but not further than this, m, >= 0
};

/// Edge lengths that suit the places of a skin, one per vertex, m: short where flesh is thin, where
/// two sheets face each other across a gap and where the surface bends, all in proportion, so that
/// about the wanted number of vertices results. They change by at most a quarter of the distance
/// walked.
std::vector<double> edge_lengths_for(const TriangleMesh& skin, const BodySkinOptions& options);

/// Mean length of the edges at each vertex, m.
std::vector<double> mean_edges(const TriangleMesh& mesh);

/// Unit vectors at the vertices that make the smallest angle with the normals of all triangles
/// around as small as can be: the direction in which an offset folds last.
Points most_visible_normals(const TriangleMesh& mesh);

/// The skin with about the wanted number of vertices: closed, of the same genus, not intersecting
/// itself and without spikes (triangles around a vertex that face away from each other), on average
/// neither inside nor outside of the given one, and outside muscles and bones by the clearance, so
/// that a layer of fat of good tetrahedra fits between.
/// @param skin   closed, outward
/// @param solid  muscles and bones
/// @throws InputError  when the skin is open, pinched, intersects itself or has a size that cannot
///                     be a body's; Cancelled
TriangleMesh resampled_skin(const TriangleMesh& skin, const AnatomySolid& solid,
                            const BodySkinOptions& options, const Progress& progress = {});

}  // namespace sinew
