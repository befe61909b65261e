#include "sinew/meshing/health.h"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {

namespace {

const Problem* find(const std::vector<Problem>& list, std::string_view what) {
    for (const Problem& p : list) {
        if (p.what == what) {
            return &p;
        }
    }
    return nullptr;
}

std::int64_t count(const SurfaceHealth& health, std::string_view what) {
    const Problem* const p = find(health.problems, what);
    return p ? p->count : 0;
}

std::int64_t count(const TetHealth& health, std::string_view what) {
    const Problem* const p = find(health.problems, what);
    return p ? p->count : 0;
}

void turn(TriangleMesh& mesh) {
    mesh.triangles.col(1).swap(mesh.triangles.col(2));
}

}  // namespace

TEST(SurfaceHealth, SphereIsHealthyWithGenusZero) {
    const SurfaceHealth health = check_health(support::sphere(3, 0.5));
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
    EXPECT_EQ(health.measures.genus, 0);
    EXPECT_EQ(health.measures.euler, 2);
    EXPECT_EQ(health.measures.components, 1);
    EXPECT_TRUE(health.measures.is_closed);
    EXPECT_TRUE(health.measures.is_manifold);
    EXPECT_NEAR(health.measures.volume, 4.0 / 3.0 * std::numbers::pi * 0.125, 0.01);
    EXPECT_EQ(summary(health.problems), "healthy");
}

TEST(SurfaceHealth, TorusHasOneHandle) {
    const SurfaceHealth health = check_health(support::torus(1.0, 0.3, 12, 24));
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
    EXPECT_EQ(health.measures.genus, 1);
}

TEST(SurfaceHealth, AnglesOfABoxAreKnown) {
    const SurfaceHealth health = check_health(support::box({0, 0, 0}, {1, 1, 1}));
    EXPECT_NEAR(health.measures.smallest_angle, std::numbers::pi / 4, 1e-12);
    EXPECT_NEAR(health.measures.largest_angle, std::numbers::pi / 2, 1e-12);
    EXPECT_NEAR(health.measures.area, 6.0, 1e-12);
    EXPECT_NEAR(health.measures.volume, 1.0, 1e-12);
}

TEST(SurfaceHealth, OpenSquareHasOneBorder) {
    const SurfaceHealth health = check_health(support::open_square(4));
    EXPECT_EQ(count(health, "open borders"), 1);
    EXPECT_EQ(health.measures.border_edges, 16);
    EXPECT_EQ(health.measures.genus, -1);
    EXPECT_FALSE(health.measures.is_closed);
    EXPECT_EQ(health.problems.size(), 1u) << summary(health.problems);
}

// The border of a fin on a closed surface ends where the fin is joined.
TEST(SurfaceHealth, BorderThatClosesNoLoopIsNamedByPlace) {
    TriangleMesh mesh = support::box({0, 0, 0}, {1, 1, 1});
    const auto tip = static_cast<Index>(mesh.points.rows());
    mesh.points.conservativeResize(tip + 1, 3);
    mesh.points.row(tip) << 3, 3, 3;
    const Eigen::Index n = mesh.triangles.rows();
    mesh.triangles.conservativeResize(n + 1, 3);
    mesh.triangles.row(n) << mesh.triangles(0, 0), mesh.triangles(0, 1), tip;
    std::string where;
    for (const Problem& problem : check_health(mesh).problems) {
        where += problem.what == "open borders" ? problem.where : "";
    }
    EXPECT_NE(where.find("2 border edges, no loop closes; first at ("), std::string::npos) << where;
}

TEST(SurfaceHealth, TwoHolesAreCounted) {
    TriangleMesh mesh = support::sphere(2, 1.0);
    mesh.triangles = mesh.triangles.middleRows(1, mesh.triangles.rows() - 2).eval();
    const SurfaceHealth health = check_health(mesh);
    EXPECT_EQ(count(health, "open borders"), 2);
    EXPECT_EQ(health.measures.border_edges, 6);
}

TEST(SurfaceHealth, OneTurnedTriangleIsFound) {
    TriangleMesh mesh = support::sphere(2, 1.0);
    std::swap(mesh.triangles(7, 0), mesh.triangles(7, 1));
    const SurfaceHealth health = check_health(mesh);
    EXPECT_EQ(count(health, "edges with inconsistent orientation"), 3);
    EXPECT_FALSE(health.measures.is_closed);
}

