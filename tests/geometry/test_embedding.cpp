#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/embedding.h"
#include "sinew/geometry/sampling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

TEST(Embed, RestPositionsAndAffineMapsAreReproducedInsideAndOutside) {
    const TetMesh mesh = support::ball_of_tets(8, 0.5);
    // A sphere of vertices a little larger than the ball's polyhedron: some inside, some outside.
    const TriangleMesh skin = support::sphere(3, 0.505);
    const TetEmbedding embedding = embed(skin.points, mesh);
    EXPECT_GT(embedding.outside_count(), 100);
    EXPECT_LT(embedding.largest_outside(), 0.02);
    EXPECT_LT((apply(embedding, mesh.points) - skin.points).norm(), 1e-12);
    EXPECT_LT(
        (apply(embedding, support::affine(mesh.points)) - support::affine(skin.points)).norm(),
        1e-11);
    EXPECT_LE(embedding.weights.cwiseAbs().maxCoeff(), 3.0);
}

TEST(Embed, TheMatrixDoesTheSameAsApply) {
    const TetMesh mesh = support::cube_of_tets(3);
    const Points inside = sample_volume(mesh, 200, Seed{4}).points;
    const TetEmbedding embedding = embed(inside, mesh);
    EXPECT_EQ(embedding.outside_count(), 0);
    const Points deformed = support::affine(mesh.points);
    const Points by_matrix = embedding_matrix(embedding, mesh.points.rows()) * deformed;
    EXPECT_LT((by_matrix - apply(embedding, deformed)).norm(), 1e-13);
}

// Inside one tetrahedron the map is linear: moving one corner by u moves the point by w u.
TEST(Embed, WeightsAreTheShareOfEachCorner) {
    TetMesh mesh = support::one_tet();
    Points p(1, 3);
    p << 0.1, 0.2, 0.3;
    const TetEmbedding embedding = embed(p, mesh);
    EXPECT_LT((embedding.weights.row(0) - Eigen::RowVector4d(0.4, 0.1, 0.2, 0.3)).norm(), 1e-15);
    mesh.points.row(3) += Eigen::RowVector3d(0, 0, 10);
    EXPECT_LT((apply(embedding, mesh.points).row(0) - Eigen::RowVector3d(0.1, 0.2, 3.3)).norm(),
              1e-14);
}

// Over a flat tetrahedron extrapolation would need weights of millions; a neighbour is taken.
TEST(Embed, ThinTetsAreAvoidedOutside) {
    TetMesh mesh = support::cube_of_tets(2);
    const Eigen::Index v = mesh.points.rows();
    mesh.points.conservativeResize(v + 4, 3);
    mesh.points.bottomRows(4) << 0.1, 0.1, 1 + 1e-7, 0.9, 0.1, 1 + 1e-7, 0.1, 0.9, 1 + 1e-7, 0.5,
        0.5, 1 + 2e-7;
    mesh.tets.conservativeResize(mesh.tets.rows() + 1, 4);
    const auto b = static_cast<Index>(v);
    mesh.tets.bottomRows(1) << b, b + 1, b + 2, b + 3;
    Points p(1, 3);
    p << 0.3, 0.3, 1.01;
    const TetEmbedding embedding = embed(p, mesh);
    EXPECT_NE(embedding.tet[0], mesh.tets.rows() - 1);
    EXPECT_LT(embedding.weights.cwiseAbs().maxCoeff(), 3.0);
    EXPECT_NEAR(embedding.outside[0], 0.01, 1e-6);
    EXPECT_LT((apply(embedding, mesh.points) - p).norm(), 1e-14);
}

TEST(Embed, RefusesPointsFarOutsideEmptyMeshesAndNan) {
    const TetMesh mesh = support::cube_of_tets(2);
    Points p(2, 3);
    p << 0.5, 0.5, 0.5, 0.5, 0.5, 1.05;
    EXPECT_THROW(embed(p, mesh), InputError);
    EXPECT_NO_THROW(embed(p, mesh, {.max_outside = 0.1}));
    EXPECT_THROW(embed(p, TetMesh{}), InputError);
    EXPECT_EQ(embed(Points(0, 3), TetMesh{}).size(), 0);
    p(0, 0) = std::nan("");
    EXPECT_THROW(embed(p, mesh), InputError);
    try {
        p << 0.5, 0.5, 0.5, 0.5, 0.5, 1.05;
        embed(p, mesh);
    } catch (const InputError& error) {
        EXPECT_EQ(error.parts().where, "embedding, point 1");
    }
}

TEST(Embed, GivesTheSameBytesOnOneAndTwoThreads) {
    const TetMesh mesh = support::ball_of_tets(8, 0.5);
    const TriangleMesh skin = support::sphere(4, 0.505);
    const auto run = [&](int threads) {
        const ThreadLimit limit(threads);
        return apply(embed(skin.points, mesh), support::affine(mesh.points));
    };
    EXPECT_EQ(run(1), run(2));
}

TEST(Attach, RestPositionsAndRigidMotionsAreReproduced) {
    const TriangleMesh surface = support::torus(0.5, 0.2, 16, 32);
    Random random(Seed{5});
    Points p(300, 3);
    for (Eigen::Index i = 0; i < p.size(); ++i) {
        p.data()[i] = random.uniform(-1, 1);
    }
    const SurfaceAttachment attachment = attach(p, surface);
    EXPECT_LT((apply(attachment, surface.points) - p).norm(), 1e-13);
    for (const support::Rigid& g : support::rigid_motions(5, Seed{6})) {
        const Points moved = apply(attachment, support::moved(surface.points, g));
        EXPECT_LT((moved - support::moved(p, g)).norm(), 1e-13);
    }
}

// A point above a face keeps its height when the face stretches in its plane.
TEST(Attach, HeightsAboveAFaceAreKept) {
    const TriangleMesh square = support::open_square(2);
    Points p(1, 3);
    p << 0.3, 0.4, 0.25;
    const SurfaceAttachment attachment = attach(p, square);
    Points stretched = square.points;
    stretched.col(0) *= 2.0;
    EXPECT_LT((apply(attachment, stretched).row(0) - Eigen::RowVector3d(0.6, 0.4, 0.25)).norm(),
              1e-14);
}

TEST(Attach, PassesOverTrianglesWithoutAreaAndRefusesSurfacesWithoutAny) {
    TriangleMesh mesh = support::open_square(1);
    Triangles with_flat(3, 3);
    with_flat << 0, 0, 1, mesh.triangles;
    mesh.triangles = with_flat;
    Points p(1, 3);
    p << 0, -0.5, 0.5;
    EXPECT_LT((apply(attach(p, mesh), mesh.points) - p).norm(), 1e-15);
    mesh.triangles = with_flat.topRows(1).eval();
    EXPECT_THROW(attach(p, mesh), InputError);
    EXPECT_EQ(attach(Points(0, 3), mesh).size(), 0);
    // Collapsed later, the surface still gives finite positions.
    const TriangleMesh square = support::open_square(1);
    const SurfaceAttachment attachment = attach(p, square);
    EXPECT_TRUE(apply(attachment, Points::Zero(4, 3)).allFinite());
    Points line = square.points;
    line.col(1).setZero();
    EXPECT_TRUE(apply(attachment, line).allFinite());
}

}  // namespace
}  // namespace sinew
