#include "sinew/base/units.h"
#include "sinew/fit/limb_search.h"

#include <gtest/gtest.h>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

struct LimbScan {
    Body body = [] {
        Body made = support::limb_body({.along = 28});
        made.skeleton.joints[1].motions[0] = "flexion";
        made.skeleton.joints[1].limits[0] = {-10.0 * kDegree, 140.0 * kDegree};
        return made;
    }();
    PoseRig rig{body};
    Scan scan;

    // The limb as bent as this, seen from outside.
    explicit LimbScan(double degrees) {
        RigState bent = rig.start();
        bent.angles[0] = degrees * kDegree;
        scan.points = rig.placed(bent).world;
        scan.triangles = rig.rest().triangles;
        scan = prepare_scan(scan).scan;
    }
    FoundPlacement straight() const {
        FoundPlacement found{.state = rig.start()};
        found.prior.angles = found.state.angles;
        return found;
    }
};

TEST(LimbSearch, BringsABentLimbToTheScan) {
    const LimbScan bent(112.0);
    const ScanIndex index(bent.scan);
    FoundPlacement found = bent.straight();
    ASSERT_GT(rig_mismatch(bent.rig, found.state, index), 0.01);
    found = with_limbs_found(bent.rig, index, found);
    EXPECT_LT(found.mismatch, 0.003);
    EXPECT_NEAR(found.state.angles[0] / kDegree, 112.0, 5.0);
}

TEST(LimbSearch, LeavesALimbThatIsOnTheScan) {
    const LimbScan nearly(6.0);
    const ScanIndex index(nearly.scan);
    const FoundPlacement found = with_limbs_found(nearly.rig, index, nearly.straight());
    EXPECT_EQ(found.state.angles[0], 0.0);
}

}  // namespace
}  // namespace sinew
