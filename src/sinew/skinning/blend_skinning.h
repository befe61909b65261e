#pragma once

#include "sinew/skinning/flesh_prisms.h"

#include <vector>

namespace sinew {

/// Skins without flesh, to compare with: how transforms of bones are blended at a vertex.
enum class BlendMethod {
    Linear,           ///< x' = sum_b w_b T_b x; collapses where bones rotate against each other
    DualQuaternions,  ///< rigid transforms in between [Kavan2007]; bulges where bones bend
};

/// Linear blend and dual quaternion skinning with automatic weights. The weights are heat that
/// every vertex gets from the bone nearest to it, spread over the skin [Baran2007]:
///
///   (L + M H) w_b = M H p_b,   H = 1 / d^2,   p_b = 1 where bone b is nearest, at distance d
///
/// They are in [0, 1] and sum to 1 at every vertex.
/// Departs: the bone is that of the vertex's base point, which is smooth along the skin, instead of
/// the visible one; cotangents below zero count as zero, so that no weight leaves [0, 1].
class BlendSkinning {
public:
    struct Weight {
        Index bone;  ///< of BoneVolumes
        double value;
    };
    BlendSkinning(const FleshPrisms& flesh, const BoneVolumes& bones);
    /// With weights of one's own, whose bones are joints and which sum to 1 at every vertex; one
    /// without any stays at rest.
    BlendSkinning(Points rest, std::vector<std::vector<Weight>> weights, std::size_t joints);

    /// Positions of the skin's vertices.
    Points posed(const CharacterPose& pose, BlendMethod method) const;

    /// Of a vertex, by ascending bone; those above a thousandth.
    const std::vector<Weight>& weights(Index vertex) const {
        return weights_[at(vertex)];
    }
    const std::vector<std::vector<Weight>>& all_weights() const {
        return weights_;
    }

private:
    Points rest_ = Points(0, 3);
    std::vector<Index> joint_of_ = {};  // that each bone moves with
    std::vector<std::vector<Weight>> weights_ = {};
};

}  // namespace sinew
