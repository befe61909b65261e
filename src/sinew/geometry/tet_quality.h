#pragma once

#include "sinew/mesh/tet_mesh.h"

namespace sinew {

/// Angles between the faces of a tetrahedron, rad in [0, pi], one column per edge in the order
/// 01 02 03 12 13 23. Not a number is never returned: an edge beside a face without area has 0.
using DihedralAngles = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;
DihedralAngles tet_dihedral_angles(const Points& points, const Tets& tets);

/// Radius of the sphere through the four corners over the shortest edge; sqrt(6)/4 = 0.612 for the
/// regular tetrahedron, infinite for flat ones.
Eigen::VectorXd tet_radius_edge_ratios(const Points& points, const Tets& tets);

/// How fit a mesh is for simulation.
struct TetQuality {
    Eigen::Index tets = 0;
    Eigen::Index inverted = 0;            ///< with volume <= 0
    Index worst_tet = -1;                 ///< the one with the smallest dihedral angle
    double smallest_volume = 0.0;         ///< signed, m^3
    double smallest_dihedral = 0.0;       ///< rad
    double largest_dihedral = 0.0;        ///< rad
    double mean_smallest_dihedral = 0.0;  ///< mean over the tetrahedra, rad
    double largest_radius_edge = 0.0;
    double mean_radius_edge = 0.0;  ///< over the tetrahedra where it is finite
};
/// All zero for a mesh without tetrahedra.
TetQuality tet_quality(const Points& points, const Tets& tets);

inline TetQuality tet_quality(const TetMesh& mesh) {
    return tet_quality(mesh.points, mesh.tets);
}

}  // namespace sinew
