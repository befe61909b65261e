#include "sinew/linalg/svd3.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/linalg/sample_matrices.h"
#include "tests/support/trials.h"

namespace sinew {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using support::deformation_family;

TEST(SignedSvd, RebuildsEveryKindOfMatrixWithTwoRotations) {
    for (const Matrix3d& F : deformation_family(500, Seed{1})) {
        const SignedSvd svd = signed_svd(F);
        const double size = F.cwiseAbs().maxCoeff();
        const Matrix3d back = svd.U * svd.s.asDiagonal() * svd.V.transpose();
        EXPECT_LE((back - F).norm(), 4e-15 * size) << F;
        EXPECT_LE((svd.U.transpose() * svd.U - Matrix3d::Identity()).norm(), 4e-15) << F;
        EXPECT_LE((svd.V.transpose() * svd.V - Matrix3d::Identity()).norm(), 4e-15) << F;
        EXPECT_NEAR(svd.U.determinant(), 1.0, 1e-14);
        EXPECT_NEAR(svd.V.determinant(), 1.0, 1e-14);
        EXPECT_GE(svd.s[0], svd.s[1]);
        EXPECT_GE(svd.s[1], std::abs(svd.s[2]) - 1e-15 * size);
    }
}

TEST(SignedSvd, SingularValuesAgreeWithEigenUpToTheSign) {
    for (const Matrix3d& F : deformation_family(200, Seed{2})) {
        const Vector3d ours = signed_svd(F).s.cwiseAbs();
        const Vector3d theirs = Eigen::JacobiSVD<Matrix3d>(F).singularValues();
        EXPECT_LE((ours - theirs).norm(), 1e-14 * F.cwiseAbs().maxCoeff()) << F;
    }
}

TEST(SignedSvd, MirrorImagesHaveANegativeLastValue) {
    Random random(Seed{3});
    for (int i = 0; i < 1000; ++i) {
        const Matrix3d F = support::random_matrix(random);
        EXPECT_EQ(signed_svd(F).s[2] < 0.0, F.determinant() < 0.0);
    }
}

// Saito 2015 eq. 2: no other rotation is nearer. Compared with many, small turns among them.
TEST(NearestRotation, Saito2015Eq2NoOtherRotationIsNearer) {
    Random random(Seed{4});
    for (const Matrix3d& F : deformation_family(5, Seed{5})) {
        const Matrix3d R = nearest_rotation(F);
        const double best = R.cwiseProduct(F).sum();  // |F - R|^2 = |F|^2 + 3 - 2 <R, F>
        for (int k = 0; k < 200; ++k) {
            const Matrix3d turn =
                Eigen::AngleAxisd(
                    std::pow(10.0, random.uniform(-4, 0.5)),
                    Vector3d(random.normal(), random.normal(), random.normal()).normalized())
                    .toRotationMatrix();
            EXPECT_LE((turn * R).cwiseProduct(F).sum(), best + 1e-14 * F.norm());
        }
    }
}

// Saito 2015 eq. 4 by exhaustive search over the multiplier: every stationary point satisfies
// p_i (p_i - s_i) = m, so a fine scan of m on all sign branches finds all of them.
Vector3d nearest_by_scan(const Vector3d& s, double ratio) {
    Vector3d best = Vector3d::Zero();
    double best_distance = 1e300;
    for (int branch = 0; branch < 8; ++branch) {
        const auto at = [&](double m) {
            Vector3d p;
            for (int i = 0; i < 3; ++i) {
                const double root = std::sqrt(std::max(s[i] * s[i] + 4 * m, 0.0));
                p[i] = 0.5 * (s[i] + ((branch >> i) & 1 ? -root : root));
            }
            return p;
        };
        const double low = -0.25 * s.cwiseAbs2().minCoeff();
        const int steps = 4000;
        double previous = low;
        for (int k = 1; k <= steps; ++k) {
            const double x = static_cast<double>(k) / steps;
            const double next = low + 20.0 * x * x * x;
            if ((at(previous).prod() - ratio) * (at(next).prod() - ratio) <= 0.0) {
                double a = previous;
                double b = next;
                for (int i = 0; i < 60; ++i) {
                    const double c = 0.5 * (a + b);
                    ((at(a).prod() - ratio) * (at(c).prod() - ratio) <= 0.0 ? b : a) = c;
                }
                const Vector3d p = at(0.5 * (a + b));
                if ((p - s).norm() < best_distance) {
                    best_distance = (p - s).norm();
                    best = p;
                }
            }
            previous = next;
        }
    }
    return best;
}

TEST(VolumeSingularValues, Saito2015Eq4MeetsTheProductAndIsNearest) {
    Random random(Seed{6});
    for (int k = 0; k < support::trials(60); ++k) {
        Vector3d s(random.uniform(0, 2), random.uniform(0, 2), random.uniform(0, 2));
        std::sort(s.data(), s.data() + 3, std::greater<>());
        s[2] *= k % 3 == 0 ? -1.0 : 1.0;
        const double ratio = random.uniform(0.6, 1.6);
        const Vector3d p = volume_singular_values(s, ratio);
        EXPECT_NEAR(p.prod(), ratio, 1e-12);
        EXPECT_LE((p - s).norm(), (nearest_by_scan(s, ratio) - s).norm() + 1e-6) << s.transpose();
    }
}

TEST(VolumeSingularValues, KnownByHand) {
    EXPECT_LE((volume_singular_values(Vector3d::Ones(), 1.0) - Vector3d::Ones()).norm(), 1e-14);
    // From a point, symmetry leaves only the cube.
    EXPECT_LE((volume_singular_values(Vector3d::Zero(), 8.0) - Vector3d::Constant(2)).norm(),
              1e-12);
    // (3, 3, 3) to volume 8 along the diagonal.
    EXPECT_LE((volume_singular_values(Vector3d::Constant(3), 8.0) - Vector3d::Constant(2)).norm(),
              1e-10);
}

TEST(VolumeSingularValues, MeetsTheProductFromAnywhere) {
    Random random(Seed{7});
    for (int k = 0; k < 20000; ++k) {
        Vector3d s;
        for (int i = 0; i < 3; ++i) {
            s[i] = std::pow(10.0, random.uniform(-4, 2.5));
        }
        std::sort(s.data(), s.data() + 3, std::greater<>());
        s[2] *= k % 2 == 0 ? -1.0 : 1.0;
        const double ratio = std::pow(10.0, random.uniform(-0.7, 0.7));
        const Vector3d p = volume_singular_values(s, ratio);
        EXPECT_NEAR(p.prod() / ratio, 1.0, 1e-9) << s.transpose() << " -> " << p.transpose();
        EXPECT_GT(p.minCoeff(), 0.0);
    }
}

}  // namespace
}  // namespace sinew
