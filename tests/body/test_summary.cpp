#include "sinew/body/summary.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/small_body.h"

namespace sinew {

// A box of 0.4 x 1.6 x 0.4 m holds 0.256 m^3 and has 2.88 m^2 of skin.
TEST(Summary, ABoxHasTheVolumeAndAreaOfABox) {
    const BodySummary s = summarise(support::small_body(2));
    EXPECT_NEAR(s.volume, 0.256, 1e-12);
    EXPECT_NEAR(s.skin_area, 2 * 0.16 + 4 * 0.64, 1e-12);
    EXPECT_NEAR(s.stature, 1.6, 1e-15);
    EXPECT_EQ(s.tets, 6u * 2 * 8 * 2);
    EXPECT_NEAR(std::accumulate(s.tissue_volume.begin(), s.tissue_volume.end(), 0.0), s.volume,
                1e-12);
    EXPECT_GT(s.body_fat, 0.0);
    EXPECT_EQ(s.muscles.size(), 3u);
    EXPECT_EQ(s.segments[1].mass, 40.0);
}

// All of one material of density d: mass = d * volume, and body fat is 1 for fat.
TEST(Summary, MassIsDensityTimesVolume) {
    Body body = support::small_body(1);
    const auto tets = static_cast<std::size_t>(body.tets.tets.rows());
    body.shares = {};
    for (std::size_t t = 0; t < tets; ++t) {
        body.shares.start.push_back(static_cast<Index>(t + 1));
        body.shares.material.push_back(2);
        body.shares.part.push_back(-1);
        body.shares.fraction.push_back(1.0);
    }
    const BodySummary s = summarise(body);
    EXPECT_NEAR(s.mass, 900 * 0.256, 1e-9);
    EXPECT_NEAR(s.body_fat, 1.0, 1e-12);
}

TEST(Summary, MuscleVolumesAddUpToTheirTissues) {
    const Body body = support::small_body(2);
    const std::vector<double> volumes = muscle_volumes_in_tets(body);
    const BodySummary s = summarise(body);
    EXPECT_NEAR(std::accumulate(volumes.begin(), volumes.end(), 0.0),
                s.tissue_volume[static_cast<std::size_t>(Tissue::Muscle)] +
                    s.tissue_volume[static_cast<std::size_t>(Tissue::Tendon)],
                1e-12);
}

}  // namespace sinew
