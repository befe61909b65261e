#include "sinew/base/parallel.h"
#include "sinew/linalg/batch3.h"
#include "sinew/linalg/svd3.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "tests/linalg/sample_matrices.h"
#include "tests/support/trials.h"

namespace sinew {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Planes {
    explicit Planes(std::size_t count) : n(count), data(9 * count) {}
    explicit Planes(const std::vector<Matrix3d>& matrices) : Planes(matrices.size()) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < 9; ++k) {
                data[k * n + i] = static_cast<float>(matrices[i](k / 3, k % 3));
            }
        }
    }
    Matrix3d at(std::size_t i) const {
        Matrix3d M;
        for (std::size_t k = 0; k < 9; ++k) {
            M(k / 3, k % 3) = static_cast<double>(data[k * n + i]);
        }
        return M;
    }
    operator MatrixPlanes() {
        return {data.data(), n};
    }
    operator ConstMatrixPlanes() const {
        return {data.data(), n};
    }
    std::size_t n;
    std::vector<float> data;
};

constexpr double kEps = 1.2e-7;  // of float

TEST(Batch3, SignedSvdRebuildsEveryKindOfMatrix) {
    const Planes F(
        support::deformation_family(support::trials(6000), Seed{11}));  // up to 1e5 matrices
    Planes U(F.n);
    Planes V(F.n);
    std::vector<float> s(3 * F.n);
    batch_signed_svd(F, F.n, U, s.data(), V);
    for (std::size_t i = 0; i < F.n; ++i) {
        const Matrix3d f = F.at(i);
        const double size = f.cwiseAbs().maxCoeff();
        const Vector3d si(s[i], s[F.n + i], s[2 * F.n + i]);
        ASSERT_LE((U.at(i) * si.asDiagonal() * V.at(i).transpose() - f).norm(), 16 * kEps * size)
            << f;
        ASSERT_LE((U.at(i).transpose() * U.at(i) - Matrix3d::Identity()).norm(), 16 * kEps) << f;
        ASSERT_LE((V.at(i).transpose() * V.at(i) - Matrix3d::Identity()).norm(), 16 * kEps) << f;
        ASSERT_GT(U.at(i).determinant(), 0.99);
        ASSERT_GT(V.at(i).determinant(), 0.99);
        ASSERT_GE(si[0], si[1]);
        ASSERT_GE(si[1], std::abs(si[2]) - 8 * kEps * size);
    }
}

TEST(Batch3, SingularValuesAgreeWithEigen) {
    const Planes F(support::deformation_family(1000, Seed{12}));
    Planes U(F.n);
    Planes V(F.n);
    std::vector<float> s(3 * F.n);
    batch_signed_svd(F, F.n, U, s.data(), V);
    for (std::size_t i = 0; i < F.n; ++i) {
        const Vector3d ours(s[i], s[F.n + i], std::abs(s[2 * F.n + i]));
        const Vector3d theirs = Eigen::JacobiSVD<Matrix3d>(F.at(i)).singularValues();
        ASSERT_LE((ours - theirs).norm(), 8 * kEps * F.at(i).cwiseAbs().maxCoeff()) << F.at(i);
    }
}

// A rotation is only as well determined as s1 + s2 allows: its error is eps |F| / (s1 + s2).
TEST(Batch3, Saito2015Eq2RotationsAgreeWithTheScalarOnes) {
    const Planes F(support::deformation_family(2000, Seed{13}));
    Planes R(F.n);
    batch_nearest_rotation(F, F.n, R);
    for (std::size_t i = 0; i < F.n; ++i) {
        const SignedSvd svd = signed_svd(F.at(i));
        const double room = svd.s[1] + svd.s[2];
        ASSERT_LE((R.at(i).transpose() * R.at(i) - Matrix3d::Identity()).norm(), 16 * kEps);
        ASSERT_GT(R.at(i).determinant(), 0.99);
        if (room > 0) {
            ASSERT_LE((R.at(i) - svd.U * svd.V.transpose()).norm(),
                      16 * kEps * (1 + svd.s[0] / room))
                << F.at(i);
        }
        // Never further away than the best, whether it is unique or not.
        const double best = svd.s.sum();
        ASSERT_GE(R.at(i).cwiseProduct(F.at(i)).sum(), best - 16 * kEps * svd.s[0]);
    }
}