TEST(SurfaceHealth, InsideOutSphereIsFound) {
    TriangleMesh mesh = support::sphere(2, 1.0);
    turn(mesh);
    const SurfaceHealth health = check_health(mesh);
    EXPECT_EQ(count(health, "pieces turned inside out"), 1);
    EXPECT_EQ(health.problems.size(), 1u);
}

// A hollow ball: the inner sphere looks inward and is right so; the same beside the ball is wrong.
TEST(SurfaceHealth, CavityIsNotInsideOut) {
    TriangleMesh inner = support::sphere(2, 0.5);
    turn(inner);
    const SurfaceHealth hollow = check_health(support::joined(support::sphere(2, 1.0), inner));
    EXPECT_TRUE(is_healthy(hollow)) << summary(hollow.problems);
    EXPECT_EQ(find(hollow.notes, "components")->count, 2);
    inner.points.col(0).array() += 3.0;
    const SurfaceHealth beside = check_health(support::joined(support::sphere(2, 1.0), inner));
    EXPECT_EQ(count(beside, "pieces turned inside out"), 1);
}

TEST(SurfaceHealth, SoupIsReportedAsUnwelded) {
    const TriangleMesh mesh = support::soup(support::sphere(2, 1.0));
    const SurfaceHealth health = check_health(mesh);
    EXPECT_EQ(count(health, "unwelded seams"), 480);
    EXPECT_EQ(count(health, "open borders"), 0);
    EXPECT_EQ(count(health, "self-intersections"), 0);
    EXPECT_NE(find(health.problems, "unwelded seams")->remedy.find("weld"), std::string::npos);
}

TEST(SurfaceHealth, CoincidentVerticesOfAClosedSurfaceAreOnlyNoted) {
    const SurfaceHealth health = check_health(
        support::joined(support::box({0, 0, 0}, {1, 1, 1}), support::box({1, 1, 1}, {2, 2, 2})));
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
    EXPECT_EQ(find(health.notes, "coincident vertices")->count, 1);
}

TEST(SurfaceHealth, BoxesWithACommonVertexArePinched) {
    TriangleMesh mesh =
        support::joined(support::box({0, 0, 0}, {1, 1, 1}), support::box({1, 1, 1}, {2, 2, 2}));
    mesh.triangles = mesh.triangles.unaryExpr([](Index v) { return v == 8 ? 7 : v; });
    const SurfaceHealth health = check_health(mesh);
    EXPECT_EQ(count(health, "non-manifold vertices"), 1);
    EXPECT_EQ(count(health, "unused vertices"), 1);
    EXPECT_FALSE(health.measures.is_manifold);
}

TEST(SurfaceHealth, ThreeSheetsOnAnEdgeAreNonManifold) {
    TriangleMesh mesh;
    mesh.points.resize(5, 3);
    mesh.points << 0, 0, 0, 0, 0, 1, 1, 0, 0, -1, 1, 0, -1, -1, 0;
    mesh.triangles.resize(3, 3);
    mesh.triangles << 0, 1, 2, 0, 1, 3, 0, 1, 4;
    EXPECT_EQ(count(check_health(mesh), "non-manifold edges"), 1);
}

TEST(SurfaceHealth, DegenerateAndDuplicateTrianglesAreCounted) {
    TriangleMesh mesh = support::box({0, 0, 0}, {1, 1, 1});
    mesh.triangles.conservativeResize(15, 3);
    mesh.triangles.row(12) << 0, 3, 2;  // the first one, turned
    mesh.triangles.row(13) << 0, 0, 1;
    mesh.triangles.row(14) << 5, 5, 5;
    const SurfaceHealth health = check_health(mesh);
    EXPECT_EQ(count(health, "duplicate triangles"), 1);
    EXPECT_EQ(count(health, "degenerate triangles"), 2);
    EXPECT_EQ(health.measures.smallest_angle, 0.0);
}

TEST(SurfaceHealth, IntersectionsAreCountedWithTrianglesAndPlace) {
    const SurfaceHealth health = check_health(support::joined(
        support::box({0, 0, 0}, {1, 1, 1}), support::box({0.6, -0.97, 0.1}, {0.8, 2.03, 0.3})));
    const Problem* const p = find(health.problems, "self-intersections");
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(p->count, 16);
    EXPECT_NE(p->where.find("triangles "), std::string::npos);
    EXPECT_NE(p->where.find("first at ("), std::string::npos);
    EXPECT_EQ(health.problems.size(), 1u);
}

