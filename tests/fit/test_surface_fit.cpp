#include "sinew/fit/surface_fit.h"
#include "sinew/fit/surface_icp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

std::vector<SurfacePull> some_pulls(const TriangleMesh& mesh, const Vec3& shift) {
    std::vector<SurfacePull> pulls;
    for (Index t = 0; t < mesh.triangles.rows(); t += 5) {
        SurfacePull pull{.triangle = t, .barycentric = Vec3(0.2, 0.5, 0.3), .weight = 1e-4};
        pull.target = shift;
        for (int k = 0; k < 3; ++k) {
            pull.target += pull.barycentric[k] * point(mesh.points, mesh.triangles(t, k));
        }
        pulls.push_back(pull);
    }
    return pulls;
}

TEST(SurfaceFit, Komaritzan42StepIsTheMinimumForFixedRotations) {
    const TriangleMesh mesh = support::sphere(2, 0.1);
    SurfaceFit fit(mesh, std::vector<double>(static_cast<std::size_t>(mesh.points.rows()), 1.5));
    const SurfaceStiffness stiffness{.bending = 0.15, .stretch = 0.03};
    std::vector<SurfacePull> pulls = some_pulls(mesh, Vec3(0.01, 0.0, 0.02));
    pulls.resize(pulls.size() / 2);
    const Points start = support::jittered(mesh.points, 0.004, Seed{3});
    Points x = start;
    ASSERT_TRUE(fit.step(pulls, stiffness, x));
    const double least = fit.energy(pulls, stiffness, start, x);
    EXPECT_LT(least, fit.energy(pulls, stiffness, start, start));
    // Any other positions cost more: the energy is a parabola around its minimum.
    for (int trial = 0; trial < 5; ++trial) {
        const Points other =
            support::jittered(x, 1e-4, Seed{static_cast<std::uint64_t>(10 + trial)});
        const double there = fit.energy(pulls, stiffness, start, other);
        const Points mirrored = 2.0 * x - other;
        const double behind = fit.energy(pulls, stiffness, start, mirrored);
        EXPECT_GT(there, least);
        EXPECT_NEAR(there - least, behind - least, 1e-4 * (there - least));
    }
}

TEST(SurfaceFit, MovesRigidlyForNothing) {
    const TriangleMesh mesh = support::sphere(2, 0.1);
    SurfaceFit fit(mesh, std::vector<double>(static_cast<std::size_t>(mesh.points.rows()), 1.0));
    const SurfaceStiffness stiffness{.bending = 0.5, .stretch = 0.1};
    const std::vector<SurfacePull> pulls = some_pulls(mesh, Vec3(0.05, -0.02, 0.01));
    Points x = mesh.points;
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(fit.step(pulls, stiffness, x));
    }
    const Points moved = mesh.points.rowwise() + Eigen::RowVector3d(0.05, -0.02, 0.01);
    EXPECT_LT((x - moved).cwiseAbs().maxCoeff(), 1e-6);
    for (const support::Rigid& g : support::rigid_motions(4, Seed{7})) {
        const Points y = support::moved(mesh.points, g);
        EXPECT_LT(fit.energy({}, stiffness, y, y), 1e-12);
    }
}

// A soft surface follows each pull; a stiff one only their mean.
TEST(SurfaceFit, WavelengthSaysWhatIsFollowed) {
    const TriangleMesh mesh = support::sphere(3, 0.1);
    const auto follow = [&](double bending) {
        SurfaceFit fit(mesh,
                       std::vector<double>(static_cast<std::size_t>(mesh.points.rows()), 1.0));
        std::vector<SurfacePull> pulls;
        double wanted = 0.0;
        for (Index t = 0; t < mesh.triangles.rows(); ++t) {
            SurfacePull pull{
                .triangle = t, .barycentric = Vec3::Constant(1.0 / 3.0), .weight = 1e-4};
            for (int k = 0; k < 3; ++k) {
                pull.target += point(mesh.points, mesh.triangles(t, k)) / 3.0;
            }
            // Ripples around the axis, six to the turn: 10 cm long at the equator.
            const double ripple =
                0.004 * std::sin(6.0 * std::atan2(pull.target.x(), pull.target.z()));
            pull.target *= 1.0 + ripple / 0.1;
            wanted += ripple * ripple;
            pulls.push_back(pull);
        }
        Points x = mesh.points;
        for (int i = 0; i < 4; ++i) {
            EXPECT_TRUE(fit.step(pulls, {.bending = bending, .stretch = 1e-4}, x));
        }
        double left = 0.0;
        for (const SurfacePull& pull : pulls) {
            Vec3 p = Vec3::Zero();
            for (int k = 0; k < 3; ++k) {
                p += point(x, mesh.triangles(pull.triangle, k)) / 3.0;
            }
            left += (p - pull.target).squaredNorm();
        }
        return std::sqrt(left / wanted);
    };
    EXPECT_LT(follow(0.02), 0.2);
    EXPECT_GT(follow(1.0), 0.7);
}

// Named points of an ellipsoid lie a centimetre beside those of the surface that is drawn onto it.
TEST(SurfaceIcp, HeldLandmarksAreMetAtTheEndAndOthersAreLeft) {
    TriangleMesh start = support::sphere(4, 0.1);
    start.points.col(1) *= 1.6;
    start.points.col(2) *= 0.7;
    Scan raw{.points = start.points, .triangles = start.triangles};
    const Scan scan = prepare_scan(raw).scan;
    const ScanIndex index(scan);
    std::vector<LandmarkPair> pairs;
    for (Index t = 0; t < start.triangles.rows(); t += 300) {
        const Index v = start.triangles(t, 0);
        const Vec3 beside = point(start.points, v) + Vec3(0.0, 0.01, 0.0);
        pairs.push_back({.vertex = {v, v, v},
                         .barycentric = Vec3(1, 0, 0),
                         .triangle = t,
                         .target = SurfaceTree(start).closest_point(beside).point});
    }
    const std::vector<double> even(static_cast<std::size_t>(start.points.rows()), 1.0);
    const auto farthest = [&](double hold) {
        Points x = start.points;
        fit_surface(start, even, index, pairs, {.landmark_hold = hold}, {}, x);
        double most = 0.0;
        for (const LandmarkPair& pair : pairs) {
            most = std::max(most, (pair.position(x) - pair.target).norm());
        }
        return most;
    };
    EXPECT_LT(farthest(1e-3), 5e-4);
    EXPECT_GT(farthest(0.0), 2e-3);
}

}  // namespace
}  // namespace sinew
