#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/shapes.h"
#include "tests/support/trials.h"

namespace sinew {
namespace {

/// Distance to a triangle by walking the regions of its plane: independent of the library's.
double distance_by_regions(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const auto segment = [&](const Vec3& u, const Vec3& v) {
        const Vec3 e = v - u;
        if (e.squaredNorm() == 0.0) {
            return (p - u).norm();
        }
        const double s = e.dot(p - u) / e.squaredNorm();
        return (p - (u + std::min(std::max(s, 0.0), 1.0) * e)).norm();
    };
    const double rim = std::min({segment(a, b), segment(b, c), segment(c, a)});
    const Vec3 n = (b - a).cross(c - a).normalized();
    if (n.norm() == 0.0) {
        return rim;
    }
    const bool is_above = n.dot((b - a).cross(p - a)) >= 0 && n.dot((c - b).cross(p - b)) >= 0 &&
                          n.dot((a - c).cross(p - c)) >= 0;
    return is_above ? std::abs(n.dot(p - a)) : rim;
}

double distance_by_all_triangles(const Vec3& p, const TriangleMesh& mesh) {
    double best = std::numeric_limits<double>::infinity();
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        best = std::min(best, distance_by_regions(p, point(mesh.points, mesh.triangles(t, 0)),
                                                  point(mesh.points, mesh.triangles(t, 1)),
                                                  point(mesh.points, mesh.triangles(t, 2))));
    }
    return best;
}

Vec3 at(const TriangleMesh& mesh, Index triangle, const Vec3& w) {
    return w[0] * point(mesh.points, mesh.triangles(triangle, 0)) +
           w[1] * point(mesh.points, mesh.triangles(triangle, 1)) +
           w[2] * point(mesh.points, mesh.triangles(triangle, 2));
}

TriangleMesh random_soup(int count, double size, Seed seed) {
    Random random(seed);
    TriangleMesh mesh;
    mesh.points.resize(3 * count, 3);
    mesh.triangles.resize(count, 3);
    for (int t = 0; t < count; ++t) {
        const Vec3 middle = support::random_point(random, size);
        for (int k = 0; k < 3; ++k) {
            // Every seventh triangle is a needle, every eleventh a point.
            const double width = t % 11 == 0 ? 0.0 : 0.1 * size;
            Vec3 offset = support::random_point(random, width);
            if (t % 7 == 0) {
                offset = Vec3(offset.x(), 0, 0);
            }
            mesh.points.row(3 * t + k) = (middle + offset).transpose();
            mesh.triangles(t, k) = 3 * t + k;
        }
    }
    return mesh;
}

TEST(SurfaceTree, ClosestPointsEqualThoseOfTestingEveryTriangle) {
    const Vec3 far(1e4, -2e4, 3e3);
    TriangleMesh moved = support::torus(0.5, 0.2, 12, 24);
    moved.points.rowwise() += far.transpose();
    TriangleMesh tiny = support::cylinder(0.2, 1, 12, 12);
    tiny.points *= 1e-20;
    const std::tuple<TriangleMesh, Vec3, double> cases[] = {
        {random_soup(400, 1.0, Seed{1}), Vec3::Zero(), 2.0},
        {support::sphere(2, 0.4, {1, 0, 0}), Vec3::Zero(), 2.0},
        {support::box({-1, -1, -1}, {1, 1, 1}), Vec3::Zero(), 3.0},
        {moved, far, 1.0},
        {tiny, Vec3::Zero(), 1e-20}};
    for (const auto& [mesh, centre, reach] : cases) {
        const SurfaceTree tree(mesh);
        Random random(Seed{2});
        const double scale = bounds(mesh.points).high.cwiseAbs().maxCoeff();
        for (int i = 0; i < support::trials(300); ++i) {
            const Vec3 p = centre + support::random_point(random, reach);
            const ClosestPoint found = tree.closest_point(p);
            const double expected = distance_by_all_triangles(p, mesh);
            EXPECT_NEAR(found.distance, expected, 1e-12 * (expected + 1e-3 * scale));
            EXPECT_NEAR((found.point - p).norm(), found.distance, 1e-14 * (scale + reach));
            EXPECT_LT((at(mesh, found.triangle, found.barycentric) - found.point).norm(),
                      1e-14 * (scale + reach));
            EXPECT_GE(found.barycentric.minCoeff(), 0.0);
        }
    }
}

TEST(SurfaceTree, ClosestPointsFromVeryFarAwayAreFound) {
    const TriangleMesh mesh = support::box({-1, -1, -1}, {1, 1, 1});
    const SurfaceTree tree(mesh);
    for (const double distance : {1e3, 1e7, 1e30, 1e100}) {
        const ClosestPoint found = tree.closest_point({distance, 0.25, 0.5});
        EXPECT_LT((found.point - Vec3(1, 0.25, 0.5)).norm(), 1e-15 * distance);
        EXPECT_NEAR(found.distance, distance - 1, 1e-15 * distance);
    }
}

// Six triangles meet at each vertex of the soup below; the lowest number must win every time.
TEST(SurfaceTree, TheLowestOfEquallyNearTrianglesIsNamed) {
    const TriangleMesh mesh = support::open_square(10);
    const SurfaceTree tree(mesh);
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        const ClosestPoint found = tree.closest_point(point(mesh.points, i) + Vec3(0, 0, 0.25));
        Index lowest = -1;
        for (Index t = 0; t < mesh.triangles.rows() && lowest < 0; ++t) {
            lowest = (mesh.triangles.row(t).array() == i).any() ? t : -1;
        }
        EXPECT_EQ(found.triangle, lowest);
        EXPECT_EQ(found.distance, 0.25);
    }
}

