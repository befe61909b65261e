#pragma once

#include "sinew/skinning/flesh_prisms.h"

#include <vector>

namespace sinew {

struct CouplingOptions {
    bool slide = true;  ///< skin slides over joints; false: copies stick to bones and joints
    double reach =
        1.5;  ///< bone anchors lie this many times (joint + bone radius) from the joint, > 0
};

/// Moves the inner surface of the flesh with the bones [Komaritzan, section 3.2.2].
///
/// Joints rotate by half of what lies between their bones. A vertex near a joint stands between an
/// anchor on the bone and one on the joint (both at its own angle around the bone), keeps its
/// fraction of the line between them, and is pushed out of bone and joint where it would sink in:
/// so the flesh slides over bent joints. Where a joint moves away from its parent the bone is
/// stretched. Departs: the anchors are points of circles at the vertex's own angle instead of two
/// samples of a ring each.
class BoneCoupling {
public:
    BoneCoupling(const CharacterSkeleton& skeleton, const BoneVolumes& bones,
                 const FleshPrisms& flesh, const CouplingOptions& options = {});

    /// Writes rows S .. 2S-1 of x.
    void place_inner(const CharacterPose& pose, Points& x) const;
    /// Base points on the lines of the bones, moved: rows 0 .. S-1 of `base`.
    void place_base(const CharacterPose& pose, Points& base) const;

    /// Vertices whose bone is virtual: nothing holds their copies.
    const std::vector<Index>& unheld() const {
        return unheld_;
    }

private:
    struct Vertex {
        Index bone;
        Index joint;      // the end it is near to, -1: in the middle of the bone
        double share;     // 0 at the joint, 1 at the bone's anchor and beyond
        Vec3 from_joint;  // what rotates with the joint, at rest
        Vec3 from_bone;   // what rotates with the bone, at rest
        double along;
    };
    struct Posed;  // bones and joints of a pose
    Posed posed(const CharacterPose& pose) const;

    CharacterSkeleton skeleton_;
    BoneVolumes bones_;
    std::vector<Vertex> vertices_ = {};
    std::vector<Index> unheld_ = {};
    Points rest_base_ = Points(0, 3);
    std::vector<double> base_along_ = {};
};

}  // namespace sinew
