#include "sinew/base/error.h"
#include "sinew/material/guccione.h"
#include "sinew/material/holzapfel_ogden.h"
#include "sinew/material/ogden.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/material/laws.h"

namespace sinew {
namespace {

constexpr double kDifference = 1e-5;
const Vec3 kAlong(1.0, 2.0, -0.5);
const Vec3 kAcross(0.3, 0.1, 1.0);
const GuccioneConstants kHeart = {.C = 2e3, .bf = 8, .bt = 2, .bfs = 4, .K = 2e4};
const HolzapfelOgdenConstants kMyocardium = {.a = 59,
                                             .b = 8.023,
                                             .af = 18472,
                                             .bf = 16.026,
                                             .as = 2481,
                                             .bs = 11.12,
                                             .afs = 216,
                                             .bfs = 11.436,
                                             .K = 2e4};

std::vector<support::NamedLaw> fibre_laws(const Vec3& fibre, const Vec3& sheet) {
    HolzapfelOgdenConstants artery = {.a = 3e3, .af = 2.4e3, .bf = 0.84, .K = 1e5};
    artery.as = artery.af;
    artery.bs = artery.bf;
    return {{"guccione", std::make_shared<Guccione>(kHeart, fibre)},
            {"holzapfel_ogden", std::make_shared<HolzapfelOgden>(kMyocardium, fibre, sheet)},
            {"artery", std::make_shared<HolzapfelOgden>(artery, fibre, sheet)}};
}

// Exponentials of myocardium rise by orders of magnitude beyond 20 % of strain.
std::vector<Mat3> moderate_gradients(Seed seed) {
    Random random(seed);
    std::vector<Mat3> F = {Vec3(1.2, 0.95, 0.9).asDiagonal()};
    for (int i = 0; i < 12; ++i) {
        F.push_back(support::random_rotation(random) *
                    (Mat3::Identity() + support::random_matrix(random, 0.15)));
    }
    return F;
}

TEST(FibreLaws, StressAndTangentAreDerivativesOfTheEnergy) {
    for (const auto& [name, law, free] : fibre_laws(kAlong, kAcross)) {
        for (const Mat3& F : moderate_gradients(Seed{1})) {
            Mat3 P;
            Mat9 H;
            for (int i = 0; i < 9; ++i) {
                Mat3 plus = F;
                Mat3 minus = F;
                plus(i) += kDifference;
                minus(i) -= kDifference;
                P(i) = (law->energy(plus) - law->energy(minus)) / (2.0 * kDifference);
                H.col(i) =
                    ((law->stress(plus) - law->stress(minus)) / (2.0 * kDifference)).reshaped();
            }
            const Mat3 stress = law->stress(F);
            const Mat9 tangent = law->tangent(F, Tangent::Exact);
            EXPECT_LT((P - stress).norm(), 2e-6 * (stress.norm() + 1e3)) << name << "\n" << F;
            EXPECT_LT((H - tangent).norm(), 2e-6 * tangent.norm()) << name << "\n" << F;
            EXPECT_LT((tangent - tangent.transpose()).norm(), 1e-12 * tangent.norm()) << name;
            const Mat9 positive = law->tangent(F, Tangent::PositiveSemidefinite);
            const Mat9 difference = positive - tangent;
            EXPECT_GE(
                (positive + 1e-9 * tangent.norm() * Mat9::Identity()).ldlt().vectorD().minCoeff(),
                0.0)
                << name;
            EXPECT_LE(difference.norm(), tangent.norm()) << name;
        }
    }
}

TEST(FibreLaws, RestCostsNothingAndRotationsNeither) {
    Random random(Seed{3});
    for (const auto& [name, law, free] : fibre_laws(kAlong, kAcross)) {
        EXPECT_NEAR(law->energy(Mat3::Identity()), 0.0, 1e-9) << name;
        EXPECT_LT(law->stress(Mat3::Identity()).norm(), 1e-8) << name;
        for (const Mat3& F : moderate_gradients(Seed{2})) {
            const Mat3 R = support::random_rotation(random);
            EXPECT_NEAR(law->energy(R * F), law->energy(F), 1e-10 * (1e3 + law->energy(F))) << name;
        }
    }
}

TEST(FibreLaws, AnyDeformationIsFinite) {
    for (const auto& [name, law, free] : fibre_laws(kAlong, kAcross)) {
        for (const Mat3& F :
             {Mat3::Zero().eval(), (-Mat3::Identity()).eval(), Mat3(Vec3(1, 0, 0).asDiagonal()),
              Mat3(Vec3(1e3, 1e-9, -1e3).asDiagonal()), Mat3(Vec3(20, 20, 20).asDiagonal())}) {
            EXPECT_TRUE(std::isfinite(law->energy(F))) << name << "\n" << F;
            EXPECT_TRUE(law->stress(F).allFinite()) << name << "\n" << F;
            EXPECT_TRUE(law->tangent(F, Tangent::PositiveSemidefinite).allFinite()) << name;
        }
    }
}

double uniaxial(const Material& law, double l) {
    const double lateral = 1.0 / std::sqrt(l);
    const Mat3 P = law.stress(Vec3(l, lateral, lateral).asDiagonal());
    return P(0, 0) - P(2, 2) * lateral / l;  // the pressure frees the sides
}

// W(l) = C/2 (e^Q - 1), Q = bf E1^2 + 2 bt E2^2, E1 = (l^2 - 1)/2, E2 = (1/l - 1)/2: P = dW/dl
TEST(FibreLaws, Guccione1995UniaxialAlongTheFibre) {
    const Guccione law(kHeart, Vec3::UnitX());
    for (const double l : {0.85, 1.0, 1.1, 1.25}) {
        const double E1 = 0.5 * (l * l - 1.0);
        const double E2 = 0.5 * (1.0 / l - 1.0);
        const double Q = kHeart.bf * E1 * E1 + 2.0 * kHeart.bt * E2 * E2;
        const double dQ = 2.0 * kHeart.bf * E1 * l - 2.0 * kHeart.bt * E2 / (l * l);
        EXPECT_NEAR(uniaxial(law, l), 0.5 * kHeart.C * std::exp(Q) * dQ, 1e-8) << l;
    }
}

// W(l) = a/2b (e^(b (l^2 + 2/l - 3)) - 1) + af/2bf (e^(bf (l^2 - 1)^2) - 1) for l > 1; below, the
// sheet of stretch l^(-1/2) bears instead of the fibre.
TEST(FibreLaws, HolzapfelOgden2009UniaxialAlongTheFibre) {
    const HolzapfelOgdenConstants& c = kMyocardium;
    const HolzapfelOgden law(c, Vec3::UnitX(), Vec3::UnitY());
    for (const double l : {1.0, 1.05, 1.15}) {
        const double u = l * l - 1.0;
        const double matrix = c.a * std::exp(c.b * (l * l + 2.0 / l - 3.0)) * (l - 1.0 / (l * l));
        const double fibre = 2.0 * c.af * u * std::exp(c.bf * u * u) * l;
        EXPECT_NEAR(uniaxial(law, l), matrix + fibre, 1e-7) << l;
    }
}

// P = sum mu (l^(alpha - 1) - l^(-alpha/2 - 1)); Treloar's rubber as Ogden fitted it.
TEST(FibreLaws, Ogden1972UniaxialOfTreloarsRubber) {
    const OgdenConstants rubber = {{{0.63e6, 1.3}, {1.2e3, 5.0}, {-1e4, -2.0}}, 1e9};
    const Ogden law(rubber);
    for (const double l : {0.6, 1.5, 3.0, 6.0}) {
        double P = 0.0;
        for (const OgdenConstants::Term& t : rubber.terms) {
            P += t.mu * (std::pow(l, t.alpha - 1.0) - std::pow(l, -0.5 * t.alpha - 1.0));
        }
        EXPECT_NEAR(uniaxial(law, l), P, 1e-6 * std::abs(P)) << l;
    }
}

TEST(FibreLaws, ConstantsOutOfRangeAreRefused) {
    EXPECT_THROW(Guccione({.C = 0.0, .bf = 1, .bt = 1, .bfs = 1, .K = 1}, kAlong), InputError);
    EXPECT_THROW(Guccione(kHeart, Vec3::Zero()), InputError);
    EXPECT_THROW(HolzapfelOgden({.a = 1.0, .b = -1.0, .K = 1.0}, kAlong, kAcross), InputError);
    EXPECT_THROW(HolzapfelOgden(kMyocardium, kAlong, Vec3::Zero()), InputError);
    EXPECT_THROW(Ogden({{{1.0, -2.0}}, 1.0}), InputError);
    EXPECT_THROW(Ogden({{}, 1.0}), InputError);
}

}  // namespace
}  // namespace sinew
