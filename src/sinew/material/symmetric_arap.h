#pragma once

#include "sinew/material/material.h"

namespace sinew {

/// "Symmetric as-rigid-as-possible" energy of one tetrahedron: rest and present may be exchanged,
/// and flat rest elements do no harm, since nothing is divided by.
///
///   E = k |D_S - R D_M|^2                                              [Kadlecek2022, eq. 4.6]
///
/// D_M and D_S hold the edge vectors at rest and now, one per column, m. R is the rotation that
/// makes E smallest: the one nearest to D_S D_M^T. k is in N/m.
/// This law is not a Material: it is a function of the edges, not of D_S D_M^-1.
namespace symmetric_arap {

/// The k that gives a tetrahedron of well-proportioned rest shape the shear modulus mu (Pa):
/// k |D_S - R D_M|^2 = k tr((F - R) D_M D_M^T (F - R)^T), with D_M D_M^T near (|D_M|^2 / 3) I this
/// is mu V |F - R|^2 for k = 3 mu V / |D_M|^2. Zero for a tetrahedron that is a single point.
double stiffness(const Mat3& D_M, double mu);

double energy(const Mat3& D_S, const Mat3& D_M, double k);               ///< J
Mat3 gradient(const Mat3& D_S, const Mat3& D_M, double k);               ///< dE/dD_S, N
Mat9 hessian(const Mat3& D_S, const Mat3& D_M, double k, Tangent kind);  ///< N/m

}  // namespace symmetric_arap

}  // namespace sinew
