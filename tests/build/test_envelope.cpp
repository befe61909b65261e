#include "sinew/build/anatomy_solid.h"
#include "sinew/build/body_skin.h"
#include "sinew/build/body_tets.h"
#include "sinew/build/column_shaping.h"
#include "sinew/build/envelope.h"
#include "sinew/build/limit_gradient.h"
#include "sinew/build/tissue_shares.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/geometry/tet_quality.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/prism_columns.h"
#include "sinew/meshing/tetrahedralise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {

namespace {

/// A ball of flesh around two balls of bone that overlap.
struct Dumbbell {
    TriangleMesh skin = support::sphere(4, 0.1);
    AnatomySolid solid{support::joined(support::sphere(4, 0.05, {-0.02, 0, 0}),
                                       support::sphere(4, 0.05, {0.02, 0, 0}))};
    TetMesh flesh = tetrahedralise({skin}, {.max_edge = 0.03});
    Envelope envelope = shrink_envelope(skin, flesh, solid, {.regularisation_length = 0.05});
};

const Dumbbell& dumbbell() {
    static const Dumbbell made;
    return made;
}

}  // namespace

TEST(Envelope, WhatTheSolverLeftIsReported) {
    const Dumbbell& d = dumbbell();
    EXPECT_LT(d.envelope.residual, 0.1);
    const Envelope hasty = shrink_envelope(d.skin, d.flesh, d.solid,
                                           {.regularisation_length = 0.05, .solver_steps = 1});
    EXPECT_GT(hasty.residual, d.envelope.residual);
}

TEST(AnatomySolid, OverlappingPartsAreOneSolid) {
    const AnatomySolid& solid = dumbbell().solid;
    EXPECT_LT(solid.signed_distance({0.0, 0.0, 0.0}), 0.0);     // in both
    EXPECT_LT(solid.signed_distance({0.05, 0.001, 0.0}), 0.0);  // in one
    EXPECT_NEAR(solid.signed_distance({0.1, 0.0, 0.0}), 0.03, 2e-4);
    EXPECT_NEAR(solid.signed_distance({0.0, 0.0, -0.1}), std::hypot(0.02, 0.1) - 0.05, 2e-4);
}

TEST(Envelope, Saito2015ShrunkenSkinMeetsWhatItEncloses) {
    const Dumbbell& d = dumbbell();
    int touching = 0;
    for (Eigen::Index i = 0; i < d.envelope.mesh.points.rows(); ++i) {
        const Vec3 x = point(d.envelope.mesh.points, i);
        const double gap = d.solid.signed_distance(x);
        EXPECT_GT(gap, 0.0002) << x.transpose();
        EXPECT_LT(x.norm(), 0.0995);
        touching += gap < 0.0015;
    }
    EXPECT_GT(touching, d.envelope.mesh.points.rows() * 2 / 3);
    EXPECT_TRUE(find_self_intersections(d.envelope.mesh).pairs.empty());
    EXPECT_TRUE(find_intersections(d.envelope.mesh, d.skin).pairs.empty());
    // Every sample of the parts is inside.
    const SignedDistance inside(d.envelope.mesh);
    EXPECT_LT(inside.at_all(d.solid.mesh().points).maxCoeff(), 0.0);
}

TEST(Envelope, WithoutIterationsTheLeastThicknessRemains) {
    const Dumbbell& d = dumbbell();
    const Envelope thin = shrink_envelope(d.skin, d.flesh, d.solid, {.iterations = 0});
    for (Eigen::Index i = 0; i < thin.mesh.points.rows(); ++i) {
        EXPECT_NEAR(point(thin.mesh.points, i).norm(), 0.1 - 0.0008, 1e-5);
    }
}

