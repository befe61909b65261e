#include "sinew/tissue/muscle_tensors.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

// Unloaded, a fully active fibre ends between half and six tenths of its length [Zajac1989].
TEST(Contraction, Zajac1989FullActivationEndsWhereActiveForceDoes) {
    EXPECT_EQ(contraction_of(0.0), 1.0);
    const FibreStretch full = contracted_by(contraction_of(1.0));
    EXPECT_GT(full.along, 0.5);
    EXPECT_LT(full.along, 0.6);
    EXPECT_NEAR(full.volume(), 1.0, 1e-12);
}

TEST(MuscleTensors, Kadlecek2022OnlyTheActiveBellyChangesAndKeepsItsVolume) {
    const Body limb = support::limb_body({.along = 10});
    const MuscleTensors muscles(limb);
    std::vector<FibreStretch> stretch(limb.muscles.size());
    stretch[0] = contracted_by(1.5);
    std::vector<Mat3> tensors = muscles.tensors(stretch);
    ASSERT_EQ(tensors.size(), static_cast<std::size_t>(limb.tets.tets.rows()));
    int changed = 0;
    const auto is_belly = [&](std::size_t t) {
        const auto e = static_cast<std::size_t>(limb.shares.start[t]);
        return limb.shares.part[e] == 0 &&
               limb.materials[static_cast<std::size_t>(limb.shares.material[e])].tissue ==
                   Tissue::Muscle;
    };
    for (const int rounds : {0, 2}) {
        muscles.smooth(tensors, rounds);
        for (std::size_t t = 0; t < tensors.size(); ++t) {
            EXPECT_EQ(tensors[t] != Mat3::Identity(), is_belly(t));
            EXPECT_NEAR(tensors[t].determinant(), 1.0, 1e-9);
            // Fibres run along +Y.
            EXPECT_NEAR(tensors[t](1, 1), is_belly(t) ? 1.0 / 1.5 : 1.0, 1e-9);
            changed += is_belly(t) ? 1 : 0;
        }
    }
    EXPECT_GT(changed, 20);
}

TEST(MuscleTensors, ContractionRateAgreesWithDifferences) {
    const Body limb = support::limb_body({.along = 6, .across = 8, .bone = 0.25});
    for (const bool keeps_volume : {true, false}) {
        const MuscleTensors muscles(limb, keeps_volume);
        const std::vector<double> a = {0.4, 0.7};
        const std::vector<double> da = {1.0, -0.5};
        const std::vector<double> rate = muscles.contraction_rate(a, da, 2);
        constexpr double h = 1e-5;
        const std::vector<double> more = {a[0] + h * da[0], a[1] + h * da[1]};
        const std::vector<double> less = {a[0] - h * da[0], a[1] - h * da[1]};
        const std::vector<Mat3> up = muscles.contraction(more, 2);
        const std::vector<Mat3> down = muscles.contraction(less, 2);
        ASSERT_EQ(rate.size(), 9 * up.size());
        double largest = 0.0;
        for (std::size_t t = 0; t < up.size(); ++t) {
            const Mat3 difference = (up[t] - down[t]) / (2.0 * h);
            const Mat3 told = Eigen::Map<const Mat3>(rate.data() + 9 * t);
            EXPECT_LT((told - difference).norm(), 1e-8);
            largest = std::max(largest, told.norm());
        }
        EXPECT_GT(largest, 0.1);
    }
}

}  // namespace
}  // namespace sinew
