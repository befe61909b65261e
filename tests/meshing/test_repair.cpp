#include "sinew/base/error.h"
#include "sinew/geometry/measure.h"
#include "sinew/meshing/near_points.h"
#include "sinew/meshing/repair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/shapes.h"

namespace sinew {

namespace {

std::int64_t done(const RepairReport& report, std::string_view what) {
    std::int64_t count = 0;
    for (const auto& action : report.actions) {
        count += action.what == what ? action.count : 0;
    }
    return count;
}

void expect_healthy(const RepairReport& report) {
    EXPECT_TRUE(is_healthy(report.health)) << summary(report.health.problems);
}

// All triangles of a sphere that reach above z = height are cut away.
TriangleMesh cut_sphere(int levels, double height) {
    TriangleMesh mesh = support::sphere(levels, 1.0);
    Eigen::Index row = 0;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        bool is_below = true;
        for (int k = 0; k < 3; ++k) {
            is_below = is_below && mesh.points(mesh.triangles(t, k), 2) < height;
        }
        if (is_below) {
            mesh.triangles.row(row++) = mesh.triangles.row(t).eval();
        }
    }
    mesh.triangles.conservativeResize(row, 3);
    return mesh;
}

}  // namespace

TEST(Repair, HealthyMeshIsNotTouched) {
    TriangleMesh mesh = support::torus(1.0, 0.3, 12, 24);
    mesh.triangle_data.push_back(
        {"label",
         1,
         std::vector<double>(static_cast<std::size_t>(mesh.triangles.rows()), 2.0),
         {}});
    const TriangleMesh before = mesh;
    const RepairReport report = repair(mesh);
    EXPECT_TRUE(report.actions.empty());
    EXPECT_TRUE(mesh.points == before.points && mesh.triangles == before.triangles);
    EXPECT_EQ(mesh.triangle_data.size(), 1u);
    expect_healthy(report);
}

TEST(Repair, MendingIsRepairWithoutALookAtTheResult) {
    TriangleMesh repaired = cut_sphere(3, 0.7);
    TriangleMesh mended = repaired;
    const RepairReport report = repair(repaired);
    const std::vector<RepairReport::Action> actions = mend(mended);
    EXPECT_EQ(mended.points, repaired.points);
    EXPECT_EQ(mended.triangles, repaired.triangles);
    ASSERT_EQ(actions.size(), report.actions.size());
    EXPECT_EQ(actions.at(0).what, report.actions.at(0).what);
}

TEST(Repair, SoupIsWelded) {
    TriangleMesh mesh = support::soup(support::sphere(3, 1.0));
    const RepairReport report = repair(mesh);
    expect_healthy(report);
    EXPECT_EQ(mesh.points.rows(), support::sphere(3, 1.0).points.rows());
    EXPECT_EQ(report.health.measures.genus, 0);
}

// A chain of points, each within reach of the one before: only what is near to one that stays is
// joined to it, and to the first of those.
TEST(Repair, PointsJoinTheFirstThatStays) {
    Points chain(5, 3);
    chain << 0, 0, 0, 0.6, 0, 0, 1.2, 0, 0, 1.2, 0.5, 0, -0.9, 0, 0;
    EXPECT_EQ(first_within(chain, 1.0), (std::vector<Index>{0, 0, 2, 2, 0}));
    EXPECT_EQ(first_within(chain, 0.0), (std::vector<Index>{0, 1, 2, 3, 4}));
}

TEST(Repair, ToleranceWeldsNearlyCoincidentVertices) {
    TriangleMesh mesh = support::soup(support::sphere(2, 1.0));
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        mesh.points(i, 0) += 1e-6 * static_cast<double>(i % 5);
    }
    const RepairReport report = repair(mesh, {.weld_tolerance = 1e-4});
    expect_healthy(report);
    EXPECT_EQ(mesh.points.rows(), support::sphere(2, 1.0).points.rows());
}

// Boxes that touch in a corner are closed already: seams are joined, the rest stays apart.
TEST(Repair, TouchingClosedPiecesStayApart) {
    TriangleMesh mesh =
        support::joined(support::box({0, 0, 0}, {1, 1, 1}), support::box({1, 1, 1}, {2, 2, 2}));
    EXPECT_TRUE(repair(mesh).actions.empty());
    EXPECT_EQ(mesh.points.rows(), 16);
}

TEST(Repair, OneTriangleHoleIsFilled) {
    TriangleMesh mesh = support::sphere(2, 1.0);
    const double volume = enclosed_volume(mesh);
    mesh.triangles = mesh.triangles.topRows(mesh.triangles.rows() - 1).eval();
    const RepairReport report = repair(mesh);
    EXPECT_EQ(done(report, "holes filled"), 1);
    expect_healthy(report);
    EXPECT_NEAR(report.health.measures.volume, volume, 1e-12);
}

