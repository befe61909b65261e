#include <gtest/gtest.h>

#include "bench/motion_bench.h"
#include "tests/support/shared_data.h"

namespace sinew {
namespace {

// Walking and a stair on the man, the woman, two MakeHuman skeletons and the MASS model. Whether a
// foot stands is judged by height and speed of the recorded one, not by the retargeter; the stair
// served for no choice in it. `sinew bench motion` measures all clips.
TEST(RecordedClips, WalkersPointTheirLimbsAlikeAndTheirFeetStand) {
    SINEW_NEEDS_SHARED(motion, "motion");
    const bench::MotionBench done = bench::run_motion_bench(motion.parent_path(), true);
    ASSERT_GE(done.fits.size(), 4u);
    EXPECT_EQ(done.refused, 0);
    constexpr double kDegrees = 57.29577951308232;
    for (const bench::MotionFit& fit : done.fits) {
        SCOPED_TRACE(fit.target + ", " + fit.clip);
        EXPECT_LT(kDegrees * fit.limb_mean, 2.0);
        EXPECT_LT(fit.foot_depth, 0.01);
        EXPECT_GE(fit.steps, 4);
        EXPECT_LT(fit.slide, 0.01);
    }
}

}  // namespace
}  // namespace sinew
