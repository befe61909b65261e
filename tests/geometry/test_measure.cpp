#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

using std::numbers::pi;

TEST(Bounds, HoldsAllPointsAndIsTight) {
    const TriangleMesh mesh = support::box({-1, 2, -3}, {4, 5, 6});
    const Bounds b = bounds(mesh.points);
    EXPECT_EQ(b.low, Vec3(-1, 2, -3));
    EXPECT_EQ(b.high, Vec3(4, 5, 6));
    EXPECT_EQ(b.centre(), Vec3(1.5, 3.5, 1.5));
    EXPECT_DOUBLE_EQ(b.diagonal(), std::sqrt(25.0 + 9.0 + 81.0));
    EXPECT_TRUE(b.contains({0, 3, 0}));
    EXPECT_FALSE(b.contains({0, 1.9, 0}));
}

TEST(Bounds, OfNothingAreEmptyAndNanShows) {
    EXPECT_TRUE(bounds(Points(0, 3)).is_empty());
    EXPECT_EQ(bounds(Points(0, 3)).diagonal(), 0.0);
    Points p = Points::Zero(3, 3);
    p(1, 1) = std::nan("");
    EXPECT_TRUE(std::isnan(bounds(p).low.y()));
    EXPECT_TRUE(bounds(p).is_empty());
}

TEST(TriangleAreas, HalfTheProductOfLegsInARightTriangle) {
    const TriangleMesh mesh = support::one_triangle({0, 0, 0}, {3, 0, 0}, {0, 4, 0});
    EXPECT_DOUBLE_EQ(triangle_areas(mesh)[0], 6.0);
    EXPECT_DOUBLE_EQ(surface_area(mesh), 6.0);
    EXPECT_EQ(triangle_normals(mesh).row(0), Eigen::RowVector3d(0, 0, 1));
}

TEST(TriangleNormals, AreUnitEvenForTinyTrianglesAndZeroWithoutArea) {
    const TriangleMesh tiny = support::one_triangle({0, 0, 0}, {1e-90, 0, 0}, {0, 1e-90, 0});
    EXPECT_NEAR(triangle_normals(tiny)(0, 2), 1.0, 1e-12);
    const TriangleMesh flat = support::one_triangle({0, 0, 0}, {1, 0, 0}, {2, 0, 0});
    EXPECT_EQ(triangle_normals(flat).norm(), 0.0);
    EXPECT_EQ(vertex_normals(flat).norm(), 0.0);
    EXPECT_EQ(surface_area(flat), 0.0);
}

// Each corner of the cube sees three faces under 90 degrees in all, however they are cut in two.
TEST(VertexNormals, Thurmer1998CubeCornersPointAlongTheDiagonals) {
    const TriangleMesh mesh = support::box(Vec3::Constant(-1), Vec3::Constant(1));
    const Points n = vertex_normals(mesh);
    for (Eigen::Index i = 0; i < 8; ++i) {
        EXPECT_LT((n.row(i) - mesh.points.row(i).normalized()).norm(), 1e-15);
    }
}

TEST(VertexNormals, OfASphereAreRadialAndOutward) {
    const TriangleMesh mesh = support::sphere(4, 0.3, {1, 2, 3});
    const Points n = vertex_normals(mesh);
    for (Eigen::Index i = 0; i < n.rows(); ++i) {
        const Vec3 radial = (point(mesh.points, i) - Vec3(1, 2, 3)) / 0.3;
        EXPECT_LT((n.row(i).transpose() - radial).norm(), 5e-3);
    }
}

TEST(VertexNormals, AreZeroAtPointsWithoutTriangles) {
    TriangleMesh mesh = support::one_triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
    mesh.points.conservativeResize(4, 3);
    mesh.points.row(3) << 5, 5, 5;
    EXPECT_EQ(vertex_normals(mesh).row(3).norm(), 0.0);
    EXPECT_EQ(vertex_normals(mesh).row(0), Eigen::RowVector3d(0, 0, 1));
}

