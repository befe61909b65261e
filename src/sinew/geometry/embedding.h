#pragma once

#include "sinew/geometry/tet_locator.h"
#include "sinew/mesh/triangle_mesh.h"

#include <Eigen/SparseCore>

#include <vector>

namespace sinew {

/// Points that follow a tetrahedral mesh: x = sum_k weights(i, k) * tet point corners(i, k).
/// Weights sum to 1, so affine motions of the mesh carry the points along exactly.
struct TetEmbedding {
    Tets corners = Tets(0, 4);
    Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor> weights{0, 4};
    std::vector<Index> tet;   ///< the one that each point follows
    Eigen::VectorXd outside;  ///< distance from the rest mesh, m; 0 inside

    Eigen::Index size() const {
        return corners.rows();
    }
    /// How many points lie outside, and how far the furthest does (m).
    Eigen::Index outside_count() const;
    double largest_outside() const;
};

struct EmbeddingOptions {
    /// Points further outside than this are refused, m, >= 0.
    double max_outside = 0.02;
    /// Outside, weights extend the tetrahedron beyond its faces. Where a thin tetrahedron would
    /// need a weight beyond this, a neighbour with smaller ones is taken instead, >= 1.
    double max_weight = 3.0;
};

/// Ties every row of `points` to the tetrahedron that holds it or is nearest to it; points outside
/// are extrapolated, so the rest positions are reproduced everywhere.
/// @throws InputError  when a point is too far outside or not finite, or the mesh has no
///                     tetrahedra with volume near a point
TetEmbedding embed(const Points& points, const TetLocator& locator,
                   const EmbeddingOptions& options = {});
TetEmbedding embed(const Points& points, const TetMesh& mesh, const EmbeddingOptions& options = {});

/// The embedded points when the mesh's points are `tet_points`.
Points apply(const TetEmbedding& embedding, const Points& tet_points);
/// The same map as a matrix, size() x `vertices`.
Eigen::SparseMatrix<double> embedding_matrix(const TetEmbedding& embedding, Eigen::Index vertices);

/// Points that follow a triangle surface: each keeps its offset from the nearest point of the
/// surface in the frame of the triangle there (along its first edge, across it, along its normal).
/// Rigid motions of the surface carry the points along exactly.
struct SurfaceAttachment {
    Triangles corners = Triangles(0, 3);
    Points barycentric = Points(0, 3);  ///< of the nearest point
    Points offset = Points(0, 3);       ///< in the triangle's frame, m

    Eigen::Index size() const {
        return corners.rows();
    }
};

/// Triangles without area have no frame and are passed over.
/// @throws InputError  when there are points but no triangle with area, or a coordinate is not
///                     finite
SurfaceAttachment attach(const Points& points, const TriangleMesh& surface);
/// The attached points when the surface's points are `surface_points`.
Points apply(const SurfaceAttachment& attachment, const Points& surface_points);

}  // namespace sinew