TEST(SurfaceTree, NothingIsFoundBeyondTheLargestDistance) {
    const SurfaceTree tree(support::box({-1, -1, -1}, {1, 1, 1}));
    EXPECT_EQ(tree.closest_point({3, 0, 0}, 1.999).triangle, -1);
    EXPECT_EQ(tree.closest_point({3, 0, 0}, 2.0).distance, 2.0);
    EXPECT_EQ(tree.closest_point({3, 0, 0}, 0.0).triangle, -1);
    EXPECT_EQ(tree.closest_point({1, 0, 0}, 0.0).distance, 0.0);
}

// On a sphere of radius r the ray from q along d enters at t = -q.d - sqrt((q.d)^2 - q.q + r^2).
TEST(SurfaceTree, RaysMeetASphereWhereTheQuadraticEquationSays) {
    const double r = 0.5;
    const TriangleMesh mesh = support::sphere(6, r);
    const SurfaceTree tree(mesh);
    Random random(Seed{3});
    int hits = 0;
    for (int i = 0; i < 500; ++i) {
        const Vec3 q = 2.0 * support::random_point(random, 1.0).normalized();
        const Vec3 d = (support::random_point(random, 0.5) - q).normalized();
        const double b = q.dot(d);
        const double discriminant = b * b - q.squaredNorm() + r * r;
        const RayHit hit = tree.first_hit({.origin = q, .direction = d});
        if (discriminant > 0.01) {
            ++hits;
            ASSERT_GE(hit.triangle, 0);
            EXPECT_NEAR(hit.t, -b - std::sqrt(discriminant), 2e-3);
            EXPECT_LT((hit.point - (q + hit.t * d)).norm(), 1e-14);
            EXPECT_LT((at(mesh, hit.triangle, hit.barycentric) - hit.point).norm(), 1e-14);
            EXPECT_EQ(tree.count_hits({.origin = q, .direction = d}), 2u);
            // The same ray with a longer direction and from much further away.
            EXPECT_NEAR(tree.first_hit({.origin = q, .direction = 4 * d}).t, hit.t / 4, 1e-14);
            const RayHit again = tree.first_hit({.origin = q - 1e5 * d, .direction = d});
            EXPECT_NEAR(again.t, hit.t + 1e5, 1e-9);
        } else if (discriminant < -0.01) {
            EXPECT_EQ(hit.triangle, -1);
        }
    }
    EXPECT_GT(hits, 200);
}

