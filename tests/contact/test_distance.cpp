#include "sinew/base/random.h"
#include "sinew/contact/distance.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/trials.h"

namespace sinew {
namespace {

using Corners = std::array<Vec3, 4>;
using Distance = std::function<PairDistance(const Corners&)>;

Corners random_corners(std::uint64_t seed) {
    Random random(Seed{seed});
    Corners x;
    for (Vec3& p : x) {
        p = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    }
    return x;
}

PairDistance point_triangle(const Corners& x) {
    return point_triangle_distance(x[0], x[1], x[2], x[3]);
}
PairDistance edge_edge(const Corners& x) {
    return edge_edge_distance(x[0], x[1], x[2], x[3]);
}

Corners shifted(Corners x, int i, double h) {
    x[static_cast<std::size_t>(i / 3)][i % 3] += h;
    return x;
}

// Central differences of the value and of the gradient.
void expect_derivatives(const Distance& distance, const Corners& x) {
    constexpr double h = 1e-6;
    const PairDistance d = distance(x);
    const auto g = squared_distance_gradient(d);
    const auto H = squared_distance_hessian(d, x[0], x[1], x[2], x[3]);
    EXPECT_NEAR(d.coefficients.sum(), 0.0, 1e-14);
    EXPECT_LT((H - H.transpose()).cwiseAbs().maxCoeff(), 1e-12);
    for (int i = 0; i < 12; ++i) {
        const PairDistance up = distance(shifted(x, i, h));
        const PairDistance down = distance(shifted(x, i, -h));
        EXPECT_NEAR((up.squared - down.squared) / (2 * h), g[i], 1e-8);
        if (up.freedom != d.freedom || down.freedom != d.freedom) {
            continue;  // the second derivative jumps here
        }
        const PairDistance::Gradient column =
            (squared_distance_gradient(up) - squared_distance_gradient(down)) / (2 * h);
        EXPECT_LT((column - H.col(i)).cwiseAbs().maxCoeff(), 1e-6 * (1 + H.cwiseAbs().maxCoeff()));
    }
}

TEST(PairDistance, PointTriangleDerivativesAreThoseOfFiniteDifferences) {
    int seen[3] = {};
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Corners x = random_corners(seed);
        ++seen[point_triangle(x).freedom];
        expect_derivatives(point_triangle, x);
    }
    EXPECT_GT(seen[0], 20);  // nearest to corners,
    EXPECT_GT(seen[1], 20);  // edges
    EXPECT_GT(seen[2], 20);  // and faces
}

TEST(PairDistance, EdgeEdgeDerivativesAreThoseOfFiniteDifferences) {
    int seen[3] = {};
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Corners x = random_corners(1000 + seed);
        ++seen[edge_edge(x).freedom];
        expect_derivatives(edge_edge, x);
    }
    EXPECT_GT(seen[0], 20);
    EXPECT_GT(seen[1], 20);
    EXPECT_GT(seen[2], 20);
}

TEST(PairDistance, EdgesAreAsNearAsTheNearestOfManySamples) {
    for (std::uint64_t seed = 0; seed < support::trials<std::uint64_t>(50); ++seed) {
        Corners x = random_corners(2000 + seed);
        if (seed % 5 == 0) {
            x[3] = x[2] + 1.7 * (x[1] - x[0]);  // parallel
        }
        if (seed % 7 == 0) {
            x[1] = x[0];  // without length
        }
        const double squared = edge_edge(x).squared;
        double sampled = 1e300;
        constexpr int n = 200;
        for (int i = 0; i <= n; ++i) {
            const Vec3 p = x[0] + static_cast<double>(i) / n * (x[1] - x[0]);
            for (int j = 0; j <= n; ++j) {
                const Vec3 q = x[2] + static_cast<double>(j) / n * (x[3] - x[2]);
                sampled = std::min(sampled, (p - q).squaredNorm());
            }
        }
        EXPECT_LE(squared, sampled + 1e-12);
        EXPECT_NEAR(std::sqrt(squared), std::sqrt(sampled), 0.02);
    }
}

TEST(PairDistance, CrossingDiagonalsAreOneApart) {
    const PairDistance d = edge_edge_distance({-1, 0, -1}, {1, 0, 1}, {-1, 1, 1}, {1, 1, -1});
    EXPECT_NEAR(d.squared, 1.0, 1e-15);
    EXPECT_LT((d.between - Vec3(0, -1, 0)).norm(), 1e-15);
}

}  // namespace
}  // namespace sinew
