#include "sinew/geometry/measure.h"
#include "sinew/geometry/scan_lines.h"

#include <gtest/gtest.h>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

double length_inside(const TriangleMesh& mesh, const LineLattice& lattice) {
    double sum = 0.0;
    for (const LineStretch& s : stretches_inside(mesh.points, mesh.triangles, lattice)) {
        EXPECT_LT(s.low, s.high);
        sum += s.high - s.low;
    }
    return sum;
}

// Lines through corners and along edges of the box are each in one place of it only.
TEST(ScanLines, CutABoxExactlyAlsoThroughItsCorners) {
    const TriangleMesh box = support::box(Vec3(0, 0, 0), Vec3(1, 1, 1));
    // Lines at 0, 0.25 ... 1: those on two of the four sides count.
    const LineLattice lattice(Vec2(-0.125, -0.125), 0.25, {5, 5});
    EXPECT_DOUBLE_EQ(length_inside(box, lattice), 16.0);
}

TEST(ScanLines, GiveTheVolumeOfASphereWithAndWithoutJitter) {
    const TriangleMesh ball = support::sphere(4, 1.0);
    for (const bool jitter : {false, true}) {
        const double step = 0.03;
        const LineLattice lattice(Vec2(-1.1, -1.1), step, {74, 74},
                                  jitter ? std::optional<Seed>(Seed{4}) : std::nullopt);
        const double volume = length_inside(ball, lattice) * step * step;
        EXPECT_NEAR(volume, enclosed_volume(ball), 2e-3 * volume);
    }
}

TEST(ScanLines, CountOverlapsOnceAndLeaveVoidsOut) {
    TriangleMesh two = support::box(Vec3(0, 0, 0), Vec3(1, 1, 2));
    const auto append = [&](const TriangleMesh& other) {
        const Eigen::Index points = two.points.rows(), triangles = two.triangles.rows();
        two.points.conservativeResize(points + other.points.rows(), 3);
        two.points.bottomRows(other.points.rows()) = other.points;
        two.triangles.conservativeResize(triangles + other.triangles.rows(), 3);
        two.triangles.bottomRows(other.triangles.rows()) =
            other.triangles.array() + static_cast<Index>(points);
    };
    append(support::box(Vec3(0, 0, 1), Vec3(1, 1, 3)));  // together 0 to 3
    TriangleMesh hole = support::box(Vec3(0.2, 0.2, 0.3), Vec3(0.8, 0.8, 0.5));
    hole.triangles.col(1).swap(hole.triangles.col(2));
    append(hole);
    const LineLattice one(Vec2(0.25, 0.25), 0.5, {1, 1});
    const auto stretches = stretches_inside(two.points, two.triangles, one);
    ASSERT_EQ(stretches.size(), 2u);
    EXPECT_DOUBLE_EQ(stretches[0].low, 0.0);
    EXPECT_DOUBLE_EQ(stretches[0].high, 0.3);
    EXPECT_DOUBLE_EQ(stretches[1].low, 0.5);
    EXPECT_DOUBLE_EQ(stretches[1].high, 3.0);
}

}  // namespace
}  // namespace sinew
