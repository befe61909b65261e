#include "sinew/base/random.h"
#include "sinew/build/figure_mesh.h"
#include "sinew/build/figure_shape.h"
#include "sinew/build/figure_sheet.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace sinew {
namespace {

FigureStroke straight_stroke(const Vec3& from, const Vec3& to, double a, double b, int stations) {
    FigureStroke stroke;
    const Vec3 n = (to - from).unitOrthogonal();
    for (int i = 0; i < stations; ++i) {
        const double s = static_cast<double>(i) / (stations - 1);
        stroke.stations.push_back(
            {.position = from + s * (to - from), .a = a, .b = b, .normal = n, .skin = 0.004});
    }
    return stroke;
}

double capsule(const Vec3& x, const Vec3& a, const Vec3& b, double r) {
    const double s = std::clamp((x - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
    return (x - a - s * (b - a)).norm() - r;
}

Vec3 random_place(Random& random, double size) {
    return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// With equal half-widths k1 (k1 - 1) / k2 = |x - c| - r: the distance is exact everywhere.
TEST(StrokeDistance, OfAStraightStrokeOfEqualRadiiIsACapsule) {
    const Vec3 a(-0.03, 0.01, 0.0), b(0.05, 0.02, 0.03);
    const FigureShape shape(straight_stroke(a, b, 0.012, 0.012, 4));
    Random random(Seed{1});
    for (int i = 0; i < 500; ++i) {
        const Vec3 x = random_place(random, 0.1);
        EXPECT_NEAR(shape.distance(x, FigureLayer::Part), std::max(capsule(x, a, b, 0.012), -0.012),
                    1e-9);
    }
}

TEST(StrokeDistance, WithSkinIsTheCapsuleGrownByTheSkin) {
    const Vec3 a(0.0, 0.0, 0.0), b(0.0, 0.1, 0.0);
    const FigureShape shape(straight_stroke(a, b, 0.012, 0.012, 3));
    Random random(Seed{2});
    for (int i = 0; i < 200; ++i) {
        const Vec3 x = random_place(random, 0.1);
        EXPECT_NEAR(shape.distance(x, FigureLayer::Skin), std::max(capsule(x, a, b, 0.016), -0.016),
                    1e-9);
    }
}

// On the surface of the section u^2/a^2 + v^2/b^2 = 1 it is 0, and a little beside it grows like
// the distance.
TEST(StrokeDistance, OfAnOvalSectionIsExactToFirstOrderAtTheSurface) {
    const double a = 0.03, b = 0.01;
    FigureStroke stroke = straight_stroke({0, -0.2, 0}, {0, 0.2, 0}, a, b, 3);
    for (FigureStation& s : stroke.stations) {
        s.normal = Vec3::UnitX();
    }
    const FigureShape shape(stroke);
    for (int k = 0; k < 64; ++k) {
        const double t = 2.0 * std::numbers::pi * k / 64;
        const Vec3 x(a * std::cos(t), 0.03, b * std::sin(t));
        EXPECT_NEAR(shape.distance(x, FigureLayer::Part), 0.0, 1e-9);
        const Vec3 n = Vec3(x.x() / (a * a), 0.0, x.z() / (b * b)).normalized();
        EXPECT_NEAR(shape.distance(x + 1e-5 * n, FigureLayer::Part), 1e-5, 1e-7);
        EXPECT_NEAR(shape.distance(x - 1e-5 * n, FigureLayer::Part), -1e-5, 1e-7);
    }
}

TEST(StrokeDistance, OfASquareSectionReachesFurtherIntoTheCorner) {
    FigureStroke stroke = straight_stroke({0, -0.2, 0}, {0, 0.2, 0}, 0.02, 0.02, 3);
    const Vec3 corner(0.0165, 0.0, 0.0165);
    for (FigureStation& s : stroke.stations) {
        s.normal = Vec3::UnitX();
    }
    EXPECT_GT(FigureShape(stroke).distance(corner, FigureLayer::Part), 0.0);
    stroke.exponent = 4.0;
    EXPECT_LT(FigureShape(stroke).distance(corner, FigureLayer::Part), 0.0);
}

// A flat sheet of constant half-thickness h is the set within h of a rectangle.
TEST(SheetDistance, OfAFlatSheetIsARoundedPlate) {
    FigureSheet sheet{.rows = 3, .columns = 4};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            sheet.nodes.push_back({.position = {0.02 * c, 0.02 * r, 0.0}, .half = 0.004});
        }
    }
    const FigureShape shape(sheet);
    Random random(Seed{3});
    for (int i = 0; i < 300; ++i) {
        const Vec3 x = random_place(random, 0.1);
        const Vec3 nearest(std::clamp(x.x(), 0.0, 0.06), std::clamp(x.y(), 0.0, 0.04), 0.0);
        EXPECT_NEAR(shape.distance(x, FigureLayer::Part), (x - nearest).norm() - 0.004, 1e-9);
    }
}

TEST(FindPieces, KeepsWhateverCanBeNearestInTheBall) {
    FigureStroke stroke = straight_stroke({0, 0, 0}, {0.2, 0, 0}, 0.01, 0.006, 5);
    stroke.stations[2].position += Vec3(0, 0.05, 0.01);
    FigureSheet sheet{.rows = 4, .columns = 5};
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 5; ++c) {
            sheet.nodes.push_back({.position = {0.03 * c, 0.03 * r, 0.01 * std::sin(r + c)},
                                   .half = 0.002 + 0.001 * c});
        }
    }
    Random random(Seed{4});
    std::vector<Index> pieces;
    for (const FigureShape& shape : {FigureShape(stroke), FigureShape(sheet)}) {
        for (int i = 0; i < 100; ++i) {
            const Vec3 centre = random_place(random, 0.2);
            shape.find_pieces(centre, 0.02, FigureLayer::Part, pieces);
            for (int k = 0; k < 10; ++k) {
                const Vec3 x = centre + 0.0199 * random_place(random, 1.0).normalized();
                EXPECT_EQ(shape.distance(x, FigureLayer::Part, pieces),
                          shape.distance(x, FigureLayer::Part));
            }
        }
    }
}

