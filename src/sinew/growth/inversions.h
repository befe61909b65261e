#pragma once

#include "sinew/mesh/tet_mesh.h"

namespace sinew {

struct SmoothedInversions {
    Points x;
    Eigen::Index before = 0;  ///< tetrahedra with volume <= 0
    Eigen::Index after = 0;
};

/// Turns tetrahedra that a deformation left inside out the right way round: around them the
/// displacement is averaged with that of neighbouring vertices, in growing neighbourhoods, until
/// every volume is at least a fiftieth of the one at rest. A displacement that varies slowly
/// cannot invert anything, so this ends unless something large is folded. Positions without
/// inversion come back as they are.
SmoothedInversions smooth_inversions(const TetMesh& rest, const Points& x);

}  // namespace sinew
