#pragma once

#include "sinew/mesh/tet_mesh.h"

namespace sinew {

struct SmoothedInversions {
    Points x;
    Eigen::Index before = 0;  ///< tetrahedra with volume <= 0
    Eigen::Index after = 0;
};

/// Turns tetrahedra that a deformation left inside out the right way round, and opens those that it
/// left flat: volumes of at least a fiftieth of the one at rest, angles between faces of at least
/// 1.2 degrees or half of what they were where that was less. First each one by itself, moving its
/// corners by the least that widens it. Where volumes are still too small, the displacement around
/// is averaged with that of neighbouring vertices, in growing neighbourhoods: one that varies
/// slowly cannot invert anything, so this ends unless something large is folded. Positions without
/// such tetrahedra come back as they are.
SmoothedInversions smooth_inversions(const TetMesh& rest, const Points& x);

}  // namespace sinew
