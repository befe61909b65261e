#pragma once

#include "sinew/mesh/tet_mesh.h"

#include <span>
#include <vector>

namespace sinew {

/// A quarter of each tetrahedron's mass to each corner, kg.
/// @param density  one per tetrahedron, kg/m^3
std::vector<double> lumped_masses(const TetMesh& rest, std::span<const double> density);

/// Weight of every vertex, N: m_i g.
/// @param gravity  m/s^2, e.g. (0, -kGravity, 0)
Points gravity_forces(std::span<const double> masses, const Vec3& gravity);

/// A force per undeformed volume (N/m^3, one row per tetrahedron) as forces on the vertices, N.
Points body_forces(const TetMesh& rest, const Points& force_density);

}  // namespace sinew