TEST(Batch3, Saito2015Eq4VolumesAreMetAndNearest) {
    std::vector<Matrix3d> family;
    Random random(Seed{14});
    for (int k = 0; k < 20000; ++k) {
        const double sign = k % 4 == 0 ? -1 : 1;
        family.push_back(
            support::random_rotation(random) *
            Vector3d(random.uniform(0, 2.5), random.uniform(0, 2.5), sign * random.uniform(0, 2.5))
                .asDiagonal() *
            support::random_rotation(random));
    }
    family.push_back(Matrix3d::Zero());
    const Planes F(family);
    std::vector<float> ratio(F.n);
    for (float& r : ratio) {
        r = static_cast<float>(random.uniform(0.5, 2.0));
    }
    Planes R(F.n);
    Planes P(F.n);
    batch_nearest_rotation_and_volume(F, F.n, ratio.data(), R, P);
    Planes R_alone(F.n);
    batch_nearest_rotation(F, F.n, R_alone);
    EXPECT_EQ(R.data, R_alone.data);
    for (std::size_t i = 0; i < F.n; ++i) {
        const double target = static_cast<double>(ratio[i]);
        const Matrix3d exact = nearest_with_determinant(F.at(i), target);
        ASSERT_NEAR(P.at(i).determinant() / target, 1.0, 1e-4) << F.at(i);
        ASSERT_LE((P.at(i) - F.at(i)).norm(), (exact - F.at(i)).norm() + 1e-5) << F.at(i);
    }
}

// Stretches from 0.5 to 1.6 with pairs and triples that are equal, nearly equal or apart.
std::vector<Matrix3d> moderate_family(int count, Seed seed) {
    std::vector<Matrix3d> family;
    Random random(seed);
    for (int k = 0; k < count; ++k) {
        const double a = random.uniform(0.5, 1.6);
        const double gap = std::pow(10.0, -random.uniform(0, 9));
        const double b = k % 3 == 0 ? random.uniform(0.5, 1.6) : std::min(a + gap, 1.6);
        const double c = k % 3 == 1 ? random.uniform(0.5, 1.6) : std::max(b - gap, 0.5);
        family.push_back(support::random_rotation(random) * Vector3d(a, b, c).asDiagonal() *
                         support::random_rotation(random));
    }
    return family;
}

TEST(Batch3, PullsOfModerateDeformationsNeedNoDecomposition) {
    const Planes F(moderate_family(40000, Seed{16}));
    std::vector<float> ratio(F.n);
    Random random(Seed{17});
    for (std::size_t i = 0; i < F.n; ++i) {
        ratio[i] = static_cast<float>(F.at(i).determinant() * random.uniform(0.8, 1.25));
    }
    Planes H(F.n);
    batch_pull(F, F.n, 1.0f, 10.0f, ratio.data(), H);
    for (std::size_t i = 0; i < F.n; ++i) {
        const Matrix3d f = F.at(i);
        const Matrix3d exact =
            nearest_rotation(f) - f +
            10.0 * (nearest_with_determinant(f, static_cast<double>(ratio[i])) - f);
        ASSERT_LE((H.at(i) - exact).norm(), 11 * 24 * kEps) << f;
    }
}

TEST(Batch3, PullsOfAnyDeformationAreThoseOfTheProjections) {
    std::vector<Matrix3d> family = moderate_family(2000, Seed{18});
    for (const Matrix3d& f : support::deformation_family(500, Seed{19})) {
        if (f.cwiseAbs().maxCoeff() < 10.0) {
            family.push_back(f);
        }
    }
    const Planes F(family);
    const std::vector<float> ratio(F.n, 1.0f);
    Planes H(F.n);
    Planes R(F.n);
    Planes P(F.n);
    batch_pull(F, F.n, 1.0f, 10.0f, ratio.data(), H);
    batch_nearest_rotation_and_volume(F, F.n, ratio.data(), R, P);
    for (std::size_t i = 0; i < F.n; ++i) {
        const Matrix3d f = F.at(i);
        const Matrix3d two = R.at(i) - f + 10.0 * (P.at(i) - f);
        ASSERT_LE((H.at(i) - two).norm(), 200 * kEps * (1 + two.norm())) << f;
    }
}

TEST(Batch3, SameBytesOnOneAndTwoThreads) {
    const Planes F(support::deformation_family(1000, Seed{15}));
    std::vector<float> ratio(F.n, 1.0f);
    std::vector<std::vector<float>> results;
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        Planes R(F.n);
        Planes P(F.n);
        batch_nearest_rotation_and_volume(F, F.n, ratio.data(), R, P);
        results.push_back(R.data);
        results.back().insert(results.back().end(), P.data.begin(), P.data.end());
    }
    EXPECT_EQ(results[0], results[1]);
}

TEST(Batch3, ShortListsTouchNothingBeyondTheirEnd) {
    for (std::size_t count = 0; count < 20; ++count) {
        Planes F(21);
        Planes R(21);
        std::fill(F.data.begin(), F.data.end(), 1.0f);
        std::fill(R.data.begin(), R.data.end(), 7.0f);
        batch_nearest_rotation(F, count, R);
        for (std::size_t k = 0; k < 9; ++k) {
            for (std::size_t i = count; i < 21; ++i) {
                EXPECT_EQ(R.data[k * 21 + i], 7.0f);
            }
        }
    }
}

}  // namespace
}  // namespace sinew