TEST(SmoothMin, IsTheMinimumBeyondTheBlendAndAQuarterLessWhereEqual) {
    EXPECT_EQ(smooth_min(0.01, 0.05, 0.02), 0.01);
    EXPECT_NEAR(smooth_min(0.01, 0.01, 0.02), 0.01 - 0.005, 1e-15);
    EXPECT_EQ(smooth_min(0.01, 0.02, 0.0), 0.01);
    EXPECT_NEAR(smooth_max(0.01, 0.01, 0.02), 0.01 + 0.005, 1e-15);
}

TEST(MeshPart, OfACapsuleHasTheVolumeThatIsAskedFor) {
    FigurePart part{.name = "rod"};
    part.strokes.push_back(straight_stroke({0, 0, 0}, {0, 0.1, 0}, 0.012, 0.012, 3));
    const double r = 0.012;
    const double exact = std::numbers::pi * r * r * (0.1 + 4.0 / 3.0 * r);
    const TriangleMesh plain = mesh_part(part, {.cell = 0.002});
    EXPECT_NEAR(enclosed_volume(plain.points, plain.triangles), exact, 0.02 * exact);
    const TriangleMesh scaled = mesh_part(part, {.cell = 0.002, .volume = 1.2 * exact});
    EXPECT_NEAR(enclosed_volume(scaled.points, scaled.triangles), 1.2 * exact, 0.004 * exact);
    EXPECT_TRUE(is_watertight(scaled.triangles));
}