// The error of an inscribed polyhedron falls with the square of the edge length.
TEST(SurfaceArea, OfSpheresConvergesQuadratically) {
    double before = 0.0;
    for (int level = 2; level <= 5; ++level) {
        const TriangleMesh mesh = support::sphere(level, 0.5);
        const double area_error = pi - surface_area(mesh);
        const double volume_error = pi / 6.0 - enclosed_volume(mesh);
        EXPECT_GT(area_error, 0.0);
        EXPECT_GT(volume_error, 0.0);
        if (level > 2) {
            EXPECT_NEAR(before / area_error, 4.0, 0.1);
        }
        before = area_error;
    }
    EXPECT_LT(before, 3e-3);
}

TEST(EnclosedVolume, OfABoxIsTheProductOfItsSidesAlsoFarAway) {
    EXPECT_NEAR(enclosed_volume(support::box({0, 0, 0}, {2, 3, 4})), 24.0, 1e-12);
    const Vec3 far(1e6, -2e6, 3e6);
    EXPECT_NEAR(enclosed_volume(support::box(far, far + Vec3(2, 3, 4))), 24.0, 1e-12);
}

TEST(EnclosedVolume, TurnsItsSignWithTheTriangles) {
    TriangleMesh mesh = support::torus(1.0, 0.25, 64, 128);
    const double v = enclosed_volume(mesh);
    EXPECT_NEAR(v, 2.0 * pi * pi * 1.0 * 0.25 * 0.25, 3e-3);
    mesh.triangles.col(1).swap(mesh.triangles.col(2));
    EXPECT_DOUBLE_EQ(enclosed_volume(mesh), -v);
}

TEST(EnclosedVolume, DoesNotChangeUnderRigidMotions) {
    const TriangleMesh mesh = support::cylinder(0.2, 1.5, 24, 6);
    const double v = enclosed_volume(mesh);
    EXPECT_NEAR(v, 0.5 * 24 * std::sin(2 * pi / 24) * 0.2 * 0.2 * 1.5, 1e-14);
    for (const support::Rigid& g : support::rigid_motions(8, Seed{3})) {
        EXPECT_NEAR(enclosed_volume(support::moved(mesh.points, g), mesh.triangles), v, 1e-14);
    }
}

TEST(IsWatertight, HoldsForClosedMeshesOnly) {
    EXPECT_TRUE(is_watertight(support::sphere(2, 1.0)));
    EXPECT_TRUE(is_watertight(support::box({0, 0, 0}, {1, 1, 1})));
    EXPECT_TRUE(is_watertight(support::torus(1, 0.3, 8, 9)));
    EXPECT_TRUE(is_watertight(boundary_triangles(support::cube_of_tets(3).tets)));
    EXPECT_FALSE(is_watertight(support::open_square(3)));
    EXPECT_FALSE(is_watertight(Triangles(0, 3)));
}

TEST(IsWatertight, FailsForAHoleATurnedADoubledAndADegenerateTriangle) {
    const TriangleMesh whole = support::sphere(1, 1.0);
    const Eigen::Index n = whole.triangles.rows();
    const Triangles hole = whole.triangles.topRows(n - 1);
    EXPECT_FALSE(is_watertight(hole));
    Triangles turned = whole.triangles;
    std::swap(turned(4, 0), turned(4, 1));
    EXPECT_FALSE(is_watertight(turned));
    Triangles doubled(n + 1, 3);
    doubled << whole.triangles, whole.triangles.row(0);
    EXPECT_FALSE(is_watertight(doubled));
    Triangles two_sheets(2 * n, 3);
    two_sheets << whole.triangles, whole.triangles;
    EXPECT_FALSE(is_watertight(two_sheets));
    Triangles degenerate(n + 1, 3);
    degenerate << whole.triangles, Eigen::RowVector3i(0, 0, 1).cast<Index>();
    EXPECT_FALSE(is_watertight(degenerate));
}

TEST(TetVolumes, AreOneSixthOfTheDeterminantWithItsSign) {
    TetMesh mesh = support::one_tet();
    EXPECT_DOUBLE_EQ(tet_volumes(mesh)[0], 1.0 / 6.0);
    std::swap(mesh.tets(0, 0), mesh.tets(0, 1));
    EXPECT_DOUBLE_EQ(tet_volumes(mesh)[0], -1.0 / 6.0);
    mesh.points.row(3) << 0.3, 0.3, 0.0;
    EXPECT_EQ(tet_volumes(mesh)[0], 0.0);
}

