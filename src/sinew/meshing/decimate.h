#pragma once

#include "sinew/base/progress.h"
#include "sinew/mesh/triangle_mesh.h"

#include <limits>
#include <span>

namespace sinew {

struct DecimateOptions {
    Eigen::Index target_triangles = 0;                           ///< stop at this many, >= 0
    double max_error = std::numeric_limits<double>::infinity();  ///< stop before the root of the
                                                                 ///< quadric error gets larger, m
    double evenness = 0.0;  ///< fraction of an edge's length that counts as error too, >= 0: more
                            ///< than 0 keeps vertices on flat parts, in triangles of even size
    std::span<const double> size = {};  ///< per vertex, > 0: where triangles should be how large,
                                        ///< against each other; lengths count divided by it. Empty:
                                        ///< everywhere alike
};

/// A coarser surface by collapsing edges in the order of their quadric error [Garland1997]: the sum
/// of squared distances of the new vertex from the planes of the triangles it stands for, weighted
/// with their areas. The result is a manifold with the same pieces, handles and borders as the
/// mesh; border vertices stay. Point data is carried over, data of triangles is not.
/// @throws InputError when the mesh is not a manifold with triangles of one sense; Cancelled
TriangleMesh decimated(const TriangleMesh& mesh, const DecimateOptions& options,
                       const Progress& progress = {});

}  // namespace sinew
