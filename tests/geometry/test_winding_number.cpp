#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/geometry/winding_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

using std::numbers::pi;

/// Unit sphere around the origin without the cap of half-angle `opening` around +z.
TriangleMesh sphere_with_hole(double opening, int around, int along) {
    TriangleMesh mesh;
    mesh.points.resize(around * along + 1, 3);
    for (int j = 0; j < along; ++j) {
        const double theta = opening + (pi - opening) * j / along;
        for (int i = 0; i < around; ++i) {
            const double phi = 2 * pi * i / around;
            mesh.points.row(j * around + i) << std::sin(theta) * std::cos(phi),
                std::sin(theta) * std::sin(phi), std::cos(theta);
        }
    }
    const Index pole = around * along;
    mesh.points.row(pole) << 0, 0, -1;
    mesh.triangles.resize(around * (2 * along - 1), 3);
    Eigen::Index row = 0;
    for (int i = 0; i < around; ++i) {
        const Index next = (i + 1) % around;
        for (int j = 0; j + 1 < along; ++j) {
            const Index a = j * around + i, b = j * around + next;
            mesh.triangles.row(row++) << a, a + around, b + around;
            mesh.triangles.row(row++) << a, b + around, b;
        }
        mesh.triangles.row(row++) << (along - 1) * around + i, pole, (along - 1) * around + next;
    }
    return mesh;
}

TEST(WindingNumber, IsOneInsideAndZeroOutsideClosedSurfaces) {
    for (const TriangleMesh& mesh :
         {support::box({-1, -1, -1}, {1, 1, 1}), support::sphere(4, 1.0)}) {
        const WindingNumber winding(mesh);
        Random random(Seed{1});
        for (int i = 0; i < 300; ++i) {
            const Vec3 direction = support::random_point(random, 1.0).normalized();
            for (const double radius : {0.0, 0.5, 0.95}) {
                EXPECT_NEAR(winding.exact_at(radius * direction), 1.0, 1e-12);
                EXPECT_NEAR(winding.at(radius * direction), 1.0, 5e-3);
            }
            for (const double radius : {1.8, 3.0, 100.0}) {
                EXPECT_NEAR(winding.exact_at(radius * direction), 0.0, 1e-12);
                EXPECT_NEAR(winding.at(radius * direction), 0.0, 5e-3);
            }
        }
    }
}

// The open sphere plus a disc over its hole is closed, and a disc of radius a seen from distance d
// on its axis covers 2 pi (1 - d / sqrt(d^2 + a^2)).
TEST(WindingNumber, Jacobson2013SphereWithAHoleLacksTheSolidAngleOfTheHole) {
    const double opening = 0.4;
    const TriangleMesh mesh = sphere_with_hole(opening, 600, 100);
    ASSERT_GT(enclosed_volume(mesh), 0.0);
    const WindingNumber winding(mesh);
    const double a = std::sin(opening), height = std::cos(opening);
    for (const double z : {-0.8, -0.3, 0.0, 0.5, 0.8, 0.9}) {
        const double d = height - z;
        const double missing = 0.5 * (1.0 - d / std::hypot(d, a));
        EXPECT_NEAR(winding.exact_at({0, 0, z}), 1.0 - missing, 2e-5) << z;
        EXPECT_NEAR(winding.at({0, 0, z}), 1.0 - missing, 2e-3) << z;
    }
    for (const double z : {1.0, 1.2, 2.0, 5.0}) {
        const double d = z - height;
        const double left = 0.5 * (1.0 - d / std::hypot(d, a));
        EXPECT_NEAR(winding.exact_at({0, 0, z}), left, 2e-5) << z;
        EXPECT_NEAR(winding.at({0, 0, z}), left, 2e-3) << z;
    }
    // At the centre: the cap's share of the sphere, (1 - cos) / 2.
    EXPECT_NEAR(winding.exact_at(Vec3::Zero()), 1.0 - 0.5 * (1.0 - height), 2e-5);
}

TEST(WindingNumber, Barill2018ErrorFallsWithTheAccuracy) {
    const TriangleMesh mesh = support::torus(1.0, 0.4, 60, 120);
    const WindingNumber rough(mesh, {.accuracy = 2.0}), fine(mesh), finest(mesh, {.accuracy = 8.0});
    Random random(Seed{2});
    double worst_rough = 0, worst_fine = 0, worst_finest = 0;
    for (int i = 0; i < 400; ++i) {
        const Vec3 p = support::random_point(random, 1.5);
        const double exact = rough.exact_at(p);
        worst_rough = std::max(worst_rough, std::abs(rough.at(p) - exact));
        worst_fine = std::max(worst_fine, std::abs(fine.at(p) - exact));
        worst_finest = std::max(worst_finest, std::abs(finest.at(p) - exact));
    }
    EXPECT_LT(worst_rough, 5e-3);
    EXPECT_LT(worst_fine, 1e-3);
    EXPECT_LT(worst_finest, 2e-5);
    EXPECT_LT(worst_fine, worst_rough / 3.0);
    EXPECT_LT(worst_finest, worst_fine / 20.0);
}

