#include "sinew/geometry/measure.h"
#include "sinew/skinning/blend_skinning.h"
#include "sinew/skinning/projective_skinning.h"

#include <gtest/gtest.h>

#include "tests/skinning/tube_arm.h"

namespace sinew {
namespace {

struct Arm {
    TriangleMesh skin = support::tube();
    CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning flesh{skin, skeleton};
    BlendSkinning blend{flesh.flesh(), flesh.bones()};

    double volume_ratio(const Points& x) const {
        return enclosed_volume(x, skin.triangles) / enclosed_volume(skin);
    }
    CharacterPose twisted(double angle) const {
        JointRotations r;
        r.rotations.assign(skeleton.size(), Eigen::Quaterniond::Identity());
        r.rotations[1] = Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vec3::UnitY()));
        return pose_of(skeleton, r);
    }
};

TEST(BlendSkinning, Baran2007WeightsAreBoundedAndSumToOne) {
    const Arm arm;
    double least = 1.0;
    for (Index i = 0; i < arm.skin.points.rows(); ++i) {
        double sum = 0.0;
        for (const BlendSkinning::Weight& w : arm.blend.weights(i)) {
            EXPECT_GE(w.value, 0.0);
            EXPECT_LE(w.value, 1.0 + 1e-12);
            sum += w.value;
        }
        EXPECT_NEAR(sum, 1.0, 1e-12);
        // Far from the elbow a vertex follows one bone, at the elbow both alike.
        const double y = arm.skin.points(i, 1);
        const auto& weights = arm.blend.weights(i);
        const auto largest =
            std::max_element(weights.begin(), weights.end(),
                             [](const auto& a, const auto& b) { return a.value < b.value; });
        if (std::abs(y - 0.3) > 0.2) {
            EXPECT_GT(largest->value, 0.98);
        }
        least = std::min(least, largest->value);
    }
    EXPECT_LT(least, 0.6);
}

TEST(BlendSkinning, BothFollowRigidMotions) {
    const Arm arm;
    for (const auto& motion : support::rigid_motions(3, Seed{4})) {
        const CharacterPose pose(arm.skeleton.size(), motion);
        for (const BlendMethod method : {BlendMethod::Linear, BlendMethod::DualQuaternions}) {
            const Points x = arm.blend.posed(pose, method);
            EXPECT_LT((x - support::moved(arm.skin.points, motion)).cwiseAbs().maxCoeff(), 1e-9);
        }
    }
}

// A vertex with weights 1/2, 1/2 at a joint that is twisted by half a turn: linear blending puts
// it on the axis, dual quaternions at a quarter turn and its own distance.
TEST(BlendSkinning, Kavan2007KeepsDistancesWhereLinearBlendingCollapses) {
    const Arm arm;
    const CharacterPose pose = arm.twisted(3.0);
    const Points linear = arm.blend.posed(pose, BlendMethod::Linear);
    const Points dual = arm.blend.posed(pose, BlendMethod::DualQuaternions);
    const auto thinnest = [](const Points& x) {
        double least = 1.0;
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            if (x(i, 1) > 0.1 && x(i, 1) < 0.5) {
                least = std::min(least, std::hypot(x(i, 0), x(i, 2)));
            }
        }
        return least;
    };
    EXPECT_LT(thinnest(linear), 0.015);
    EXPECT_NEAR(thinnest(dual), 0.05, 1e-6);
}

TEST(BlendSkinning, FleshKeepsMoreOfABentElbowThanEitherBlend) {
    Arm arm;
    const CharacterPose pose = support::bent(arm.skeleton, 1.8);
    arm.flesh.reset(pose, 40);
    const double flesh = std::abs(arm.volume_ratio(arm.flesh.skin()) - 1.0);
    const double linear =
        std::abs(arm.volume_ratio(arm.blend.posed(pose, BlendMethod::Linear)) - 1.0);
    EXPECT_LT(flesh, linear);
    // The same measures for any skin.
    arm.flesh.place(pose, arm.blend.posed(pose, BlendMethod::Linear));
    EXPECT_LT(arm.flesh.volume_ratio(), 1.0);
    EXPECT_EQ(arm.flesh.skin(), arm.blend.posed(pose, BlendMethod::Linear));
}

}  // namespace
}  // namespace sinew
