#include "sinew/base/error.h"
#include "sinew/linalg/dense.h"
#include "sinew/material/muscle_material.h"

#include <gtest/gtest.h>

#include "tests/material/laws.h"

namespace sinew {
namespace {

const Vec3 kFibre = Vec3(0.6, -0.3, 0.7).normalized();

std::vector<MuscleMaterial> laws() {
    return {{muscle_constants(), kFibre, 0.0},
            {muscle_constants(), kFibre, 0.7},
            {tendon_constants(), kFibre, 0.0}};
}

/// A stretch along x with free sides that keeps the volume.
Mat3 uniaxial(double stretch) {
    const double side = 1.0 / std::sqrt(stretch);
    return Vec3(stretch, side, side).asDiagonal();
}

// Central differences of fourth order: the law is stiff (1e7) beside its stresses.
template <class Function>
auto difference(const Function& f, const Mat3& F, int i) {
    constexpr double h = 1e-4;
    const auto at = [&](double d) {
        Mat3 G = F;
        G(i) += d;
        return f(G);
    };
    using Value = decltype(f(F));
    return Value((8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h));
}

TEST(MuscleMaterial, Teran2003Section5StressIsTheDerivativeOfTheEnergy) {
    for (const MuscleMaterial& law : laws()) {
        for (const Mat3& F : support::deformation_gradients(Seed{11})) {
            const Mat3 P = law.stress(F);
            Mat3 D;
            for (int i = 0; i < 9; ++i) {
                D(i) = difference([&](const Mat3& G) { return law.energy(G); }, F, i);
            }
            EXPECT_LT((P - D).norm(), 1e-6 * (P.norm() + 1e4)) << F;
        }
    }
}

TEST(MuscleMaterial, TangentIsTheDerivativeOfTheStress) {
    for (const MuscleMaterial& law : laws()) {
        for (const Mat3& F : support::deformation_gradients(Seed{12})) {
            if (std::abs((F * kFibre).norm() / std::cbrt(F.determinant()) - 1.0) < 1e-3) {
                continue;  // the curvature of the toe begins here
            }
            const Mat9 H = law.tangent(F, Tangent::Exact);
            Mat9 D;
            for (int i = 0; i < 9; ++i) {
                const Mat3 column = difference([&](const Mat3& G) { return law.stress(G); }, F, i);
                D.col(i) = column.reshaped();
            }
            EXPECT_LT((H - D).norm(), 1e-6 * H.norm()) << F;
            EXPECT_LT((H - H.transpose()).norm(), 1e-12 * H.norm());
            const Mat9 psd = law.tangent(F, Tangent::PositiveSemidefinite);
            EXPECT_GT(symmetric_eigen(Eigen::MatrixXd(psd)).values[0], -1e-9 * H.norm());
        }
    }
}

TEST(MuscleMaterial, RestIsFreeOfStressWhileRelaxed) {
    for (const MuscleConstants& c : {muscle_constants(), tendon_constants()}) {
        const MuscleMaterial law(c, kFibre, 0.0);
        EXPECT_NEAR(law.energy(Mat3::Identity()), 0.0, 1e-9);
        EXPECT_LT(law.stress(Mat3::Identity()).norm(), 1e-9);
    }
}

TEST(MuscleMaterial, TurningCostsNothing) {
    Random random(Seed{5});
    for (const MuscleMaterial& law : laws()) {
        for (int i = 0; i < 5; ++i) {
            const Mat3 F = Mat3::Identity() + support::random_matrix(random, 0.3);
            const Mat3 R = support::random_rotation(random);
            EXPECT_NEAR(law.energy(R * F), law.energy(F), 1e-9 * std::abs(law.energy(F)) + 1e-7);
        }
    }
}

// sigma = P F^T / J, printed in the paper in terms of B.
TEST(MuscleMaterial, Teran2003Section5CauchyStressIsThatOfPiola) {
    Random random(Seed{6});
    for (int i = 0; i < 10; ++i) {
        const Mat3 F = Mat3::Identity() + support::random_matrix(random, 0.25);
        const Mat3 P = muscle_stress(muscle_constants(), F, kFibre, 0.6).P;
        const Mat3 sigma = P * F.transpose() / F.determinant();
        const Mat3 printed = muscle_cauchy_stress(muscle_constants(), F, kFibre, 0.6);
        EXPECT_LT((sigma - printed).norm(), 1e-10 * sigma.norm());
    }
}

// Incompressible uniaxial stress along the fibre, sides free:
//   P = 2 (A + B / l)(l - l^-2) + dF2/dl,
// because pressure takes up what the sides ask for.
TEST(MuscleMaterial, UniaxialTensionAndCompressionFollowTheClosedForm) {
    const MuscleConstants c = muscle_constants();
    for (const double activation : {0.0, 0.5, 1.0}) {
        for (const double l : {0.6, 0.8, 0.95, 1.05, 1.2, 1.5}) {
            const Mat3 F = uniaxial(l);
            const Mat3 P = muscle_stress(c, F, Vec3::UnitX(), activation).P;
            // Pressure q adds q cof F; the one that frees the sides.
            const double side = 1.0 / std::sqrt(l);
            const double q = -P(1, 1) / (l * side);
            const double axial = P(0, 0) + q * side * side;
            const double expected = 2.0 * (c.matrix.A + c.matrix.B / l) * (l - 1.0 / (l * l)) +
                                    c.fibre.at(l, activation).tension;
            EXPECT_NEAR(axial, expected, 1e-9 * c.fibre.peak_stress) << l;
        }
    }
}

TEST(FibreCurve, PeaksAtOptimalLengthAndIsSlackBelowRest) {
    const FibreCurve f = muscle_constants().fibre;
    EXPECT_DOUBLE_EQ(f.at(1.0, 1.0).tension, 3e5);
    EXPECT_DOUBLE_EQ(f.at(0.99, 0.0).tension, 0.0);
    EXPECT_DOUBLE_EQ(f.at(0.3, 1.0).tension, 0.0);
    EXPECT_DOUBLE_EQ(FibreCurve::active_shape(0.6), 0.36);
    EXPECT_NEAR(FibreCurve::active_shape(1.4), 0.36, 1e-12);
    // Tendons of people strain by 3 to 5 % at greatest force, near 10 MPa.
    const double tendon = tendon_constants().fibre.at(1.03, 0.0).tension;
    EXPECT_GT(tendon, 5e6);
    EXPECT_LT(tendon, 1e7);
}

TEST(FibreCurve, ToeMeetsThePublishedCurve) {
    FibreCurve published = muscle_constants().fibre;
    const FibreCurve ours = published;
    published.toe = 0.0;
    EXPECT_NEAR(published.at(1.2, 0.0).tension, 0.05 * 3e5 * (std::exp(6.6 * 0.2) - 1.0), 1e-6);
    for (const double l : {1.05, 1.2, 1.39}) {
        EXPECT_NEAR(ours.at(l, 0.0).tension / published.at(l - 0.0103, 0.0).tension, 1.0, 0.02);
    }
}

TEST(MuscleMaterial, ConstantsOutOfRangeAreNamed) {
    MuscleConstants c = muscle_constants();
    c.matrix.K = 0.0;
    EXPECT_THROW(MuscleMaterial(c, kFibre, 0.0), InputError);
    EXPECT_THROW(MuscleMaterial(muscle_constants(), Vec3::Zero(), 0.0), InputError);
    EXPECT_THROW(MuscleMaterial(muscle_constants(), kFibre, 1.5), InputError);
}

}  // namespace
}  // namespace sinew
