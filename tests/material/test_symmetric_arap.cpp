#include "sinew/linalg/dense.h"
#include "sinew/material/symmetric_arap.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "tests/material/laws.h"

namespace sinew {
namespace {

constexpr double kStiffness = 40.0;
constexpr double kStretchStep = 1e-5;

struct Pair {
    Mat3 D_S;
    Mat3 D_M;
};

std::vector<Pair> edge_pairs() {
    Random random(Seed{11});
    std::vector<Pair> pairs;
    for (int i = 0; i < 12; ++i) {
        const Mat3 D_M = support::random_matrix(random, 1.0);
        pairs.push_back(
            {support::random_rotation(random) * (D_M + support::random_matrix(random, 0.2)), D_M});
        pairs.push_back({support::random_matrix(random, 1.0), D_M});  // half of them inverted
    }
    return pairs;
}

TEST(SymmetricArap, Kadlecek2022Eq46GradientByDifferences) {
    for (const auto& [D_S, D_M] : edge_pairs()) {
        const Mat3 g = symmetric_arap::gradient(D_S, D_M, kStiffness);
        for (int i = 0; i < 9; ++i) {
            Mat3 plus = D_S;
            Mat3 minus = D_S;
            plus(i) += kStretchStep;
            minus(i) -= kStretchStep;
            const double difference = (symmetric_arap::energy(plus, D_M, kStiffness) -
                                       symmetric_arap::energy(minus, D_M, kStiffness)) /
                                      (2.0 * kStretchStep);
            EXPECT_NEAR(g(i), difference, 1e-6 * (g.norm() + kStiffness));
        }
    }
}

TEST(SymmetricArap, Kadlecek2022Eq46HessianByDifferences) {
    for (const auto& [D_S, D_M] : edge_pairs()) {
        const Mat9 H = symmetric_arap::hessian(D_S, D_M, kStiffness, Tangent::Exact);
        for (int i = 0; i < 9; ++i) {
            Mat3 plus = D_S;
            Mat3 minus = D_S;
            plus(i) += kStretchStep;
            minus(i) -= kStretchStep;
            const Mat3 difference = (symmetric_arap::gradient(plus, D_M, kStiffness) -
                                     symmetric_arap::gradient(minus, D_M, kStiffness)) /
                                    (2.0 * kStretchStep);
            EXPECT_LT((H.col(i) - difference.reshaped()).norm(), 1e-6 * H.norm());
        }
    }
}

TEST(SymmetricArap, SemidefiniteHessianIsTheNearestOne) {
    for (const auto& [D_S, D_M] : edge_pairs()) {
        const Mat9 exact = symmetric_arap::hessian(D_S, D_M, kStiffness, Tangent::Exact);
        const SymmetricEigen eigen = symmetric_eigen(Eigen::MatrixXd(exact));
        const Mat9 expected =
            eigen.vectors * eigen.values.cwiseMax(0.0).asDiagonal() * eigen.vectors.transpose();
        const Mat9 projected =
            symmetric_arap::hessian(D_S, D_M, kStiffness, Tangent::PositiveSemidefinite);
        EXPECT_LT((projected - expected).norm(), 1e-10 * exact.norm());
    }
}

TEST(SymmetricArap, RestAndPresentMayBeExchanged) {
    for (const auto& [D_S, D_M] : edge_pairs()) {
        const double forth = symmetric_arap::energy(D_S, D_M, kStiffness);
        EXPECT_NEAR(forth, symmetric_arap::energy(D_M, D_S, kStiffness), 1e-12 * (forth + 1.0));
    }
}

TEST(SymmetricArap, RotatedRestCostsNothingAlsoWhenItIsFlat) {
    Random random(Seed{12});
    for (int i = 0; i < 8; ++i) {
        Mat3 D_M = support::random_matrix(random, 1.0);
        if (i % 2 == 0) {
            D_M.row(2).setZero();  // a flat tetrahedron
        }
        const Mat3 R = support::random_rotation(random);
        EXPECT_LT(symmetric_arap::energy(R * D_M, D_M, 1.0), 1e-28);
        EXPECT_LT(symmetric_arap::gradient(R * D_M, D_M, 1.0).norm(), 1e-13);
        EXPECT_TRUE(
            symmetric_arap::hessian(R * D_M, D_M, 1.0, Tangent::PositiveSemidefinite).allFinite());
    }
}

// D_M = s I: V = s^3/6, |D_M|^2 = 3 s^2, k = mu s/6, and k |F - R|^2 s^2 = mu V |F - R|^2.
TEST(SymmetricArap, StiffnessGivesTheShearModulusOfACubeCorner) {
    const double s = 0.3;
    const double mu = 700.0;
    const Mat3 D_M = s * Mat3::Identity();
    const double k = symmetric_arap::stiffness(D_M, mu);
    EXPECT_NEAR(k, mu * s / 6.0, 1e-12);
    const Mat3 F = Vec3(1.1, 1.0, 0.9).asDiagonal();
    EXPECT_NEAR(symmetric_arap::energy(F * D_M, D_M, k), mu * s * s * s / 6.0 * 0.02, 1e-12);
}

}  // namespace
}  // namespace sinew