// Where two closed sheets overlap the number is 2, and turning a surface changes its sign.
TEST(WindingNumber, AddsUpOverSheetsAndChangesSignWithOrientation) {
    const TriangleMesh a = support::sphere(3, 1.0);
    TriangleMesh both;
    both.points.resize(2 * a.points.rows(), 3);
    both.points << a.points, (0.5 * a.points);
    both.triangles.resize(2 * a.triangles.rows(), 3);
    both.triangles << a.triangles,
        (a.triangles.array() + static_cast<Index>(a.points.rows())).matrix();
    const WindingNumber winding(both);
    EXPECT_NEAR(winding.at({0.1, 0, 0}), 2.0, 5e-3);
    EXPECT_NEAR(winding.at({0.7, 0, 0}), 1.0, 5e-3);
    TriangleMesh turned = a;
    turned.triangles.col(0).swap(turned.triangles.col(1));
    EXPECT_NEAR(WindingNumber(turned).at(Vec3(0.1, 0, 0)), -1.0, 5e-3);
}

TEST(WindingNumber, OfNothingAndOfFlatTrianglesIsZero) {
    EXPECT_EQ(WindingNumber(TriangleMesh{}).at(Vec3(1, 2, 3)), 0.0);
    TriangleMesh flat;
    flat.points = Points::Ones(3, 3);
    flat.triangles.resize(1, 3);
    flat.triangles << 0, 1, 2;
    EXPECT_EQ(WindingNumber(flat).at(Vec3(1, 2, 3)), 0.0);
    EXPECT_EQ(WindingNumber(flat).at(Vec3(1, 1, 1)), 0.0);
}

TEST(WindingNumber, RefusesNanAndSillyAccuracy) {
    TriangleMesh mesh = support::sphere(1, 1.0);
    EXPECT_THROW(WindingNumber(mesh, {.accuracy = 0.5}), InputError);
    mesh.points(0, 0) = std::nan("");
    EXPECT_THROW(WindingNumber{mesh}, InputError);
}

TEST(WindingNumber, GivesTheSameBytesOnOneAndTwoThreads) {
    const TriangleMesh mesh = support::torus(1.0, 0.4, 60, 120);
    Points queries(3000, 3);
    Random random(Seed{31});
    for (Eigen::Index i = 0; i < queries.rows(); ++i) {
        queries.row(i) = support::random_point(random, 1.5).transpose();
    }
    const auto ask = [&](int threads) {
        const ThreadLimit limit(threads);
        return WindingNumber(mesh).at_all(queries);
    };
    EXPECT_EQ(ask(1), ask(2));
}

// Distance to a box by hand: negative distance to the nearest face inside.
TEST(SignedDistance, OfABoxMatchesTheFormulaInsideAndOutside) {
    const SignedDistance distance(support::box({-1, -2, -3}, {1, 2, 3}));
    Random random(Seed{3});
    Points queries(500, 3);
    for (Eigen::Index i = 0; i < queries.rows(); ++i) {
        queries.row(i) = support::random_point(random, 4.0).transpose();
    }
    const Eigen::VectorXd values = distance.at_all(queries);
    int inside = 0;
    for (Eigen::Index i = 0; i < queries.rows(); ++i) {
        const Vec3 q = point(queries, i).cwiseAbs() - Vec3(1, 2, 3);
        const double expected = q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
        EXPECT_NEAR(values[i], expected, 1e-14);
        inside += expected < 0 ? 1 : 0;
    }
    EXPECT_GT(inside, 20);
}

TEST(SignedDistance, KeepsItsSignAcrossAHole) {
    const SignedDistance distance(sphere_with_hole(0.4, 60, 30));
    EXPECT_LT(distance.at(Vec3(0, 0, 0.7)), 0.0);
    EXPECT_GT(distance.at(Vec3(0, 0, 1.2)), 0.0);
    EXPECT_TRUE(distance.is_inside(Vec3::Zero()));
    EXPECT_TRUE(std::isinf(SignedDistance(TriangleMesh{}).at(Vec3(0, 0, 0))));
}

}  // namespace
}  // namespace sinew
