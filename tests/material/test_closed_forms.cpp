#include <gtest/gtest.h>

#include <functional>

#include "tests/material/laws.h"

namespace sinew {
namespace {

/// Root of a monotone function by bisection.
double root(const std::function<double(double)>& f, double low, double high) {
    const bool rises = f(high) > f(low);
    for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (low + high);
        ((f(middle) < 0.0) == rises ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// Nominal stress along x of an incompressible solid: the pressure p in P + p cof F makes the
/// stress along z vanish. For J = 1, cof F = F^-T, so p = -P_zz s_z.
double incompressible_stress(const Material& law, const Vec3& s) {
    const Mat3 P = law.stress(s.asDiagonal());
    return P(0, 0) - P(2, 2) * s[2] / s[0];
}

const Lame kUnit = {.mu = 1.0, .lambda = 10.0};

// W = mu/2 (l^2 + 2/l - 3), P = dW/dl = mu (l - l^-2)
TEST(ClosedForms, IsochoricUniaxialStressIsLambdaMinusItsInverseSquare) {
    const IsochoricNeoHookean law(kUnit);
    const double cases[][2] = {{0.7, -1.340816}, {1.25, 0.61}, {1.5, 1.055556}, {2.0, 1.75}};
    for (const auto& [l, expected] : cases) {
        const double lateral = 1.0 / std::sqrt(l);
        const double P = incompressible_stress(law, {l, lateral, lateral});
        EXPECT_NEAR(P, l - 1.0 / (l * l), 1e-12);
        EXPECT_NEAR(P, expected, 5e-7);
    }
}

// W = mu/2 (2 l^2 + l^-4 - 3), P = (dW/dl) / 2 = mu (l - l^-5)
TEST(ClosedForms, IsochoricEquibiaxialStressIsLambdaMinusItsInverseFifthPower) {
    const IsochoricNeoHookean law(kUnit);
    const double cases[][2] = {{1.25, 0.922320}, {1.5, 1.368313}, {2.0, 1.968750}};
    for (const auto& [l, expected] : cases) {
        const double P = incompressible_stress(law, {l, l, 1.0 / (l * l)});
        EXPECT_NEAR(P, l - std::pow(l, -5.0), 1e-12);
        EXPECT_NEAR(P, expected, 5e-7);
    }
}

// W = A (l^2 + 2/l - 3) + B (2 l + l^-2 - 3), P = 2 (l - l^-2)(A + B/l)
TEST(ClosedForms, Teran2003Section5MooneyRivlinUniaxial) {
    const MooneyRivlin law({.A = 0.3, .B = 0.2, .K = 50.0});
    for (const double l : {0.6, 0.9, 1.3, 2.0}) {
        const double lateral = 1.0 / std::sqrt(l);
        const double P = incompressible_stress(law, {l, lateral, lateral});
        EXPECT_NEAR(P, 2.0 * (l - 1.0 / (l * l)) * (0.3 + 0.2 / l), 1e-12);
    }
}

// F = I + g e1 e2^T has J = 1, B = F F^T: B12 = g, B11 - B22 = g^2. sigma = mu B + (..) I.
TEST(ClosedForms, SimpleShearHasTheStressesOfANeoHookeanSolid) {
    const double g = 0.8;
    Mat3 F = Mat3::Identity();
    F(0, 1) = g;
    for (const auto& [name, law, free] : support::all_laws(kUnit)) {
        if (name != "compressible_neo_hookean" && name != "isochoric_neo_hookean") {
            continue;
        }
        const Mat3 cauchy = law->stress(F) * F.transpose();
        EXPECT_NEAR(cauchy(0, 1), g, 1e-12);
        EXPECT_NEAR(cauchy(0, 0) - cauchy(1, 1), g * g, 1e-12);
    }
}

// P_zz = mu (s - 1/s) + lambda ln(l s^2) / s = 0 gives the lateral stretch s.
TEST(ClosedForms, CompressibleNeoHookeanUniaxialStressAndLateralStretch) {
    const CompressibleNeoHookean law(lame_from_young(1.0, 0.45));
    const double cases[][3] = {
        {0.8, -0.249930, 1.104462}, {1.2, 0.170239, 0.920634}, {1.5, 0.358614, 0.830679}};
    for (const auto& [l, stress, lateral] : cases) {
        const double stretch = l;
        const double s = root(
            [&](double x) { return law.stress(Vec3(stretch, x, x).asDiagonal())(2, 2); }, 0.5, 1.5);
        EXPECT_NEAR(s, lateral, 5e-7);
        EXPECT_NEAR(law.stress(Vec3(l, s, s).asDiagonal())(0, 0), stress, 5e-7);
    }
}

// Corotated, stretched uniaxially: P_zz = 2 mu (s - 1) + lambda (l + 2 s - 3) = 0, so s - 1 =
// -nu (l - 1) and P_xx = E (l - 1), exactly and at any stretch.
TEST(ClosedForms, Kadlecek2022Eq28IsHookeanInItsStretches) {
    const double E = 5.0e3;
    const double nu = 0.3;
    const Corotated law(lame_from_young(E, nu));
    for (const double l : {0.6, 1.1, 1.9}) {
        const double s = 1.0 - nu * (l - 1.0);
        const Mat3 P = law.stress(Vec3(l, s, s).asDiagonal());
        EXPECT_NEAR(P(0, 0), E * (l - 1.0), 1e-9 * E);
        EXPECT_NEAR(P(2, 2), 0.0, 1e-9 * E);
    }
}

// [Smith2018, stable law] by hand at F = 2 I with mu = 4/3, lambda = 1 + 5/6 = 11/6, alpha = 17/11:
// 2/3 (12 - 3) + 11/12 (8 - 17/11)^2 - 2/3 ln 13, less the same at rest.
TEST(ClosedForms, Smith2018StableLawAtUniformStretch) {
    const StableNeoHookean law({.mu = 1.0, .lambda = 1.0});
    const double a = 17.0 / 11.0;
    const double here = 6.0 + 11.0 / 12.0 * (8.0 - a) * (8.0 - a) - 2.0 / 3.0 * std::log(13.0);
    const double rest = 11.0 / 12.0 * (1.0 - a) * (1.0 - a) - 2.0 / 3.0 * std::log(4.0);
    EXPECT_NEAR(law.energy(2.0 * Mat3::Identity()), here - rest, 1e-12);
}

}  // namespace
}  // namespace sinew
