#include "sinew/motion/body_model.h"
#include "sinew/motion/muscle_sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

// A moment arm is -dl/dq: against central differences of the lengths.
TEST(MuscleSweep, MomentArmsAreSlopesOfLengths) {
    Body body = support::limb_body({.along = 10});
    for (Muscle& muscle : body.muscles) {
        muscle.origin = 0;
        muscle.insertion = 1;
        muscle.volume = 3e-4;
    }
    body.skeleton.joints.back().axes[0] = Vec3::UnitZ();
    body.skeleton.joints.back().limits[0] = {-0.2, 2.0};
    const MusculoskeletalModel model = model_from_body(body);
    ASSERT_FALSE(model.muscles.empty());
    Index elbow = -1;
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        elbow = model.coordinates[c].name.starts_with("elbow_l") ? static_cast<Index>(c) : elbow;
    }
    ASSERT_GE(elbow, 0);
    const MuscleSweep sweep = sweep_coordinate(model, elbow, 201);
    ASSERT_EQ(sweep.values.size(), 201u);
    ASSERT_FALSE(sweep.muscles.empty());
    for (const MuscleSweep::Curve& curve : sweep.muscles) {
        ASSERT_EQ(curve.force.size(), 201u);
        for (std::size_t k = 1; k + 1 < 201; ++k) {
            const double slope = (curve.length[k + 1] - curve.length[k - 1]) /
                                 (sweep.values[k + 1] - sweep.values[k - 1]);
            EXPECT_NEAR(curve.moment_arm[k], -slope, 1e-3) << curve.muscle << " " << k;
            EXPECT_GE(curve.force[k], 0.0);
        }
    }
}

// A slider of a limb without stops is moved by centimetres, not by ninety metres.
TEST(MuscleSweep, AShiftWithoutLimitsGoesHalfAMetreEachWay) {
    MusculoskeletalModel model;
    model.bodies = {{.name = "slide", .mass = 1.0}};
    model.joints = {{.name = "slider", .kind = JointKind::Custom, .child = 0}};
    model.coordinates = {{.name = "shift", .joint = 0, .is_rotation = false}};
    ASSERT_TRUE(std::isinf(model.coordinates[0].high));
    model.joints[0].axes[3].coordinate = 0;
    model.joints[0].axes[3].axis = Vec3::UnitX();
    const MuscleSweep sweep = sweep_coordinate(model, 0, 11);
    EXPECT_EQ(sweep.values.front(), -0.5);
    EXPECT_EQ(sweep.values.back(), 0.5);
    model.coordinates[0].is_rotation = true;
    EXPECT_DOUBLE_EQ(sweep_coordinate(model, 0, 11).values.back(), std::numbers::pi / 2.0);
    model.coordinates[0].low = 0.0;
    EXPECT_EQ(sweep_coordinate(model, 0, 11).values.front(), 0.0);
}

}  // namespace
}  // namespace sinew
