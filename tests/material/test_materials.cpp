#include "sinew/base/error.h"
#include "sinew/linalg/dense.h"
#include "sinew/linalg/svd3.h"
#include "sinew/material/invariants.h"
#include "sinew/material/shape_volume.h"
#include "sinew/material/volume_functions.h"

#include <gtest/gtest.h>

#include "tests/material/laws.h"

namespace sinew {
namespace {

const Lame kTissue = lame_from_young(1.0e4, 0.4);
constexpr double kStep = 1e-5;

Mat3 stress_by_differences(const Material& law, const Mat3& F) {
    Mat3 P;
    for (int i = 0; i < 9; ++i) {
        Mat3 plus = F;
        Mat3 minus = F;
        plus(i) += kStep;
        minus(i) -= kStep;
        P(i) = (law.energy(plus) - law.energy(minus)) / (2.0 * kStep);
    }
    return P;
}

Mat9 tangent_by_differences(const Material& law, const Mat3& F) {
    Mat9 H;
    for (int i = 0; i < 9; ++i) {
        Mat3 plus = F;
        Mat3 minus = F;
        plus(i) += kStep;
        minus(i) -= kStep;
        const Mat3 difference = (law.stress(plus) - law.stress(minus)) / (2.0 * kStep);
        H.col(i) = difference.reshaped();
    }
    return H;
}

Mat9 clamped(const Mat9& H) {
    const SymmetricEigen eigen = symmetric_eigen(Eigen::MatrixXd(H));
    return eigen.vectors * eigen.values.cwiseMax(0.0).asDiagonal() * eigen.vectors.transpose();
}

TEST(Materials, StressIsTheDerivativeOfTheEnergy) {
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        for (const Mat3& F : support::deformation_gradients(Seed{1})) {
            const Mat3 P = law->stress(F);
            const double scale = P.norm() + kTissue.mu;
            EXPECT_LT((P - stress_by_differences(*law, F)).norm(), 1e-6 * scale) << name << "\n"
                                                                                 << F;
        }
    }
}

TEST(Materials, TangentIsTheDerivativeOfTheStress) {
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        for (const Mat3& F : support::deformation_gradients(Seed{2})) {
            const Mat9 H = law->tangent(F, Tangent::Exact);
            EXPECT_LT((H - tangent_by_differences(*law, F)).norm(), 1e-6 * H.norm()) << name << "\n"
                                                                                     << F;
            EXPECT_LT((H - H.transpose()).norm(), 1e-12 * H.norm()) << name;
        }
    }
}

// The analytic projection must give what a 9x9 eigendecomposition gives.
TEST(Materials, SemidefiniteTangentIsTheNearestOne) {
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        int indefinite = 0;
        for (const Mat3& F : support::deformation_gradients(Seed{3})) {
            const Mat9 exact = law->tangent(F, Tangent::Exact);
            const Mat9 projected = law->tangent(F, Tangent::PositiveSemidefinite);
            EXPECT_LT((projected - clamped(exact)).norm(), 1e-10 * exact.norm()) << name << "\n"
                                                                                 << F;
            indefinite += (projected - exact).norm() > 1e-6 * exact.norm();
        }
        EXPECT_EQ(indefinite > 0, free) << name;  // the family does contain indefinite cases
    }
}

// Its nearest stretches are even ones up to a swelling of about 1.8, where derivatives end.
TEST(ShapeVolume, Saito2015Eq6DerivativesUpToWhereTheNearestStretchesSplit) {
    int tried = 0;
    for (const double ratio : {1.0, 1.3}) {
        for (const auto& [w_rot, w_vol] : {std::pair{2.0, 0.0}, {0.0, 3.0}, {2.0, 30.0}}) {
            const ShapeVolume law(w_rot, w_vol, ratio);
            for (const Mat3& F : support::deformation_gradients(Seed{12})) {
                const Vec3 s = signed_svd(F).s;
                if (s[0] > 1.7 || s[1] + s[2] < 0.2) {
                    continue;  // near where R or P jump
                }
                ++tried;
                const Mat3 P = law.stress(F);
                EXPECT_LT((P - stress_by_differences(law, F)).norm(),
                          1e-6 * (P.norm() + w_rot + w_vol));
                const Mat9 H = law.tangent(F, Tangent::Exact);
                EXPECT_LT((H - tangent_by_differences(law, F)).norm(), 1e-6 * H.norm()) << F;
                const Mat9 projected = law.tangent(F, Tangent::PositiveSemidefinite);
                EXPECT_LT((projected - clamped(H)).norm(), 1e-10 * H.norm());
            }
            EXPECT_TRUE(law.tangent(2.0 * Mat3::Identity(), Tangent::Exact).allFinite());
            EXPECT_TRUE(law.tangent(Mat3::Zero(), Tangent::Exact).allFinite());
        }
    }
    EXPECT_GT(tried, 50);
    const Mat9 linear = Linear(kTissue).tangent(Mat3::Identity(), Tangent::Exact);
    const ShapeVolume same(2.0 * kTissue.mu, 3.0 * kTissue.lambda);
    EXPECT_LT((same.tangent(Mat3::Identity(), Tangent::Exact) - linear).norm(),
              1e-12 * linear.norm());
}

