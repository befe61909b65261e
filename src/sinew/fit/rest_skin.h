#pragma once

#include "sinew/mesh/triangle_mesh.h"

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

}  // namespace sinew
