#pragma once

#include "sinew/body/body.h"

namespace sinew {

/// A skin that linear blending took from one pose to another, with the volume it had before: where
/// blending stretched it, it gives way along its normals, and where it was pressed together it
/// comes out,
///
///   x' = x - t (sqrt(A' / A) - 1) n,
///
/// with areas A before and A' after round each vertex, smoothed, and the one length t that keeps
/// the volume. A belly far before the spine that bends is stretched most.
/// @param before  vertices in the first pose
/// @param after   vertices in the second; not changed where both have one volume
Points with_volume_kept(const Points& before, const Points& after, const Triangles& triangles);

struct UncrossedSkin {
    Points x;
    long crossing_before = 0;  ///< pairs of triangles
    long crossing_after = 0;
};

/// Skin that lies in other skin, as between thighs that touch, is smoothed there and, where that
/// does not help, goes inwards, a little at a time and no further around than it takes, until no
/// triangles cross. A skin without crossings comes back as it is.
UncrossedSkin uncrossed_skin(const Points& x, const Triangles& triangles);

/// Displacements of a fine mesh that follow a coarse one have a kink at every edge of the coarse
/// triangles, which shows as ripples: means over neighbours, as far around as a coarse edge is
/// long. What the fine mesh has beyond the coarse one stays.
/// @param coarse_edge  mean length, m
Points without_kinks(const TriangleMesh& fine, const Points& displacement, double coarse_edge);

/// The display skin of a body that was made from `before`, without kinks.
void smooth_display_skin(const Body& before, Body& body);

}  // namespace sinew