// Corners that touch a ball have triangles that cut into it; corners moved back until none does
// leave a gap. The truth is between the two.
TEST(Envelope, CutsIntoABallAreLeftAsFarAsAskedFor) {
    constexpr double kRadius = 0.08;
    const AnatomySolid ball(support::sphere(5, kRadius));
    const TriangleMesh skin = support::sphere(2, 0.1);
    const TetMesh flesh = tetrahedralise({skin}, {.max_edge = 0.06});
    const double exact = 4.0 / 3.0 * std::numbers::pi * std::pow(kRadius, 3);
    const auto volume_with = [&](double cut_share) {
        const Envelope e = shrink_envelope(skin, flesh, ball, {.cut_share = cut_share});
        return enclosed_volume(e.mesh) / exact;
    };
    const double outside = volume_with(0.0);
    const double inside = volume_with(1.0);
    EXPECT_GT(outside, 1.0);
    EXPECT_LT(inside, 1.0);
    // Radii are in between, so their cubes nearly are.
    EXPECT_NEAR(volume_with(0.5), 0.5 * (outside + inside), 2e-3);
}

TEST(FatColumns, FillTheSpaceBetweenSkinAndEnvelopeOnce) {
    const Dumbbell& d = dumbbell();
    Points both(2 * d.skin.points.rows(), 3);
    both << d.skin.points, d.envelope.mesh.points;
    const Tets columns = prism_columns(d.skin.triangles, d.skin.points.rows());
    EXPECT_GT(tet_volumes(both, columns).minCoeff(), 0.0);
    EXPECT_NEAR(volume(both, columns), enclosed_volume(d.skin) - enclosed_volume(d.envelope.mesh),
                1e-9);
    // Neighbours agree on the cuts: only skin and envelope are left as boundary.
    EXPECT_EQ(boundary_triangles(columns).rows(), 2 * d.skin.triangles.rows());
}

TEST(Envelope, IsDeeperUnderLongerEdges) {
    const TriangleMesh coarse = support::sphere(2, 0.1);
    const TetMesh flesh = tetrahedralise({coarse}, {.max_edge = 0.06});
    const Envelope thin = shrink_envelope(coarse, flesh, dumbbell().solid,
                                          {.iterations = 0, .thickness_over_edge = 0.1});
    const std::vector<double> edges = mean_edges(coarse);
    for (Eigen::Index i = 0; i < thin.mesh.points.rows(); ++i) {
        EXPECT_NEAR(point(thin.mesh.points, i).norm(),
                    0.1 - 0.1 * edges[static_cast<std::size_t>(i)], 1e-5);
    }
}

TEST(ColumnShaping, SliversGoAwayAndMusclesStayInside) {
    const TriangleMesh skin = support::sphere(3, 0.1);
    const AnatomySolid solid(support::sphere(3, 0.09));
    const Eigen::Index n = skin.points.rows();
    Points both(2 * n, 3);
    both << skin.points, 0.95 * skin.points;
    const Tets columns = prism_columns(skin.triangles, n);
    // Some vertices are pushed towards a neighbour as far as columns keep a volume.
    const Lists around = neighbours_of_vertices(skin.triangles, n);
    for (const Index v : {10, 100, 222, 400, 601}) {
        const Vec3 at = point(both, n + v);
        const Vec3 way = point(both, n + around[static_cast<std::size_t>(v)].front()) - at;
        double share = 1.0;
        do {
            share -= 0.02;
            both.row(n + v) = (at + share * way).normalized().transpose() * 0.095;
        } while (!(tet_volumes(both, columns).minCoeff() > 0.0));
    }
    ASSERT_LT(tet_dihedral_angles(both, columns).minCoeff(), 0.1);
    const Points shaped = shape_columns(skin, both.bottomRows(n), solid, {.min_dihedral = 0.2});
    both.bottomRows(n) = shaped;
    EXPECT_GT(tet_dihedral_angles(both, columns).minCoeff(), 0.19);
    EXPECT_LT((shaped - 0.95 * skin.points).rowwise().norm().maxCoeff(), 0.02);
    const TriangleMesh envelope{.points = shaped, .triangles = skin.triangles};
    EXPECT_TRUE(find_self_intersections(envelope).pairs.empty());
    EXPECT_TRUE(find_intersections(envelope, skin).pairs.empty());
    EXPECT_LT(SignedDistance(envelope).at_all(solid.mesh().points).maxCoeff(), 0.0);
}

