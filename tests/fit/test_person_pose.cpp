#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/fit/person_pose.h"

#include <gtest/gtest.h>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

// A limb whose joint is named as that of a person's, and scans of it.
struct PosedLimb {
    Body body = [] {
        Body made = support::limb_body({.along = 28});
        made.skeleton.joints[1].motions[0] = "flexion";
        made.skeleton.joints[1].limits[0] = {-10.0 * kDegree, 140.0 * kDegree};
        return made;
    }();
    PoseRig rig{body};
    ScanPoser poser{body};

    // Bent by so much, by somebody who faces a little to the side.
    Scan scan(double degrees) const {
        RigState bent = rig.start();
        bent.angles[0] = degrees * kDegree;
        bent.rotation = Eigen::AngleAxisd(0.3, Vec3::UnitY()).toRotationMatrix();
        return {.points = rig.placed(bent).world, .triangles = rig.rest().triangles};
    }
};

TEST(PersonPose, FindsTheAngleAndKeepsTheSize) {
    const PosedLimb limb;
    const PersonOnScan found =
        limb.poser.find(limb.scan(25.0), {.find_unit = false, .find_up = false});
    EXPECT_NEAR(found.state.angles[0] / kDegree, 25.0, 1.0);
    EXPECT_EQ(found.state.scale, 1.0);
    EXPECT_LT(found.skin.report.skin_to_scan.mean, 5e-4);
    EXPECT_EQ(found.skin.rest, limb.rig.rest().points);
}

// What the flesh does beyond blending goes along: the pose is the one in which the flesh, not the
// blended skin, lies on the scan.
TEST(PersonPose, FleshThatBulgesDoesNotBendTheJoint) {
    const PosedLimb limb;
    RigState bent = limb.rig.start();
    bent.angles[0] = 30.0 * kDegree;
    const auto bulged = [&](const RigState& state) {
        Points skin = limb.rig.placed(state).world;
        // One side is 6 mm thicker, as no joint can make it.
        for (Eigen::Index v = 0; v < skin.rows(); ++v) {
            if (limb.rig.rest().points(v, 0) > 0.02 && limb.rig.rest().points(v, 1) > 0.2) {
                skin(v, 0) += 0.006;
            }
        }
        return skin;
    };
    Scan scan{.points = bulged(bent), .triangles = limb.rig.rest().triangles};
    PersonOnScan found = limb.poser.find(scan, {.find_unit = false, .find_up = false});
    const double blended = std::abs(found.state.angles[0] - bent.angles[0]);
    for (int round = 0; round < 3; ++round) {
        found = limb.poser.refined(found, bulged(found.state));
    }
    limb.poser.measure(bulged(found.state), found);
    EXPECT_LT(std::abs(found.state.angles[0] - bent.angles[0]), 0.3 * kDegree);
    EXPECT_LT(std::abs(found.state.angles[0] - bent.angles[0]), blended);
    EXPECT_LT(found.skin.report.skin_to_scan.mean, 5e-4);
}

TEST(PersonPose, UnknownLandmarksAreRefused) {
    const PosedLimb limb;
    Scan scan = limb.scan(10.0);
    scan.landmarks.push_back({"third_eye", Vec3::Zero()});
    EXPECT_THROW(limb.poser.find(scan), InputError);
}

}  // namespace
}  // namespace sinew