TEST(SurfaceHealth, NanAndBadIndicesAreProblemsNotCrashes) {
    TriangleMesh mesh = support::sphere(2, 1.0);
    mesh.points(4, 2) = std::numeric_limits<double>::quiet_NaN();
    mesh.points(9, 0) = std::numeric_limits<double>::infinity();
    mesh.triangles(3, 1) = 100000;
    mesh.triangles(8, 2) = -4;
    const SurfaceHealth health = check_health(mesh);
    EXPECT_EQ(count(health, "non-finite vertices"), 2);
    EXPECT_EQ(count(health, "vertex indices out of range"), 2);
    EXPECT_FALSE(is_healthy(check_health(TriangleMesh{})));
}

TEST(SurfaceHealth, SkinSizedSphereIsCheckedInSeconds) {
    const SurfaceHealth health = check_health(support::sphere(6, 1.0));  // 81920 triangles
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
}

TEST(TetHealth, CubeIsHealthy) {
    const TetHealth health = check_health(support::cube_of_tets(3));
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
    EXPECT_NEAR(health.measures.volume, 1.0, 1e-12);
    EXPECT_EQ(health.measures.boundary_triangles, 108);
    EXPECT_EQ(health.measures.components, 1);
    // Kuhn's tetrahedron has dihedral angles of 45, 60 and 90 degrees.
    EXPECT_NEAR(health.measures.smallest_dihedral, std::numbers::pi / 4, 1e-9);
    EXPECT_NEAR(health.measures.largest_dihedral, std::numbers::pi / 2, 1e-9);
}

TEST(TetHealth, InvertedFlatAndSliverTetsAreTold) {
    TetMesh mesh;
    mesh.points.resize(12, 3);
    mesh.points << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1,  // inverted
        5, 0, 0, 6, 0, 0, 5, 1, 0, 6, 1, 0,              // flat
        9, 0, 0, 10, 0, 1e-3, 10, 1, 0, 9, 1, 1e-3;      // sliver: nearly a flat square
    mesh.tets.resize(3, 4);
    mesh.tets << 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11;
    const TetHealth health = check_health(mesh);
    EXPECT_EQ(count(health, "inverted tetrahedra"), 1);
    EXPECT_EQ(count(health, "flat tetrahedra"), 1);
    EXPECT_EQ(count(health, "slivers"), 1);
    EXPECT_EQ(health.measures.components, 3);
}

TEST(TetHealth, TetsJoinedAtAnEdgeOrAPointHaveANonManifoldBoundary) {
    TetMesh mesh;
    mesh.points.resize(7, 3);
    mesh.points << 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, -1, 0, 0, -1, -1, 0, 9, 9, 9;
    mesh.tets.resize(2, 4);
    mesh.tets << 0, 2, 3, 1, 0, 4, 5, 1;
    TetHealth health = check_health(mesh);
    EXPECT_EQ(count(health, "non-manifold boundary edges"), 1);
    EXPECT_EQ(count(health, "unused vertices"), 1);
    mesh.tets(1, 3) = 6;
    mesh.points.row(6) << 0, 0, 2;
    health = check_health(mesh);
    EXPECT_EQ(count(health, "non-manifold boundary vertices"), 1);
}

TEST(TetHealth, RepeatedTetsNanAndBadIndicesAreFound) {
    TetMesh mesh = support::cube_of_tets(2);
    const Eigen::Index n = mesh.tets.rows();
    mesh.tets.conservativeResize(n + 2, 4);
    mesh.tets.row(n) = mesh.tets.row(0);
    mesh.tets.row(n + 1) << 0, 1, 2, 999;
    TetHealth health = check_health(mesh);
    EXPECT_GT(count(health, "faces with more than two tetrahedra"), 0);
    EXPECT_EQ(count(health, "vertex indices out of range"), 1);
    mesh.points(0, 0) = std::numeric_limits<double>::quiet_NaN();
    health = check_health(mesh);
    EXPECT_EQ(count(health, "non-finite vertices"), 1);
    EXPECT_FALSE(is_healthy(check_health(TetMesh{})));
}

}  // namespace sinew
