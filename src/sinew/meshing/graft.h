#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <optional>

namespace sinew {

/// Beyond a plane, in the direction of its normal, as far as the surface hangs together with what
/// is nearest to the seed: a hand beyond the wrist, not the thigh beside it.
struct GraftRegion {
    Vec3 seed = Vec3::Zero();
    Vec3 point = Vec3::Zero();    ///< on the plane
    Vec3 normal = Vec3::UnitX();  ///< unit, towards the seed
    double gap = 0.002;           ///< the patch begins this far beyond the plane, m, > 0
};

/// The vertices of a closed surface in the region, as flags.
std::vector<char> vertices_in_region(const TriangleMesh& mesh, const GraftRegion& region);

/// `base` with what lies in the region replaced by what `patch` has there: both are cut along their
/// edges, and a strip of triangles joins the two cuts. Vertices of `base` come first, in their
/// order, then those of `patch`; data is left out. The result is closed where both surfaces are.
/// Nothing when the plane cuts one of them in more than one loop.
std::optional<TriangleMesh> grafted(const TriangleMesh& base, const TriangleMesh& patch,
                                    const GraftRegion& region);

}  // namespace sinew
