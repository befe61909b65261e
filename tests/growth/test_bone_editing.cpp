#include "sinew/base/error.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/bone_editing.h"

#include <gtest/gtest.h>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

class BonesOfALimb : public testing::Test {
protected:
    Body body_ = support::limb_body();
    std::vector<BodyPart> parts_ = body_parts(body_);
    EditedBody edited(const char* word, double scale) const {
        std::vector<double> scales(parts_.size(), 1.0);
        for (const std::size_t p : find_body_parts(body_, parts_, word, "test")) {
            scales[p] = scale;
        }
        return edit_bones(body_, parts_, scales);
    }
};

TEST_F(BonesOfALimb, PartsAreNamedAndFound) {
    ASSERT_EQ(parts_.size(), 2u);
    EXPECT_EQ(parts_[0].name, "upper_arm_l");
    EXPECT_EQ(parts_[1].name, "forearm_l");
    EXPECT_EQ(find_body_parts(body_, parts_, "arms", "test").size(), 2u);
    EXPECT_EQ(find_body_parts(body_, parts_, "humerus", "test"), std::vector<std::size_t>{0});
    EXPECT_EQ(find_body_parts(body_, parts_, "ulna_l", "test"), std::vector<std::size_t>{1});
    EXPECT_THROW(find_body_parts(body_, parts_, "ulna_r", "test"), InputError);
    try {
        find_body_parts(body_, parts_, "humrus", "test");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("humerus"), std::string::npos);
    }
}

// The joint lies 0.2 m from the root: it moves by 25 % of that; heads are only shifted.
TEST_F(BonesOfALimb, Saito2015Section34LengthChangesAndHeadsKeepTheirShape) {
    const BoneWeights weights = compute_bone_weights(body_, parts_);
    for (const double scale : {0.8, 1.25}) {
        std::vector<double> scales(parts_.size(), 1.0);
        scales[0] = scale;
        const EditedSkeleton skeleton = edit_skeleton(body_, parts_, weights, scales);
        EXPECT_NEAR(skeleton.joints[1].y(), 0.2 * scale, 1e-12);
        const Points& before = body_.bones[0].mesh.points;
        const Points& after = skeleton.bones[0];
        for (Eigen::Index i = 0; i < before.rows(); ++i) {
            if (before(i, 1) <= 0.12 * 0.2) {
                EXPECT_LT((after.row(i) - before.row(i)).norm(), 1e-12);
            }
            if (before(i, 1) >= 0.88 * 0.2) {
                EXPECT_NEAR(after(i, 1) - before(i, 1), 0.2 * (scale - 1.0), 1e-12);
            }
        }
        // Both sides of the joint moved alike: its gap is unchanged.
        const Points& next = skeleton.bones[1];
        EXPECT_NEAR(next.col(1).minCoeff() - after.col(1).maxCoeff(), 0.0, 1e-12);
        EXPECT_NEAR(next.col(1).maxCoeff() - next.col(1).minCoeff(), 0.2, 1e-12);
    }
}

// Weights lie between none and all, the heads are held, samples take those of their bone.
TEST_F(BonesOfALimb, Saito2015Section34WeightsAreBoundedAndHoldTheHeads) {
    const BoneWeights weights = compute_bone_weights(body_, parts_);
    ASSERT_EQ(weights.bones.size(), body_.bones.size());
    const Points& points = body_.bones[0].mesh.points;
    ASSERT_EQ(weights.bones[0].size(), static_cast<std::size_t>(points.rows()));
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        const double w = weights.bones[0][static_cast<std::size_t>(i)];
        const double t = points(i, 1) / 0.2;
        EXPECT_GE(w, 0.0);
        EXPECT_LE(w, 1.0);
        if (t <= 0.12 || t >= 0.88) {
            EXPECT_EQ(w, t < 0.5 ? 1.0 : 0.0);
        } else {
            const double s = (t - 0.12) / 0.76;
            EXPECT_NEAR(w, 1.0 - s * s * (3.0 - 2.0 * s), 0.1);
        }
    }
    const Points samples =
        positions_of(body_.attachments.points, body_.tets.points, body_.tets.tets);
    for (std::size_t i = 0; i < body_.attachments.bone.size(); ++i) {
        const double t = samples(static_cast<Eigen::Index>(i), 1) / 0.2;
        if (body_.attachments.bone[i] == 0 && t < 0.05) {
            EXPECT_NEAR(weights.attachments[i], 1.0, 1e-12);
        }
    }
}

