#include "sinew/base/error.h"
#include "sinew/geometry/biharmonic_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

constexpr int kAround = 12;

// A bar whose vertices carry the handle of their ring; caps go with the rings they close.
struct Bar {
    TriangleMesh mesh;
    std::vector<Index> handle_of;
    int along = 0;

    explicit Bar(int rings) : along(rings) {
        mesh = support::cylinder(0.02, 0.4, kAround, along);
        handle_of.assign(at(mesh.points.rows()), -1);
    }
    void hold(int from, int to, Index handle) {
        for (int j = from; j <= to; ++j) {
            for (int i = 0; i < kAround; ++i) {
                handle_of[at(j * kAround + i)] = handle;
            }
        }
        if (from == 0) {
            handle_of[at((along + 1) * kAround)] = handle;
        }
        if (to == along) {
            handle_of[at((along + 1) * kAround + 1)] = handle;
        }
    }
};

// On rings at equal distances the energy is the sum of squared second differences, whose minimum
// with p(a-1) = p(a) = 1 and p(b) = p(b+1) = 0 is the cubic through these four points.
TEST(BiharmonicWeights, Jacobson2011TwoEndsOfABarGiveTheCubicOfAClampedBeam) {
    const int a = 6;
    const int b = 54;
    Bar bar(60);
    bar.hold(0, a, 0);
    bar.hold(b, 60, 1);
    const Eigen::MatrixXd w = biharmonic_weights(bar.mesh, bar.handle_of, 2);
    const double H = 0.5 * (b - a);
    const double cubed = (0.5 / (H + 1) - 0.5 / H) / ((H + 1) * (H + 1) - H * H);
    const double linear = 0.5 / H - cubed * H * H;
    for (int j = 0; j <= 60; ++j) {
        const double s = j - 0.5 * (a + b);
        const double p = 0.5 - linear * s - cubed * s * s * s;
        const double expected = j <= a ? 1.0 : j >= b ? 0.0 : p;
        for (int i = 0; i < kAround; ++i) {
            EXPECT_NEAR(w(j * kAround + i, 0), expected, 1e-7) << "ring " << j;
        }
    }
    EXPECT_LT((w.rowwise().sum().array() - 1.0).abs().maxCoeff(), 1e-15);
}

// Beyond the middle handle the unbounded weight of the first would swing below zero; bounded it
// stays zero there, and before it falls as the clamped cubic.
TEST(BiharmonicWeights, Jacobson2011BoundsStopWeightsFromSwingingBelowZero) {
    Bar bar(120);
    bar.hold(0, 10, 0);
    bar.hold(60, 60, 1);
    bar.hold(110, 120, 2);
    const Eigen::MatrixXd w = biharmonic_weights(bar.mesh, bar.handle_of, 3);
    EXPECT_GE(w.minCoeff(), 0.0);
    EXPECT_LE(w.maxCoeff(), 1.0);
    EXPECT_LT((w.rowwise().sum().array() - 1.0).abs().maxCoeff(), 1e-12);
    for (int j = 0; j <= 120; ++j) {
        const double t = std::clamp((j - 10) / 50.0, 0.0, 1.0);
        EXPECT_NEAR(w(j * kAround, 0), 1.0 - t * t * (3.0 - 2.0 * t), 0.02) << "ring " << j;
        if (j >= 60) {
            EXPECT_NEAR(w(j * kAround, 0), 0.0, 1e-8) << "ring " << j;
        }
    }
}

TEST(BiharmonicWeights, PiecesWithoutAHandleGoWithTheNearest) {
    TriangleMesh mesh = support::sphere(1, 0.1);
    const TriangleMesh other = support::sphere(1, 0.05, {0.0, 0.5, 0.0});
    const auto first = static_cast<Index>(mesh.points.rows());
    TriangleMesh both;
    both.points.resize(first + other.points.rows(), 3);
    both.points << mesh.points, other.points;
    both.triangles.resize(mesh.triangles.rows() + other.triangles.rows(), 3);
    both.triangles << mesh.triangles, other.triangles.array() + first;
    std::vector<Index> handle_of(at(both.points.rows()), -1);
    EXPECT_THROW(biharmonic_weights(both, handle_of, 2), InputError);
    for (Index v = 0; v < first; ++v) {
        const double y = both.points(v, 1);
        handle_of[at(v)] = y < -0.06 ? 0 : y > 0.06 ? 1 : -1;
    }
    const Eigen::MatrixXd w = biharmonic_weights(both, handle_of, 2);
    for (Index v = first; v < both.points.rows(); ++v) {
        EXPECT_EQ(w(v, 1), 1.0);
    }
    EXPECT_GE(w.minCoeff(), 0.0);
    EXPECT_LE(w.maxCoeff(), 1.0);
}

}  // namespace
}  // namespace sinew
