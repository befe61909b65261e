#include "sinew/base/error.h"
#include "sinew/io/muscle_size_files.h"

#include <gtest/gtest.h>

#include <string>

namespace sinew {
namespace {

// [Handsfield2014]: a leg of somebody of 1.75 m and 75 kg has 47 x 1.75 x 75 + 1285 = 7453.75 cm^3
// of muscle, of which the vastus lateralis is 0.125 x 7453.75 - 55.7 = 876.0 cm^3 and the soleus
// 0.0507 x 7453.75 + 78.2 = 456.1 cm^3.
TEST(MuscleSizeFiles, Handsfield2014LegsAreTheRegressionsAndJanssen2000TheTotal) {
    std::vector<Muscle> muscles(4);
    muscles[0].name = "vastus_lateralis_l";
    muscles[1].name = "soleus_r";
    muscles[2].name = "biceps_brachii_l";
    muscles[3].name = "deltoid_r";
    const std::vector<double> bellies = {400e-6, 300e-6, 100e-6, 300e-6};
    const std::vector<double> wanted =
        expected_bellies(known_muscle_sizes(), muscles, bellies, Sex::Male, 1.75, 75.0, 1060.0);
    EXPECT_NEAR(wanted[0], 876.02e-6, 0.02e-6);
    EXPECT_NEAR(wanted[1], 456.11e-6, 0.02e-6);
    EXPECT_NEAR(1060.0 * (wanted[0] + wanted[1] + wanted[2] + wanted[3]), 0.384 * 75.0, 1e-9);
    EXPECT_NEAR(wanted[3] / wanted[2], 3.0, 1e-12);
}

// Together all 35 are the leg.
TEST(MuscleSizeFiles, TheRegressionsOfALegsMusclesAddUpToTheLeg) {
    const MuscleSizes sizes = known_muscle_sizes();
    EXPECT_EQ(sizes.legs.size(), 35u);
    double slope = 0.0;
    double constant = 0.0;
    for (const MuscleSizes::Leg& leg : sizes.legs) {
        slope += leg.slope;
        constant += leg.constant;
    }
    EXPECT_NEAR(slope, 1.0, 0.002);
    EXPECT_NEAR(constant, 0.0, 1e-6);
}

// By hand, in cm^3: a leg has 47 * 1.66 * 70 + 1285 = 6746.4, then 47 * 1.85 * 110 + 1285 =
// 10849.5; a soleus 0.0507 times that and 78.2.
TEST(MuscleSizeFiles, Handsfield2014LegsOfAnotherSize) {
    const std::vector<Muscle> muscles = {Muscle{.name = "soleus_l"}, Muscle{.name = "masseter_l"}};
    const std::vector<double> bellies = {300e-6, 20e-6};
    const std::vector<double> other =
        legs_of_other_size(known_muscle_sizes(), muscles, bellies, 1.66, 70.0, 1.85, 110.0);
    EXPECT_NEAR(other[0] / bellies[0], (0.0507 * 10849.5 + 78.2) / (0.0507 * 6746.4 + 78.2), 1e-6);
    EXPECT_EQ(other[1], 0.0);
}

TEST(MuscleSizeFiles, RefusesOtherFormatsAndKeys) {
    EXPECT_THROW(parse_muscle_sizes("{", "t"), InputError);
    EXPECT_THROW(parse_muscle_sizes(R"({"format": "other"})", "t"), InputError);
    EXPECT_THROW(parse_muscle_sizes(R"({"format": "sinew-muscle-sizes", "more": 1})", "t"),
                 InputError);
}

}  // namespace
}  // namespace sinew