// A vertex on an edge that only a flat triangle uses, and one place with two numbers.
TEST_F(BonesOfALimb, FlatTrianglesAndDoubledCornersLeaveWeightsAsTheyAre) {
    const BoneWeights before = compute_bone_weights(body_, parts_);
    EXPECT_TRUE(before.bars.empty());
    TriangleMesh& mesh = body_.bones[0].mesh;
    const Eigen::Index n = mesh.points.rows();
    const Eigen::Index middle = mesh.triangles.rows() / 2;
    const Index a = mesh.triangles(middle, 0);
    const Index b = mesh.triangles(middle, 1);
    mesh.points.conservativeResize(n + 2, 3);
    mesh.points.row(n) = 0.5 * (mesh.points.row(a) + mesh.points.row(b));
    mesh.points.row(n + 1) = mesh.points.row(a);
    mesh.triangles(middle, 0) = static_cast<Index>(n + 1);
    mesh.triangles.conservativeResize(mesh.triangles.rows() + 1, 3);
    mesh.triangles.bottomRows(1) << a, b, static_cast<Index>(n);
    const BoneWeights after = compute_bone_weights(body_, parts_);
    EXPECT_TRUE(after.bars.empty());
    const std::vector<double>& w = after.bones[0];
    ASSERT_EQ(w.size(), static_cast<std::size_t>(n + 2));
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        EXPECT_NEAR(w[i], before.bones[0][i], 1e-9);
    }
    EXPECT_NEAR(w[at(n)], 0.5 * (w[at(a)] + w[at(b)]), 1e-9);
    EXPECT_NEAR(w[at(n + 1)], w[at(a)], 1e-9);
}

TEST_F(BonesOfALimb, BonesThatReachNoHeadAreNamed) {
    Points& points = body_.bones[0].mesh.points;
    points.col(1) = 0.5 * points.col(1).array() + 0.05;  // from a quarter to three quarters
    EXPECT_EQ(compute_bone_weights(body_, parts_).bars, std::vector<std::string>{"humerus_l"});
}

TEST_F(BonesOfALimb, FleshFollowsAndTheNewBodyIsValid) {
    const EditedBody longer = edited("humerus", 1.2);
    EXPECT_EQ(longer.report.inverted_tets, 0);
    EXPECT_LT(longer.report.largest_gap, 0.002);
    EXPECT_NO_THROW(require_valid(longer.body, "longer limb"));
    const Vec3 size = bounds(longer.body.skin.mesh.points).size();
    EXPECT_NEAR(size.y(), 0.44, 0.006);
    EXPECT_NEAR(longer.body.skin.mesh.points.col(1).minCoeff(), 0.0, 1e-12);
    EXPECT_GT(summarise(longer.body).mass, 1.05 * summarise(body_).mass);
}

TEST_F(BonesOfALimb, StatureScalesEverything) {
    const Body tall = scaled_body(body_, 1.1);
    EXPECT_NEAR(summarise(tall).stature, 1.1 * summarise(body_).stature, 1e-12);
    EXPECT_NEAR(summarise(tall).mass, 1.331 * summarise(body_).mass, 1e-9);
    EXPECT_NO_THROW(require_valid(tall, "tall limb"));
    EXPECT_THROW(scaled_body(body_, 0.0), InputError);
    EXPECT_THROW(edited("humerus", 3.0), InputError);
}

}  // namespace
}  // namespace sinew