TEST(SurfaceTree, AllHitsEqualThoseOfTestingEveryTriangle) {
    const TriangleMesh mesh = random_soup(1000, 1.0, Seed{8});
    const SurfaceTree tree(mesh);
    Random random(Seed{9});
    std::size_t total = 0;
    for (int i = 0; i < support::trials(300); ++i) {
        const Vec3 origin = support::random_point(random, 2.0);
        const Ray ray{.origin = origin, .direction = support::random_point(random, 0.7) - origin};
        // Moeller and Trumbore's solution of origin + t d = a + u (b - a) + v (c - a).
        std::vector<std::pair<double, Index>> expected;
        for (Index t = 0; t < mesh.triangles.rows(); ++t) {
            const Vec3 a = point(mesh.points, mesh.triangles(t, 0));
            Mat3 A;
            A << point(mesh.points, mesh.triangles(t, 1)) - a,
                point(mesh.points, mesh.triangles(t, 2)) - a, -ray.direction;
            if (std::abs(A.determinant()) < 1e-12) {
                continue;
            }
            const Vec3 uvt = A.inverse() * (ray.origin - a);
            if (uvt[0] >= 0 && uvt[1] >= 0 && uvt[0] + uvt[1] <= 1 && uvt[2] >= 0) {
                expected.emplace_back(uvt[2], t);
            }
        }
        std::sort(expected.begin(), expected.end());
        const std::vector<RayHit> hits = tree.all_hits(ray);
        ASSERT_EQ(hits.size(), expected.size());
        EXPECT_EQ(tree.count_hits(ray), expected.size());
        total += hits.size();
        for (std::size_t k = 0; k < hits.size(); ++k) {
            EXPECT_EQ(hits[k].triangle, expected[k].second);
            EXPECT_NEAR(hits[k].t, expected[k].first, 1e-12 * (1 + expected[k].first));
        }
        const RayHit first = tree.first_hit(ray);
        EXPECT_EQ(first.triangle, hits.empty() ? -1 : hits[0].triangle);
    }
    EXPECT_GT(total, support::trials(100u));
}

// Aimed exactly at vertices and at points of edges, a ray must not slip out of a closed surface.
TEST(SurfaceTree, Woop2013NoRaySlipsThroughEdgesOrCorners) {
    for (const support::Rigid& g : support::rigid_motions(3, Seed{12})) {
        TriangleMesh mesh = support::sphere(4, 0.37);
        mesh.points = support::moved(mesh.points, g);
        const SurfaceTree tree(mesh);
        const Vec3 origin = g * Vec3(0.05, -0.02, 0.1);
        for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
            for (const Vec3& w : {Vec3(1, 0, 0), Vec3(0.5, 0.5, 0), Vec3(0.3, 0, 0.7)}) {
                const Vec3 target = at(mesh, static_cast<Index>(t), w);
                const RayHit hit = tree.first_hit({.origin = origin, .direction = target - origin});
                ASSERT_GE(hit.triangle, 0) << "triangle " << t;
                EXPECT_NEAR(hit.t, 1.0, 1e-12);
            }
        }
    }
}

