// What blending leaves in a skin at rest: volume that it made, and skin through skin.

#include "sinew/fit/rest_skin.h"
#include "sinew/geometry/embedding.h"
#include "sinew/geometry/measure.h"
#include "sinew/meshing/intersections.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

// Stretched alike everywhere, a sphere goes back to where it was.
TEST(RestSkin, AStretchedSphereGoesBack) {
    const TriangleMesh ball = support::sphere(4, 0.1);
    const Points stretched = 1.05 * ball.points;
    const Points kept = with_volume_kept(ball.points, stretched, ball.triangles);
    EXPECT_LT((kept - ball.points).rowwise().norm().maxCoeff(), 2e-5);
}

// A body that bends about an axis behind it grows, by the formula of Pappus: an ellipsoid whose
// middle is d before the axis, blended by an angle that grows linearly along it, gets longer by
// 1 + d angle / length.
TEST(RestSkin, VolumeThatBendingMadeIsTakenBack) {
    const TriangleMesh ball = support::sphere(4, 1.0);
    Points before = ball.points;
    before.col(0) *= 0.15;
    before.col(1) *= 0.4;
    before.col(2) *= 0.12;
    const double angle = 0.2, length = 0.8, d = 0.2;
    Points after = before;
    for (Eigen::Index v = 0; v < after.rows(); ++v) {
        const double a = angle * before(v, 1) / length;
        const double radius = length / angle;  // of the axis' own bend
        const double r = radius + d + before(v, 2);
        after.row(v) << before(v, 0), r * std::sin(a), r * std::cos(a) - radius - d;
    }
    const double was = enclosed_volume(before, ball.triangles);
    ASSERT_NEAR(enclosed_volume(after, ball.triangles) / was, 1.0 + d * angle / length, 2e-3);
    const Points kept = with_volume_kept(before, after, ball.triangles);
    EXPECT_NEAR(enclosed_volume(kept, ball.triangles) / was, 1.0, 1e-5);
    // 5 % of the volume are 2 % of the thickness.
    EXPECT_LT((kept - after).rowwise().norm().maxCoeff(), 0.01);
    EXPECT_EQ(with_volume_kept(before, before, ball.triangles), before);
}

TEST(RestSkin, TwoLimbsThatOverlapArePartedThereAlone) {
    const TriangleMesh ball = support::sphere(4, 0.1);
    const Eigen::Index n = ball.points.rows();
    const auto at_distance = [&](double distance) {
        return support::joined(ball, support::sphere(4, 0.1, Vec3(distance, 0, 0)));
    };
    const TriangleMesh overlapping = at_distance(0.194);  // by 6 mm
    const UncrossedSkin apart = uncrossed_skin(overlapping.points, overlapping.triangles);
    EXPECT_GT(apart.crossing_before, 0);
    EXPECT_EQ(apart.crossing_after, 0);
    EXPECT_TRUE(find_self_intersections({.points = apart.x, .triangles = overlapping.triangles})
                    .pairs.empty());
    const Eigen::VectorXd moved = (apart.x - overlapping.points).rowwise().norm();
    EXPECT_LT(moved.maxCoeff(), 0.02);
    for (Eigen::Index v = 0; v < n; ++v) {
        if (overlapping.points(v, 0) < 0.03) {
            EXPECT_EQ(moved[v], 0.0);
        }
    }
    const TriangleMesh beside = at_distance(0.21);
    EXPECT_EQ(uncrossed_skin(beside.points, beside.triangles).x, beside.points);
}

// A fine sphere that follows a coarse one into an ellipsoid, whose exact normals are known: from
// one vertex to the next, the error of normals jumps at the edges of coarse triangles.
TEST(RestSkin, FineSkinFollowsWithoutKinks) {
    const TriangleMesh coarse = support::sphere(3, 1.0);
    const TriangleMesh fine = support::sphere(5, 1.0);
    constexpr double kCoarseEdge = 0.15;
    const Eigen::Vector3d scale(1.3, 1.0, 0.9);
    const Points followed = apply(attach(fine.points, coarse), coarse.points * scale.asDiagonal());
    const Points exact = vertex_normals(Points(fine.points * scale.asDiagonal()), fine.triangles);
    const auto jumps = [&](const Points& x) {
        const Points error = vertex_normals(x, fine.triangles) - exact;
        double sum = 0.0;
        for (Eigen::Index t = 0; t < fine.triangles.rows(); ++t) {
            for (int k = 0; k < 3; ++k) {
                sum += (error.row(fine.triangles(t, k)) - error.row(fine.triangles(t, (k + 1) % 3)))
                           .squaredNorm();
            }
        }
        return std::sqrt(sum);
    };
    const Points u = without_kinks(fine, followed - fine.points, kCoarseEdge);
    EXPECT_LT(jumps(fine.points + u), 0.5 * jumps(followed));
    EXPECT_LT((fine.points + u - followed).rowwise().norm().maxCoeff(), 0.01);
    const Points still = Points::Zero(fine.points.rows(), 3);
    EXPECT_EQ(without_kinks(fine, still, kCoarseEdge), still);
}

}  // namespace
}  // namespace sinew