TEST(MeshPart, RefinesTheGridWhereAThinPartWouldSlipThrough) {
    FigurePart part{.name = "leaf"};
    part.strokes.push_back(straight_stroke({0, 0, 0}, {0, 0.04, 0}, 0.02, 0.0006, 3));
    const double volume = std::numbers::pi * 0.02 * 0.0006 * 0.04;
    const TriangleMesh mesh =
        mesh_part(part, {.cell = 0.004, .smallest_cell = 0.004, .volume = volume});
    EXPECT_NEAR(enclosed_volume(mesh.points, mesh.triangles), volume, 0.05 * volume);
}

/// 60 mm by 40 mm, bent about the rows by z = bend x^2.
FigureSheet sheet_of(double half, double bend) {
    FigureSheet sheet{.rows = 5, .columns = 7};
    for (int r = 0; r < sheet.rows; ++r) {
        for (int c = 0; c < sheet.columns; ++c) {
            const double x = 0.01 * (c - 3);
            sheet.nodes.push_back({.position = {x, 0.01 * r, bend * x * x}, .half = half});
        }
    }
    return sheet;
}

// Volume of what lies within h of a flat rectangle: 2 h A + pi h^2 P / 2, and nearly a ball in the
// corners.
TEST(MeshSheet, OfAFlatSheetIsAPlateWithRoundEdges) {
    const double h = 0.002;
    const TriangleMesh mesh = mesh_sheet(sheet_of(h, 0.0), 0.0, 0.003);
    EXPECT_TRUE(is_watertight(mesh.triangles));
    const double exact = 2.0 * h * 0.06 * 0.04 + std::numbers::pi * h * h * 0.2 / 2.0;
    EXPECT_NEAR(enclosed_volume(mesh), exact, 0.02 * exact);
    EXPECT_NEAR(mesh.points.col(2).maxCoeff(), h, 1e-12);
    EXPECT_NEAR(mesh.points.col(2).minCoeff(), -h, 1e-12);
    EXPECT_NEAR(mesh.points.col(0).maxCoeff(), 0.03 + h, 1e-4);
}

TEST(MeshSheet, OfACurvedSheetHasTheVolumeThatIsAskedForAndLiesOnTheShape) {
    const FigureSheet sheet = sheet_of(0.002, 8.0);
    const double volume = enclosed_volume(mesh_sheet(sheet, 0.0, 0.003));
    EXPECT_NEAR(enclosed_volume(mesh_sheet(sheet, 1.3 * volume, 0.003)), 1.3 * volume,
                1e-3 * volume);
    const TriangleMesh mesh = mesh_sheet(sheet, 0.0, 0.003);
    const FigureShape shape(sheet);
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        EXPECT_NEAR(shape.distance(point(mesh.points, i), FigureLayer::Part), 0.0, 2e-4);
    }
}

TEST(MeshSheet, ThatWouldCrossItselfIsLeftToTheGrid) {
    const FigureSheet sheet = sheet_of(0.004, 300.0);
    EXPECT_EQ(mesh_sheet(sheet, 0.0, 0.003).triangles.rows(), 0);
    const TriangleMesh mesh = mesh_part({.name = "fold", .sheets = {sheet}}, {.cell = 0.002});
    EXPECT_TRUE(is_watertight(mesh.triangles));
}

TEST(MeshPart, CutsWhatIsToBeTakenAway) {
    FigurePart part{.name = "socket"};
    part.strokes.push_back(straight_stroke({0, 0, 0}, {0, 0.04, 0}, 0.02, 0.02, 2));
    const TriangleMesh whole = mesh_part(part, {.cell = 0.002});
    FigureStroke cut = straight_stroke({0.02, 0.018, 0}, {0.02, 0.022, 0}, 0.012, 0.012, 2);
    cut.is_cut = true;
    part.strokes.push_back(cut);
    const TriangleMesh mesh = mesh_part(part, {.cell = 0.002});
    EXPECT_LT(enclosed_volume(mesh.points, mesh.triangles),
              0.97 * enclosed_volume(whole.points, whole.triangles));
}

}  // namespace
}  // namespace sinew
