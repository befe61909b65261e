#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/uv_atlas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

/// An open tube along y, its vertices row by row.
TriangleMesh tube(int around, int along, double radius, double length) {
    TriangleMesh mesh;
    mesh.points.resize(around * (along + 1), 3);
    for (int j = 0; j <= along; ++j) {
        for (int i = 0; i < around; ++i) {
            const double a = 2.0 * M_PI * i / around;
            mesh.points.row(j * around + i) << radius * std::cos(a), length * j / along,
                radius * std::sin(a);
        }
    }
    mesh.triangles.resize(2 * around * along, 3);
    Eigen::Index t = 0;
    for (int j = 0; j < along; ++j) {
        for (int i = 0; i < around; ++i) {
            const int a = j * around + i;
            const int b = j * around + (i + 1) % around;
            mesh.triangles.row(t++) << a, a + around, b;
            mesh.triangles.row(t++) << b, a + around, b + around;
        }
    }
    return mesh;
}

double signed_area(const UvAtlas& atlas, Eigen::Index t) {
    const double* uv = atlas.uv.values.data() + 6 * t;
    return 0.5 * ((uv[2] - uv[0]) * (uv[5] - uv[1]) - (uv[4] - uv[0]) * (uv[3] - uv[1]));
}

/// Cells of a grid whose middles lie in more than one triangle.
int doubly_covered(const UvAtlas& atlas, int cells) {
    std::vector<int> count(sinew::at(cells * cells), 0);
    for (std::size_t t = 0; t < atlas.chart.size(); ++t) {
        const double* q = atlas.uv.values.data() + 6 * t;
        const auto cell = [&](double x) { return static_cast<int>(x * cells); };
        const double area = 2.0 * signed_area(atlas, static_cast<Eigen::Index>(t));
        for (int y = cell(std::min({q[1], q[3], q[5]}));
             y <= std::min(cells - 1, cell(std::max({q[1], q[3], q[5]}))); ++y) {
            for (int x = cell(std::min({q[0], q[2], q[4]}));
                 x <= std::min(cells - 1, cell(std::max({q[0], q[2], q[4]}))); ++x) {
                const double u = (x + 0.5) / cells;
                const double v = (y + 0.5) / cells;
                const double a = ((q[2] - u) * (q[5] - v) - (q[4] - u) * (q[3] - v)) / area;
                const double b = ((q[4] - u) * (q[1] - v) - (q[0] - u) * (q[5] - v)) / area;
                count[sinew::at(y * cells + x)] += a > 0 && b > 0 && a + b < 1;
            }
        }
    }
    return static_cast<int>(std::count_if(count.begin(), count.end(), [](int n) { return n > 1; }));
}

// A tube is developable: opened along a line it lies flat without stretch, as long as it is and as
// wide as it is round. The cut is where vertices are cheap.
TEST(UvAtlas, ATubeIsOpenedWhereCutsAreCheapAndLiesFlatWithoutStretch) {
    constexpr int kAround = 24;
    const TriangleMesh mesh = tube(kAround, 20, 0.04, 0.3);
    std::vector<double> cost;
    for (Eigen::Index v = 0; v < mesh.points.rows(); ++v) {
        cost.push_back(1.0 - mesh.points(v, 0) / 0.04);  // cheapest at +x
    }
    const std::vector<Index> label(sinew::at(mesh.triangles.rows()), 0);
    const UvAtlas atlas = build_uv_atlas(mesh.points, mesh.triangles, label, cost);
    double low = 1.0;
    double high = 0.0;
    double least = 1.0;
    double greatest = 0.0;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        EXPECT_EQ(atlas.chart[sinew::at(t)], 0);
        EXPECT_GT(signed_area(atlas, t), 0.0);
        EXPECT_LT(atlas.stretch[sinew::at(t)], 1.003);
        for (int k = 0; k < 3; ++k) {
            least = std::min(least, atlas.uv.values[sinew::at(6 * t + 2 * k)]);
            greatest = std::max(greatest, atlas.uv.values[sinew::at(6 * t + 2 * k)]);
            low = std::min(low, atlas.uv.values[sinew::at(6 * t + 2 * k + 1)]);
            high = std::max(high, atlas.uv.values[sinew::at(6 * t + 2 * k + 1)]);
        }
    }
    const double round = 2.0 * 0.04 * kAround * std::sin(M_PI / kAround);
    EXPECT_NEAR((greatest - least) / (high - low), round / 0.3, 0.01);
    EXPECT_GE(std::min(least, low), 0.0);
    EXPECT_LE(std::max(greatest, high), 1.0);
    EXPECT_EQ(doubly_covered(atlas, 400), 0);
    // Neighbours along the cheap line are apart in the plane, those on the far side together.
    const auto u_of = [&](Eigen::Index t, Index v) {
        for (int k = 0; k < 3; ++k) {
            if (mesh.triangles(t, k) == v) {
                return atlas.uv.values[sinew::at(6 * t + 2 * k)];
            }
        }
        return -1.0;
    };
    const Index row = 10 * kAround;
    EXPECT_GT(std::abs(u_of(2 * row, row) - u_of(2 * (row + kAround - 1) + 1, row)),
              0.9 * (greatest - least));
    const Index far = row + kAround / 2;
    EXPECT_NEAR(u_of(2 * far, far), u_of(2 * (far - 1) + 1, far), 1e-12);
}

// Two halves of a ball: no triangle turns over, charts keep apart, and the same bits come out on
// any number of threads.
TEST(UvAtlas, HalvesOfABallLieFlatWithoutFlipsOrOverlaps) {
    const TriangleMesh ball = support::sphere(4, 0.1);
    std::vector<Index> label;
    for (Eigen::Index t = 0; t < ball.triangles.rows(); ++t) {
        label.push_back(point(ball.points, ball.triangles(t, 0)).z() +
                            point(ball.points, ball.triangles(t, 1)).z() +
                            point(ball.points, ball.triangles(t, 2)).z() >
                        0.0);
    }
    const std::vector<double> cost(sinew::at(ball.points.rows()), 1.0);
    const UvAtlas atlas = build_uv_atlas(ball.points, ball.triangles, label, cost);
    double mean = 0.0;
    for (Eigen::Index t = 0; t < ball.triangles.rows(); ++t) {
        EXPECT_GT(signed_area(atlas, t), 0.0);
        mean += atlas.stretch[sinew::at(t)] / static_cast<double>(ball.triangles.rows());
    }
    // Lambert's equal-area map of a half stretches by up to sqrt 2, 1.17 in the mean.
    EXPECT_LT(mean, 1.25);
    EXPECT_EQ(doubly_covered(atlas, 500), 0);
    const ThreadLimit one(1);
    EXPECT_EQ(build_uv_atlas(ball.points, ball.triangles, label, cost).uv.values, atlas.uv.values);
}

TEST(UvAtlas, ClosedPiecesAndWrongSizesAreRefused) {
    const TriangleMesh ball = support::sphere(1, 0.1);
    const std::vector<Index> label(sinew::at(ball.triangles.rows()), 0);
    const std::vector<double> cost(sinew::at(ball.points.rows()), 1.0);
    EXPECT_THROW(build_uv_atlas(ball.points, ball.triangles, label, cost), InputError);
    EXPECT_THROW(build_uv_atlas(ball.points, ball.triangles, label, {}), InputError);
}

}  // namespace
}  // namespace sinew
