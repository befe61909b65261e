#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <span>

namespace sinew {

/// Bounded biharmonic weights of handles on a surface [Jacobson2011, eqs. 2-6]: each weight
///
///   minimises  w^T L M^-1 L w   subject to  w = 1 in its handle's region, w = 0 in the others',
///                                           0 <= w <= 1,
///
/// L the cotangent Laplacian, M lumped areas. With two handles they sum to one by themselves; more
/// are solved one by one and divided by their sum, as the paper does. A piece of the surface in
/// which no handle lies goes with the handle nearest to it.
///
/// The bounds are met by an active set that changes as a whole from solve to solve
/// [Hintermueller2002]; a few suffice, each one factorisation. What rounding leaves is cut off.
/// @param handle_of  of every vertex the handle in whose region it lies, -1 outside all
/// @param handles    how many there are, >= 1; each should have a vertex
/// @return           vertices x handles, rows sum to 1
/// @throws InputError  as cotangent_laplacian does, and when no vertex belongs to a handle
Eigen::MatrixXd biharmonic_weights(const TriangleMesh& mesh, std::span<const Index> handle_of,
                                   Index handles);

}  // namespace sinew
