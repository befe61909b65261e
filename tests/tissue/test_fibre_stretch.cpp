#include "sinew/tissue/fibre_stretch.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace sinew {
namespace {

TEST(GrowthTensor, Saito2015Eq1KeepsFibresAndWidensAcross) {
    const Vec3 d = Vec3(1, 2, -0.5).normalized();
    const Mat3 F = stretch_tensor(d, grown_by(1.5));
    EXPECT_LT((F * d - d).norm(), 1e-14);
    const Vec3 across = d.unitOrthogonal();
    EXPECT_LT((F * across - 1.5 * across).norm(), 1e-14);
    EXPECT_NEAR(F.determinant(), 2.25, 1e-13);
}

TEST(GrowthTensor, Kadlecek2022Eq415ShortensAndKeepsVolume) {
    const Vec3 d = Vec3(0.3, -1, 2).normalized();
    const Mat3 F = stretch_tensor(d, contracted_by(1.44));
    EXPECT_LT((F * d - d / 1.44).norm(), 1e-14);
    EXPECT_LT((F * d.unitOrthogonal() - 1.2 * d.unitOrthogonal()).norm(), 1e-14);
    EXPECT_NEAR(F.determinant(), 1.0, 1e-13);
}

// Half way between two turns about one axis lies the turn by the mean angle; stretches average.
TEST(BlendDeformations, Shoemake1992MeetsInTheMiddleOfTwoTurns) {
    const auto turn = [](double angle) {
        return Mat3(Eigen::AngleAxisd(angle, Vec3(1, 1, 0).normalized()).toRotationMatrix());
    };
    const Mat3 S = Vec3(1.0, 2.0, 3.0).asDiagonal();
    const Mat3 T = Vec3(2.0, 1.0, 1.0).asDiagonal();
    const std::array<Mat3, 2> F = {turn(0.3) * S, turn(1.1) * T};
    const std::array<double, 2> half = {0.5, 0.5};
    const Mat3 expected = turn(0.7) * (0.5 * (S + T));
    EXPECT_LT((blend_deformations(F, half) - expected).norm(), 1e-12);
    // A turn of more than half way round is the same as the other way.
    const std::array<Mat3, 2> far = {turn(3.0), turn(-3.0)};
    EXPECT_LT((blend_deformations(far, half) - turn(M_PI)).norm(), 1e-12);
}

TEST(BlendDeformations, AgreesWithTheGrowthOfSharesThatKeepTheirRotation) {
    const GrowingShare a = {.fibre = Vec3::UnitX(), .stretch = grown_by(1.6), .fraction = 0.4};
    const GrowingShare b = {
        .fibre = Vec3(1, 1, 1).normalized(), .stretch = grown_by(0.7), .fraction = 0.35};
    const std::array<Mat3, 3> F = {stretch_tensor(a.fibre, a.stretch),
                                   stretch_tensor(b.fibre, b.stretch), Mat3::Identity()};
    const std::array<double, 3> weights = {0.4, 0.35, 0.25};
    const std::array<GrowingShare, 2> shares = {a, b};
    EXPECT_LT((blended_growth(shares, false) - blend_deformations(F, weights)).norm(), 1e-12);
}

TEST(BlendedGrowth, VolumesOfSharesAddUp) {
    const std::array<GrowingShare, 2> shares = {
        GrowingShare{.fibre = Vec3::UnitX(), .stretch = grown_by(1.6), .fraction = 0.5},
        GrowingShare{
            .fibre = Vec3(0, 1, 1).normalized(), .stretch = grown_by(0.8), .fraction = 0.2}};
    const double volume = 0.5 * 2.56 + 0.2 * 0.64 + 0.3;
    EXPECT_NEAR(blended_growth(shares).determinant(), volume, 1e-12);
    EXPECT_LT(blended_growth(shares, false).determinant(), 0.99 * volume);
    EXPECT_EQ(blended_growth({}), Mat3::Identity());
}

}  // namespace
}  // namespace sinew