// A ball without its cap gets a lid with triangles like those around it; the lid is nearly flat, so
// the volume is that of the ball below the cut.
TEST(Repair, LargeHoleGetsASmoothLid) {
    TriangleMesh mesh = cut_sphere(4, 0.5);
    const RepairReport report = repair(mesh);
    EXPECT_EQ(done(report, "holes filled"), 1);
    expect_healthy(report);
    EXPECT_EQ(report.health.measures.genus, 0);
    EXPECT_GT(mesh.points.rows(), cut_sphere(4, 0.5).points.rows() * 6 / 10);
    // V = pi (2/3 + h - h^3 / 3) for the part of the unit ball below z = h
    const double h = 0.46;  // the cut runs along triangles, a little below
    const double expected = std::acos(-1.0) * (2.0 / 3.0 + h - h * h * h / 3.0);
    EXPECT_NEAR(report.health.measures.volume, expected, 0.05 * expected);
    EXPECT_GT(report.health.measures.smallest_angle, 0.1);
}

// More than a hundred edges around: the loop is cut in parts first.
TEST(Repair, LongBorderIsFilled) {
    TriangleMesh mesh = cut_sphere(4, 0.0);
    const RepairReport report = repair(mesh);
    expect_healthy(report);
    EXPECT_EQ(report.health.measures.genus, 0);
}

TEST(Repair, TurnedTrianglesAreTurnedBackAndOutward) {
    TriangleMesh mesh = support::sphere(3, 1.0);
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        if (t % 7 == 0 || t % 5 == 0) {
            std::swap(mesh.triangles(t, 1), mesh.triangles(t, 2));
        }
    }
    const RepairReport mixed = repair(mesh);
    expect_healthy(mixed);
    EXPECT_GT(done(mixed, "triangles turned to agree with their neighbours"), 0);
    mesh.triangles.col(0).swap(mesh.triangles.col(1));
    const RepairReport turned = repair(mesh);
    EXPECT_EQ(done(turned, "pieces turned outward"), 1);
    expect_healthy(turned);
}

TEST(Repair, RepeatedAndDegenerateTrianglesGo) {
    TriangleMesh mesh = support::box({0, 0, 0}, {1, 1, 1});
    mesh.triangles.conservativeResize(15, 3);
    mesh.triangles.row(12) = mesh.triangles.row(0);
    mesh.triangles.row(13) << 0, 0, 1;
    mesh.triangles.row(14) << 5, 5, 5;
    const RepairReport report = repair(mesh);
    EXPECT_EQ(done(report, "repeated triangles dropped"), 3);
    expect_healthy(report);
    EXPECT_NEAR(report.health.measures.volume, 1.0, 1e-12);
}

// A vertex in the middle of an edge makes a triangle without area; flipping its long side helps.
TEST(Repair, CapWithoutAreaIsFlipped) {
    TriangleMesh mesh = support::box({0, 0, 0}, {1, 1, 1});
    mesh.points.conservativeResize(9, 3);
    mesh.points.row(8) << 0.5, 0, 0;  // on the edge 0 1
    mesh.triangles.conservativeResize(14, 3);
    mesh.triangles.row(1) << 0, 3, 8;  // 0 3 1 becomes 0 3 8 and 8 3 1, and a cap 0 8 1
    mesh.triangles.row(12) << 8, 3, 1;
    mesh.triangles.row(13) << 0, 8, 1;
    const RepairReport report = repair(mesh);
    EXPECT_EQ(done(report, "degenerate triangles removed"), 1);
    expect_healthy(report);
    EXPECT_NEAR(report.health.measures.volume, 1.0, 1e-12);
}

// Two boxes that share an edge: four triangles on it. Each box gets its own copy.
TEST(Repair, SheetsThatMeetInAnEdgeAreSeparated) {
    TriangleMesh mesh =
        support::joined(support::box({0, 0, 0}, {1, 1, 1}), support::box({1, 1, 0}, {2, 2, 1}));
    const RepairReport report = repair(mesh, {.weld = Weld::All});
    EXPECT_GT(done(report, "vertices doubled to separate sheets"), 0);
    expect_healthy(report);
    EXPECT_NEAR(report.health.measures.volume, 2.0, 1e-12);
    EXPECT_EQ(report.health.measures.components, 2);
}

