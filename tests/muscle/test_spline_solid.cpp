#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/muscle/muscle_volume.h"
#include "sinew/muscle/spline_solid.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace {

/// A bent, twisted bar.
SplineSolid bent_bar() {
    const std::array<int, 3> n = {5, 4, 8};
    Points control(n[0] * n[1] * n[2], 3);
    Eigen::Index row = 0;
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            for (int i = 0; i < n[0]; ++i) {
                const double w = SplineSolid::greville(k, n[2]);
                const double a = 0.04 * (SplineSolid::greville(i, n[0]) - 0.5);
                const double b = 0.03 * (SplineSolid::greville(j, n[1]) - 0.5);
                control.row(row++) =
                    Eigen::RowVector3d(a * std::cos(w) - b * std::sin(w) + 0.05 * w * w, 0.2 * w,
                                       a * std::sin(w) + b * std::cos(w));
            }
        }
    }
    return {n, control};
}

TEST(SplineSolid, Teran2003Section6DerivativesAreThoseOfThePosition) {
    const SplineSolid solid = bent_bar();
    Random random(Seed{2});
    for (int i = 0; i < 20; ++i) {
        const Vec3 t(random.uniform(0.05, 0.95), random.uniform(0.05, 0.95),
                     random.uniform(0.05, 0.95));
        const Mat3 D = solid.derivative(t);
        for (int c = 0; c < 3; ++c) {
            const Vec3 h = 1e-6 * Vec3::Unit(c);
            const Vec3 d = (solid.position(t + h) - solid.position(t - h)) / 2e-6;
            EXPECT_LT((D.col(c) - d).norm(), 1e-7);
        }
    }
}

TEST(SplineSolid, Teran2003Section6InverseMapFindsTheMaterialCoordinates) {
    const SplineSolid solid = bent_bar();
    Random random(Seed{3});
    for (int i = 0; i < 100; ++i) {
        const Vec3 t(random.uniform(0.0, 1.0), random.uniform(0.0, 1.0), random.uniform(0.0, 1.0));
        const SplineSolid::Inverse found = solid.invert(solid.position(t));
        EXPECT_TRUE(found.has_converged);
        EXPECT_LT((found.uvw - t).norm(), 1e-3);
    }
}

TEST(SplineFibres, OfTheBenchMuscleRunAsTheFlowDoes) {
    const MuscleVolume v = bench_muscle({.rings = 30, .around = 2});
    const SplineFibres spline(v);
    const InverseMapReport report = check_inverse_map(spline.solid(), v.mesh);
    EXPECT_GE(report.converged, 0.999);
    EXPECT_LE(report.largest_error, 1e-4);
    const FibreDifference d = compare_fibres(fibre_directions(spline, v.mesh), v.fibre, v.mesh);
    EXPECT_LT(d.mean, 0.1);  // 6 degrees
}

TEST(SplineFibres, PennateFibresLeaveTheWayByTheirAngle) {
    const MuscleVolume v = bench_muscle({.rings = 20, .around = 2});
    const SplineFibres along(v);
    const SplineFibres pennate(v, {.arrangement = FibreArrangement::Bipennate, .pennation = 0.3});
    const Vec3 left(-0.005, 0.1, 0.0);
    const Vec3 right(0.005, 0.1, 0.0);
    EXPECT_NEAR(std::acos(along.direction(left).dot(pennate.direction(left))), 0.3, 1e-6);
    EXPECT_GT(std::acos(pennate.direction(left).dot(pennate.direction(right))), 0.2);
    EXPECT_THROW(SplineFibres(v, {.pennation = 2.0}), InputError);
}

}  // namespace
}  // namespace sinew