TEST(TetVolumes, SumToTheVolumeThatTheBoundaryEncloses) {
    for (const TetMesh& mesh : {support::cube_of_tets(4), support::ball_of_tets(10, 0.7),
                                support::box_of_tets({9, 1, 2}, {3.0, 1e-3, 0.5})}) {
        const double v = volume(mesh);
        EXPECT_GT(tet_volumes(mesh).minCoeff(), 0.0);
        EXPECT_NEAR(enclosed_volume(mesh.points, boundary_triangles(mesh.tets)), v, 1e-13 * v);
    }
}

// Box a x b x c: I_xx = m (b^2 + c^2) / 12.
TEST(MassProperties, OfABoxMatchTheTextbook) {
    const Vec3 low(10, 20, 30);
    const MassProperties p = mass_properties(support::box(low, low + Vec3(1, 2, 3)));
    EXPECT_NEAR(p.volume, 6.0, 1e-12);
    EXPECT_LT((p.centroid - Vec3(10.5, 21, 31.5)).norm(), 1e-12);
    const Vec3 expected = 6.0 / 12.0 * Vec3(4 + 9, 1 + 9, 1 + 4);
    EXPECT_LT((p.inertia - Mat3(expected.asDiagonal())).norm(), 1e-12);
}

// A solid cylinder along y: I_yy = m r^2 / 2, I_xx = m (3 r^2 + h^2) / 12.
TEST(MassProperties, OfACylinderMatchTheTextbook) {
    const double r = 0.4, h = 1.2;
    const MassProperties p = mass_properties(support::cylinder(r, h, 2000, 1));
    const double m = pi * r * r * h;
    EXPECT_NEAR(p.volume, m, 1e-5 * m);
    EXPECT_LT((p.centroid - Vec3(0, h / 2, 0)).norm(), 1e-12);
    EXPECT_NEAR(p.inertia(1, 1), m * r * r / 2, 1e-5 * m);
    EXPECT_NEAR(p.inertia(0, 0), m * (3 * r * r + h * h) / 12, 1e-5 * m);
    EXPECT_NEAR(p.inertia(0, 1), 0.0, 1e-12);
}

TEST(MassProperties, OfTetsAndOfTheirBoundaryAgreeAndTurnWithTheBody) {
    const TetMesh mesh = support::box_of_tets({4, 3, 2}, {1.0, 0.5, 0.2});
    const MassProperties a = mass_properties(mesh);
    for (const support::Rigid& g : support::rigid_motions(5, Seed{9})) {
        const Points x = support::moved(mesh.points, g);
        const MassProperties b = mass_properties(x, boundary_triangles(mesh.tets));
        EXPECT_NEAR(a.volume, b.volume, 1e-14);
        EXPECT_LT((g * a.centroid - b.centroid).norm(), 1e-13);
        EXPECT_LT((g.linear() * a.inertia * g.linear().transpose() - b.inertia).norm(), 1e-14);
    }
}

TEST(MassProperties, OfNothingAreZero) {
    const MassProperties p = mass_properties(TriangleMesh{});
    EXPECT_EQ(p.volume, 0.0);
    EXPECT_EQ(p.centroid, Vec3::Zero());
    EXPECT_EQ(surface_area(TriangleMesh{}), 0.0);
    EXPECT_EQ(enclosed_volume(TriangleMesh{}), 0.0);
    EXPECT_EQ(volume(TetMesh{}), 0.0);
    EXPECT_EQ(vertex_normals(TriangleMesh{}).rows(), 0);
}

TEST(Measure, GivesTheSameBytesOnOneAndTwoThreads) {
    const TriangleMesh mesh = support::sphere(5, 0.37, {0.1, 0.2, 0.3});
    const auto measure = [&](int threads) {
        const ThreadLimit limit(threads);
        const MassProperties p = mass_properties(mesh);
        const Points n = vertex_normals(mesh);
        std::vector<double> all(n.data(), n.data() + n.size());
        all.insert(all.end(), p.inertia.data(), p.inertia.data() + 9);
        all.insert(all.end(),
                   {p.volume, p.centroid.x(), surface_area(mesh), enclosed_volume(mesh)});
        return all;
    };
    const std::vector<double> one = measure(1), two = measure(2);
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(double)), 0);
}

}  // namespace
}  // namespace sinew