// A triangle that stands on an edge of a closed surface, inside or outside of it and in either
// sense: it comes off and the surface is as before.
TEST(Repair, FinsComeOffTheSurfaceThatTheyStandOn) {
    for (const double height : {0.7, 1.3}) {
        for (const bool is_turned : {false, true}) {
            const TriangleMesh ball = support::sphere(3, 1.0);
            TriangleMesh mesh = ball;
            const Index a = ball.triangles(5, 0);
            const Index b = ball.triangles(5, 1);
            const auto tip = static_cast<Index>(ball.points.rows());
            mesh.points.conservativeResize(tip + 1, 3);
            mesh.points.row(tip) = height * ball.points.row(a);
            mesh.triangles.conservativeResize(ball.triangles.rows() + 1, 3);
            mesh.triangles.row(ball.triangles.rows()) << (is_turned ? b : a), (is_turned ? a : b),
                tip;
            const RepairReport report = repair(mesh);
            expect_healthy(report);
            EXPECT_EQ(mesh.triangles.rows(), ball.triangles.rows());
            EXPECT_EQ(report.health.measures.components, 1);
        }
    }
}

TEST(Repair, SpecksUnusedAndNotFiniteVerticesGo) {
    TriangleMesh mesh =
        support::joined(support::sphere(3, 1.0), support::sphere(1, 0.0005, Vec3(1.5, 0, 0)));
    const Eigen::Index n = mesh.points.rows();
    mesh.points.conservativeResize(n + 1, 3);
    mesh.points.row(n) << 5, 5, 5;
    mesh.points(7, 1) = std::numeric_limits<double>::quiet_NaN();
    const RepairReport report = repair(mesh);
    EXPECT_EQ(done(report, "specks dropped"), 1);
    EXPECT_EQ(done(report, "vertices that were not finite dropped"), 1);
    EXPECT_GT(done(report, "unused vertices dropped"), 0);
    expect_healthy(report);
    EXPECT_EQ(report.health.measures.components, 1);
}

TEST(Repair, IntersectionsAreRemovedByALevelSet) {
    TriangleMesh mesh = support::joined(support::sphere(3, 1.0, {-0.5, 0, 0}),
                                        support::sphere(3, 1.0, {0.5, 0, 0}));
    TriangleMesh kept = mesh;
    EXPECT_GT(repair(kept).health.measures.intersections, 0);
    const RepairReport report = repair(mesh, {.remove_intersections = true});
    expect_healthy(report);
    EXPECT_EQ(report.health.measures.components, 1);
    EXPECT_NEAR(report.health.measures.volume, 27.0 / 12.0 * std::acos(-1.0), 0.2);
}

// A vertex pulled past its neighbours folds the surface over: only that place moves.
TEST(Repair, FewIntersectionsAreSmoothedAwayInPlace) {
    TriangleMesh mesh = support::sphere(4, 1.0);
    const TriangleMesh ball = mesh;
    const Index v = mesh.triangles(700, 0);
    const Index w = mesh.triangles(700, 1);
    mesh.points.row(v) += 2.5 * (ball.points.row(w) - ball.points.row(v));
    ASSERT_FALSE(is_healthy(check_health(mesh)));
    const RepairReport report = repair(mesh, {.remove_intersections = true});
    expect_healthy(report);
    EXPECT_GT(done(report, "intersecting pairs of triangles smoothed away"), 0);
    ASSERT_EQ(mesh.points.rows(), ball.points.rows());
    Eigen::Index moved = 0;
    for (Eigen::Index i = 0; i < ball.points.rows(); ++i) {
        moved += mesh.points.row(i) != ball.points.row(i);
    }
    EXPECT_LT(moved, 60);
}

TEST(Repair, PointDataIsKept) {
    TriangleMesh mesh = support::soup(support::sphere(2, 1.0));
    Attribute height{"height", 1, {}, "m"};
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        height.values.push_back(mesh.points(i, 2));
    }
    mesh.point_data.push_back(height);
    mesh.triangles = mesh.triangles.topRows(mesh.triangles.rows() - 1).eval();
    repair(mesh);
    ASSERT_EQ(mesh.point_data.size(), 1u);
    ASSERT_EQ(mesh.point_data[0].count(), static_cast<std::size_t>(mesh.points.rows()));
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        EXPECT_NEAR(mesh.point_data[0].values[static_cast<std::size_t>(i)], mesh.points(i, 2), 0.1);
    }
}

TEST(Repair, NothingAndBadIndices) {
    TriangleMesh nothing;
    EXPECT_NO_THROW(repair(nothing));
    TriangleMesh bad = support::sphere(1, 1.0);
    bad.triangles(3, 1) = 4000;
    EXPECT_THROW(repair(bad), InputError);
    TriangleMesh mesh = support::sphere(1, 1.0);
    EXPECT_THROW(repair(mesh, {.speck_size = 2.0}), InputError);
}

}  // namespace sinew
