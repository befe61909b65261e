#include "sinew/body/kinematics.h"
#include "sinew/geometry/measure.h"
#include "sinew/motion/body_model.h"
#include "sinew/pipeline/retarget_body.h"

#include <gtest/gtest.h>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

// The limb's halves as the bones that they are called.
BodyProportions limb_proportions() {
    BodyProportions to;
    to.segments = {{"humerus", {"lower"}}, {"ulna", {"upper"}}};
    return to;
}

// The limb with muscles that end on either bone.
Body muscled_limb() {
    Body body = support::limb_body();
    for (Muscle& muscle : body.muscles) {
        muscle.origin = 0;
        muscle.insertion = 1;
    }
    return body;
}

TEST(RetargetBody, NoChangeIsNoChange) {
    const Body body = muscled_limb();
    const MusculoskeletalModel model = model_from_body(body);
    const RetargetedBody out = retarget_body(body, model, limb_proportions());
    EXPECT_LT((out.body.tets.points - body.tets.points).rowwise().norm().maxCoeff(), 1e-6);
    EXPECT_LT((out.body.bones[1].mesh.points - body.bones[1].mesh.points).norm(), 1e-9);
    EXPECT_NEAR(out.lift, 0.0, 1e-6);
    EXPECT_EQ(out.inverted_tets, 0);
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        EXPECT_NEAR(out.forces[m] / model.muscles[m].fmax, 1.0, 1e-3);
    }
}

// A longer bone: its flesh is longer, joint and model agree, and the lines stand in the flesh.
TEST(RetargetBody, TheModelOfTheNewBodyHasTheSameJoints) {
    const Body body = muscled_limb();
    const MusculoskeletalModel model = model_from_body(body);
    BodyProportions to = limb_proportions();
    to.humerus.elongation = 1.5;
    const RetargetedBody out = retarget_body(body, model, to);
    EXPECT_EQ(out.inverted_tets, 0);
    EXPECT_EQ(out.crossing, out.crossing_before);
    EXPECT_NEAR(out.stature, 0.5, 0.01);  // 0.2 m of 0.4 half as long again
    EXPECT_NEAR(out.body.skeleton.joints[1].centre.y(), 0.3, 0.01);
    MusculoskeletalModel lines = proportioned_model(model, to);
    const MusculoskeletalModel own = model_from_body(out.body);
    stand_in_flesh(lines, out, own);
    const LinesComparison same = compare_lines(lines, own);
    EXPECT_EQ(same.muscles, static_cast<long>(model.muscles.size()));
    EXPECT_LT(same.joint_centres, 1e-9);
    for (std::size_t b = 0; b < lines.bodies.size(); ++b) {
        EXPECT_DOUBLE_EQ(lines.bodies[b].mass, own.bodies[b].mass);
    }
}

// Torsion turns what hangs on the bone, the joint's axis too.
TEST(RetargetBody, TorsionTurnsTheNextJointsAxis) {
    const Body body = muscled_limb();
    const MusculoskeletalModel model = model_from_body(body);
    BodyProportions to = limb_proportions();
    to.humerus.torsion = 30.0;
    const RetargetedBody out = retarget_body(body, model, to);
    const Vec3 before = body.skeleton.joints[1].axes[0];
    const Vec3 after = out.body.skeleton.joints[1].axes[0];
    EXPECT_NEAR(before.dot(after), std::cos(30.0 / 57.29577951308232), 1e-6);
    EXPECT_EQ(out.inverted_tets, 0);
    // Volume stays: a torsion is no growth.
    EXPECT_NEAR(tet_volumes(out.body.tets).sum() / tet_volumes(body.tets).sum(), 1.0, 0.02);
}

}  // namespace
}  // namespace sinew