TEST(Materials, RestCostsNothingAndPullsNowhere) {
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        EXPECT_NEAR(law->energy(Mat3::Identity()), 0.0, 1e-12 * kTissue.mu) << name;
        EXPECT_LT(law->stress(Mat3::Identity()).norm(), 1e-12 * kTissue.mu) << name;
    }
}

TEST(Materials, RotationsCostNothingAndTurnTheStress) {
    Random random(Seed{4});
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        if (!free) {
            continue;
        }
        for (const Mat3& F : support::deformation_gradients(Seed{5})) {
            const Mat3 R = support::random_rotation(random);
            const double energy = law->energy(F);
            EXPECT_NEAR(law->energy(R * F), energy, 1e-12 * (std::abs(energy) + kTissue.mu))
                << name;
            const Mat3 P = law->stress(F);
            EXPECT_LT((law->stress(R * F) - R * P).norm(), 1e-11 * (P.norm() + kTissue.mu)) << name;
        }
    }
}

TEST(Materials, AllLawsAgreeWithLinearElasticityAtSmallStrain) {
    const Mat9 expected = Linear(kTissue).tangent(Mat3::Identity(), Tangent::Exact);
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        const Mat9 H = law->tangent(Mat3::Identity(), Tangent::Exact);
        EXPECT_LT((H - expected).norm(), 1e-12 * expected.norm()) << name;
    }
}

TEST(Materials, InvertedAndCollapsedElementsHaveFiniteCostAndArePushedOpen) {
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        for (const Mat3& F :
             {Mat3::Zero().eval(), (-Mat3::Identity()).eval(), Mat3(Vec3(1, 0, 0).asDiagonal()),
              Mat3(Vec3(1, 1, 0).asDiagonal()), Mat3(Vec3(1e3, 1e-9, -1e3).asDiagonal())}) {
            EXPECT_TRUE(std::isfinite(law->energy(F))) << name << "\n" << F;
            EXPECT_TRUE(law->stress(F).allFinite()) << name << "\n" << F;
            EXPECT_TRUE(law->tangent(F, Tangent::PositiveSemidefinite).allFinite()) << name;
            EXPECT_TRUE(law->tangent(F, Tangent::Exact).allFinite()) << name;
        }
        // Pulling the third stretch up from -1 to 0.5 gains energy all the way.
        for (double s = -1.0; s < 0.5; s += 0.05) {
            const Mat3 F = Vec3(1, 1, s).asDiagonal();
            EXPECT_LT(law->stress(F)(2, 2), 0.0) << name << " at " << s;
        }
    }
}

TEST(Materials, LawsContinueTwiceDifferentiablyBelowTheSmallestVolume) {
    const double e = 1e-9;
    for (const auto& [name, law, free] : support::all_laws(kTissue)) {
        const Mat3 above = Vec3(1, 1, kSmallestVolumeRatio + e).asDiagonal();
        const Mat3 below = Vec3(1, 1, kSmallestVolumeRatio - e).asDiagonal();
        EXPECT_NEAR(law->energy(above), law->energy(below), 1e-6 * law->energy(above)) << name;
        const Mat9 H = law->tangent(above, Tangent::Exact);
        EXPECT_LT((H - law->tangent(below, Tangent::Exact)).norm(), 1e-6 * H.norm()) << name;
    }
}

TEST(Materials, InvariantsOfADiagonalMatrixAreThoseByHand) {
    // stretches 2, 3, 0.5: squares 4, 9, 0.25
    const Invariants i = compute_invariants(Vec3(2, 3, 0.5).asDiagonal());
    EXPECT_NEAR(i.I1, 13.25, 1e-13);
    EXPECT_NEAR(i.I2, 36.0 + 1.0 + 2.25, 1e-13);
    EXPECT_NEAR(i.J, 3.0, 1e-13);
}

TEST(Lame, YoungAndPoissonGoThereAndBack) {
    const Lame lame = lame_from_young(3.0e4, 0.45);
    EXPECT_NEAR(young_modulus(lame), 3.0e4, 1e-9);
    EXPECT_NEAR(poisson_ratio(lame), 0.45, 1e-14);
    // K = E / (3 (1 - 2 nu))
    EXPECT_NEAR(bulk_modulus(lame), 3.0e4 / 0.3, 1e-8);
}

TEST(Lame, ImpossibleConstantsAreRefused) {
    EXPECT_THROW(lame_from_young(-1.0, 0.3), InputError);
    EXPECT_THROW(lame_from_young(1.0, 0.5), InputError);
    EXPECT_THROW(lame_from_young(1.0, -1.0), InputError);
    EXPECT_THROW(Corotated({.mu = 0.0, .lambda = 1.0}), InputError);
    EXPECT_THROW(StableNeoHookean({.mu = 1.0, .lambda = -1.0}), InputError);
    EXPECT_THROW(MooneyRivlin({.A = 0.0, .B = 0.0, .K = 1.0}), InputError);
    EXPECT_THROW(MooneyRivlin({.A = 1.0, .B = 0.0, .K = 0.0}), InputError);
}

}  // namespace
}  // namespace sinew