TEST(BodyTets, ConformToSkinAndEnvelope) {
    const Dumbbell& d = dumbbell();
    const TetMesh body = fill_body(d.skin, d.envelope.mesh, {.vertices = 7000});
    EXPECT_NEAR(static_cast<double>(body.points.rows()), 7000.0, 1500.0);
    EXPECT_GT(tet_volumes(body).minCoeff(), 0.0);
    EXPECT_NEAR(volume(body), enclosed_volume(d.skin), 1e-9);
    EXPECT_EQ(boundary_triangles(body.tets).rows(), d.skin.triangles.rows());
    double flesh = 0.0;
    const Eigen::VectorXd volumes = tet_volumes(body);
    for (std::size_t t = 0; t < body.region.size(); ++t) {
        flesh += body.region[t] == kFleshRegion ? volumes[static_cast<Eigen::Index>(t)] : 0.0;
    }
    EXPECT_NEAR(flesh, enclosed_volume(d.envelope.mesh), 1e-9);
}

TEST(BodySkin, HasTheWantedNumberOfVerticesAndTheSameVolume) {
    const TriangleMesh ball = support::sphere(5, 0.1);
    const AnatomySolid solid(support::sphere(3, 0.05));
    const TriangleMesh skin = resampled_skin(ball, solid, {.vertices = 1200});
    const SurfaceHealth health = check_health(skin);
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
    EXPECT_EQ(health.measures.genus, 0);
    EXPECT_NEAR(static_cast<double>(skin.points.rows()), 1200.0, 150.0);
    EXPECT_NEAR(health.measures.volume, 4.0 / 3.0 * std::numbers::pi * 1e-3, 0.005 * 4.2e-3);
}

TEST(BodySkin, IsLiftedOffBonesThatStickOut) {
    const TriangleMesh ball = support::sphere(4, 0.1);
    const AnatomySolid solid(support::sphere(4, 0.02, {0.081, 0, 0}));  // 1 mm beyond the skin
    const TriangleMesh skin = resampled_skin(ball, solid, {.vertices = 1500});
    const SignedDistance distance(skin);
    EXPECT_LT(distance.at_all(solid.mesh().points).maxCoeff(), -0.0005);
}

TEST(BodySkin, EdgesAreShortWhereFleshIsThin) {
    // A disc: thin at the rim, thick in the middle.
    TriangleMesh lens = support::sphere(5, 0.1);
    lens.points.col(1) *= 0.15;
    const std::vector<double> edges = edge_lengths_for(lens, {.vertices = 2000});
    double rim = 1.0;
    double pole = 0.0;
    for (Eigen::Index i = 0; i < lens.points.rows(); ++i) {
        const double r = std::hypot(lens.points(i, 0), lens.points(i, 2));
        const double edge = edges[static_cast<std::size_t>(i)];
        rim = r > 0.099 ? std::min(rim, edge) : rim;
        pole = r < 0.02 ? std::max(pole, edge) : pole;
    }
    EXPECT_LT(rim, 0.6 * pole);
}

TEST(LimitGradient, IsTheLargestFunctionBelowWithThatSlope) {
    const TriangleMesh ball = support::sphere(2, 1.0);
    const Lists neighbours = neighbours_of_vertices(ball.triangles, ball.points.rows());
    std::vector<double> values(neighbours.size(), 5.0);
    values[7] = 1.0;
    values[40] = 2.5;
    const std::vector<double> given = values;
    limit_gradient(values, ball.points, neighbours, 0.5);
    for (std::size_t i = 0; i < values.size(); ++i) {
        // Either the value was kept, or a neighbour holds it down by exactly the slope.
        double bound = given[i];
        for (const Index n : neighbours[i]) {
            const double way =
                (ball.points.row(static_cast<Eigen::Index>(i)) - ball.points.row(n)).norm();
            bound = std::min(bound, values[static_cast<std::size_t>(n)] + 0.5 * way);
        }
        EXPECT_DOUBLE_EQ(values[i], bound);
    }
    EXPECT_EQ(values[7], 1.0);
}

}  // namespace sinew
