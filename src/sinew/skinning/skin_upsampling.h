#pragma once

#include "sinew/base/progress.h"
#include "sinew/mesh/triangle_mesh.h"
#include "sinew/skinning/blocked_sums.h"

#include <vector>

namespace sinew {

struct UpsamplingOptions {
    int neighbours = 20;  ///< k, of the coarse skin, per fine vertex, >= 4
};

/// What upsampling works out once for two meshes; as arrays, so that it can be kept.
struct UpsamplingWeights {
    struct Left {
        Index vertex;
        Vec3 offset;  ///< in the frame of the nearest triangle
    };

    int neighbours = 0;  ///< k
    std::vector<Index> nearest_triangle = {};
    std::vector<Index> index = {};          ///< k per fine vertex
    std::vector<float> weight = {};         ///< N_ij
    std::vector<float> normal_weight = {};  ///< of normals
    std::vector<Left> left = {};
};

/// Shows a fine skin where a coarse one is simulated, by quadratic moving least squares
/// [Komaritzan, section 3.2.4]:
///
///   x_j = sum_i x_i N_ij,   N_ij = w_ij psi_i^T K_j^+ psi_j,   K_j = sum_i w_ij psi_i psi_i^T
///
/// over the k nearest vertices along the coarse skin. Motions that are quadratic in space are
/// reproduced; the rest shape always is.
/// Departs: distances run along the edges of the coarse skin from the triangle nearest to the fine
/// vertex. What the polynomials leave over at rest (points off a plane or quadric on which all
/// neighbours lie) rotates with that triangle.
class SkinUpsampling {
public:
    /// @throws InputError when a mesh is not valid or the coarse one has no triangle
    SkinUpsampling(const TriangleMesh& coarse, const TriangleMesh& fine,
                   const UpsamplingOptions& options = {}, const Progress& progress = {});

    /// With weights of this coarse skin.
    /// @throws InputError when they do not fit it
    SkinUpsampling(const TriangleMesh& coarse, UpsamplingWeights weights);

    const UpsamplingWeights& weights() const {
        return weights_;
    }

    /// Fine positions for coarse ones, in parallel; `fine` keeps its memory.
    void apply(const Points& coarse, Points& fine) const;
    /// Unit normals of the fine skin from those of the coarse skin: linear moving least squares in
    /// the normals at rest, so that those of the fine skin at rest come back.
    void apply_normals(const Points& coarse_normals, Points& fine_normals) const;

    Eigen::Index fine_vertices() const {
        return static_cast<Eigen::Index>(weights_.nearest_triangle.size());
    }

private:
    void pack_weights(const Points& coarse);

    Triangles triangles_;
    UpsamplingWeights weights_;
    BlockedSums positions_ = {};
    BlockedSums normals_ = {};
};

}  // namespace sinew
