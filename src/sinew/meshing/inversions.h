#pragma once

#include "sinew/mesh/tet_mesh.h"

#include <span>

namespace sinew {

struct MendedInversions {
    Points x;
    Eigen::Index before = 0;  ///< tetrahedra with volume <= 0
    Eigen::Index after = 0;
    Eigen::Index moved = 0;  ///< points
};

/// Turns tetrahedra that a deformation left inside out the right way round, and opens those that it
/// left flat: volumes of at least a fiftieth of the one at rest, angles between faces of at least
/// 1.2 degrees or half of what they were where that was less. First each one by itself, moving its
/// corners by the least that widens it. Where volumes are still too small, the points of these and
/// of a ring around, that widens slowly, go where the regularised energy of [Garanzha2021, eqs.
/// 3-5] is least, which asks of every tetrahedron its grown shape: what is around holds still, so
/// the volume of the whole patch is kept to the last bit. Positions without such tetrahedra come
/// back as they are.
/// @param growth  of each tetrahedron at rest, det > 0; none: the rest shape is what is asked for
/// @param held    points (numbers of) that move only where all else has failed
MendedInversions mend_inversions(const TetMesh& rest, const Points& x,
                                 std::span<const Mat3> growth = {},
                                 std::span<const Index> held = {});

}  // namespace sinew