TEST(SurfaceTree, RaysKeepToTheirRange) {
    const SurfaceTree tree(support::box({-1, -1, -1}, {1, 1, 1}));
    Ray ray{.origin = {-3, 0.1, 0.2}, .direction = {2, 0, 0}};
    EXPECT_DOUBLE_EQ(tree.first_hit(ray).t, 1.0);
    ray.t_min = 1.5;
    EXPECT_DOUBLE_EQ(tree.first_hit(ray).t, 2.0);
    ray.t_max = 1.9;
    EXPECT_EQ(tree.first_hit(ray).triangle, -1);
    ray = {.origin = {-3, 0.1, 0.2}, .direction = {2, 0, 0}, .t_min = -5, .t_max = 0};
    EXPECT_EQ(tree.count_hits(ray), 0u);
    ray.origin.x() = 3;
    EXPECT_EQ(tree.count_hits(ray), 2u);
    EXPECT_DOUBLE_EQ(tree.first_hit(ray).t, -2.0);
}

TEST(SurfaceTree, WorksOnNoneOneAndDegenerateTriangles) {
    const SurfaceTree none(TriangleMesh{});
    EXPECT_EQ(none.closest_point(Vec3::Zero()).triangle, -1);
    EXPECT_TRUE(std::isinf(none.closest_point(Vec3::Zero()).distance));
    EXPECT_EQ(none.first_hit({}).triangle, -1);
    EXPECT_EQ(none.triangle_count(), 0);

    TriangleMesh dot;
    dot.points = Points::Constant(3, 3, 0.5);
    dot.triangles.resize(1, 3);
    dot.triangles << 0, 1, 2;
    const SurfaceTree one(dot);
    EXPECT_NEAR(one.closest_point({0.5, 0.5, 2.5}).distance, 2.0, 1e-15);
    EXPECT_EQ(one.first_hit({.origin = {0.5, 0.5, 0}, .direction = {0, 0, 1}}).triangle, -1);
}

TEST(SurfaceTree, RefusesNumbersThatAreNotFiniteAndIndicesOutOfRange) {
    TriangleMesh mesh = support::sphere(1, 1.0);
    const SurfaceTree tree(mesh);
    EXPECT_THROW(tree.closest_point({0, std::nan(""), 0}), InputError);
    EXPECT_THROW(tree.first_hit({.origin = {INFINITY, 0, 0}}), InputError);
    EXPECT_THROW(tree.first_hit({.direction = Vec3::Zero()}), InputError);
    Points queries = Points::Zero(1000, 3);
    queries(777, 2) = std::nan("");
    EXPECT_THROW(tree.closest_points(queries), InputError);
    mesh.points(3, 1) = std::nan("");
    EXPECT_THROW(SurfaceTree{mesh}, InputError);
    mesh = support::sphere(1, 1.0);
    mesh.triangles(0, 0) = 100000;
    EXPECT_THROW(SurfaceTree{mesh}, InputError);
}

TEST(SurfaceTree, GivesTheSameBytesOnOneAndTwoThreads) {
    const TriangleMesh mesh = support::torus(0.5, 0.2, 60, 120);
    Points queries(5000, 3);
    std::vector<Ray> rays(5000);
    Random random(Seed{31});
    for (Eigen::Index i = 0; i < queries.rows(); ++i) {
        queries.row(i) = support::random_point(random, 1.0).transpose();
        rays[static_cast<std::size_t>(i)] = {.origin = support::random_point(random, 1.0),
                                             .direction = support::random_point(random, 1.0)};
    }
    const auto ask = [&](int threads) {
        const ThreadLimit limit(threads);
        const SurfaceTree tree(mesh);
        std::vector<double> all;
        for (const ClosestPoint& c : tree.closest_points(queries)) {
            all.insert(all.end(), {c.point.x(), c.point.y(), c.point.z(), c.barycentric.x(),
                                   c.barycentric.y(), c.distance, double(c.triangle)});
        }
        for (const RayHit& h : tree.first_hits(rays)) {
            all.insert(all.end(), {h.t, h.point.x(), h.barycentric.x(), double(h.triangle)});
        }
        return all;
    };
    const std::vector<double> one = ask(1), two = ask(2);
    ASSERT_EQ(one.size(), two.size());
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(double)), 0);
}

}  // namespace
}  // namespace sinew
