#pragma once

#include "sinew/geometry/signed_distance.h"
#include "sinew/mesh/tet_mesh.h"

#include <span>

namespace sinew {

/// Where lines that start at `from` end at a solid inside a mesh. They follow the gradient of the
/// harmonic function that is 1 at the outside and 0 in the solid, so they never cross and come down
/// upright; lines that would end where the function is below a tenth end there.
/// @param outside  points of the mesh at which the function is 1
/// @param solid    within which it is 0
/// @param from     points inside the mesh or at its outside, m
/// @param inward   unit vectors in which the lines set out
Points flow_to_solid(const TetMesh& mesh, std::span<const Index> outside,
                     const SignedDistance& solid, const Points& from, const Points& inward);

}  // namespace sinew
