#pragma once

#include "sinew/base/progress.h"
#include "sinew/mesh/tet_mesh.h"
#include "sinew/solver/vertex_constraints.h"

namespace sinew {

struct Untangled {
    Points x;
    Eigen::Index inverted_before = 0;
    Eigen::Index inverted_after = 0;
};

/// A start for laws that resist change of volume so much that Newton's method ends in a knot when
/// it begins with inverted tetrahedra. Positions without inversion are returned as they are; others
/// are first relaxed under corotated elasticity without volume term (energy/projective_tets.h),
/// which finds back from arbitrary positions, subject to the constraints.
/// @throws InputError  when a rest volume is <= 0 or the numbers of points differ
Untangled untangle(const TetMesh& rest, const VertexConstraints& constraints, const Points& start,
                   const Progress& progress = {});

}  // namespace sinew
