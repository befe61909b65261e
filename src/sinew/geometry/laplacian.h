#pragma once

#include "sinew/mesh/tet_mesh.h"
#include "sinew/mesh/triangle_mesh.h"

#include <Eigen/SparseCore>

namespace sinew {

// Linear finite elements on triangle surfaces (in space) and on tetrahedra. Orientation does not
// matter: an inverted element counts with its size. Isolated vertices have empty rows.
//
// All functions throw InputError naming the element when one has no area or no volume (below 1e-14
// of its longest edge squared or cubed) or a coordinate is not finite.

/// Stiffness of -div grad, V x V, in m^0 (triangles) or m (tetrahedra):
///
///   L_ij = int grad phi_i . grad phi_j          so that  x^T L x = int |grad x|^2 >= 0
///
/// Sign: positive semidefinite, positive diagonal, rows sum to zero (constants are its kernel).
/// Triangles: L_ij = -(cot a_ij + cot b_ij) / 2 with the angles opposite to edge ij [Pinkall1993].
/// The pointwise Laplace operator is -M^-1 L with one of the masses below.
Eigen::SparseMatrix<double> cotangent_laplacian(const Points& points, const Triangles& triangles);
Eigen::SparseMatrix<double> cotangent_laplacian(const Points& points, const Tets& tets);

/// A third of the area (m^2), a quarter of the volume (m^3) of the elements around each vertex.
Eigen::VectorXd lumped_mass(const Points& points, const Triangles& triangles);
Eigen::VectorXd lumped_mass(const Points& points, const Tets& tets);
/// Area nearest to each vertex, cut off inside obtuse triangles so that all are > 0 and sum to the
/// area [Meyer2003, mixed area]. The most accurate choice for curvature.
Eigen::VectorXd voronoi_mass(const Points& points, const Triangles& triangles);
/// M_ij = int phi_i phi_j, V x V: A/12 (1 + delta_ij) per triangle, V/20 (1 + delta_ij) per
/// tetrahedron.
Eigen::SparseMatrix<double> consistent_mass(const Points& points, const Triangles& triangles);
Eigen::SparseMatrix<double> consistent_mass(const Points& points, const Tets& tets);

/// Gradient of a function given at the vertices, constant in each element: (3 * elements) x V, rows
/// 3e, 3e+1, 3e+2 hold the x, y, z derivative in element e (1/m). In a triangle it lies in the
/// triangle's plane. G^T W G = L when W holds each element's area or volume three times.
Eigen::SparseMatrix<double> gradient_operator(const Points& points, const Triangles& triangles);
Eigen::SparseMatrix<double> gradient_operator(const Points& points, const Tets& tets);

}  // namespace sinew
