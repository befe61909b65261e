#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/decimate.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/remesh.h"
#include "sinew/meshing/smooth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support/shapes.h"

namespace sinew {

namespace {

double mean_edge(const TriangleMesh& mesh) {
    const Edges edges = unique_edges(mesh.triangles);
    double sum = 0.0;
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        sum += (mesh.points.row(edges(e, 0)) - mesh.points.row(edges(e, 1))).norm();
    }
    return sum / static_cast<double>(edges.rows());
}

TriangleMesh bumpy_sphere() {
    TriangleMesh mesh = support::sphere(4, 1.0);
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        mesh.points.row(i) *= 1.0 + 0.02 * (i % 2 ? 1.0 : -1.0);
    }
    return mesh;
}

double roughness(const TriangleMesh& mesh) {
    const Eigen::VectorXd r = mesh.points.rowwise().norm();
    return std::sqrt((r.array() - r.mean()).square().mean());
}

// A tube is flat along its axis, where the quadric error alone would keep no ring of vertices.
TEST(Decimate, EvennessKeepsVerticesOnFlatPlaces) {
    const TriangleMesh tube = support::cylinder(0.05, 0.6, 20, 30);
    const auto longest = [&](double evenness) {
        const TriangleMesh coarse =
            decimated(tube, {.target_triangles = 600, .evenness = evenness});
        double length = 0.0;
        for (Eigen::Index t = 0; t < coarse.triangles.rows(); ++t) {
            for (int k = 0; k < 3; ++k) {
                length = std::max(length, (coarse.points.row(coarse.triangles(t, k)) -
                                           coarse.points.row(coarse.triangles(t, (k + 1) % 3)))
                                              .norm());
            }
        }
        return length;
    };
    EXPECT_GT(longest(0.0), 0.2);
    EXPECT_LT(longest(0.1), 0.08);
}

TEST(Decimate, SizesKeepTrianglesSmallWhereTheyAreAskedToBe) {
    const TriangleMesh tube = support::cylinder(0.05, 0.6, 20, 30);
    const double middle = tube.points.col(1).mean();
    std::vector<double> size;
    for (Eigen::Index i = 0; i < tube.points.rows(); ++i) {
        size.push_back(tube.points(i, 1) < middle ? 0.3 : 1.0);
    }
    const TriangleMesh coarse =
        decimated(tube, {.target_triangles = 500, .evenness = 0.3, .size = size});
    EXPECT_TRUE(is_healthy(check_health(coarse)));
    const Eigen::Index below = (coarse.points.col(1).array() < middle).count();
    EXPECT_GT(below, 3 * (coarse.points.rows() - below));
    size.pop_back();
    EXPECT_THROW(decimated(tube, {.target_triangles = 500, .size = size}), InputError);
    size.push_back(0.0);
    EXPECT_THROW(decimated(tube, {.target_triangles = 500, .size = size}), InputError);
}

}  // namespace

TEST(Remesh, TorusKeepsItsHandleAndGetsEvenTriangles) {
    const TriangleMesh torus = support::torus(1.0, 0.3, 20, 120);  // long thin triangles
    const TriangleMesh result = remeshed(torus, {.edge_length = 0.11});
    const SurfaceHealth health = check_health(result);
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
    EXPECT_EQ(health.measures.genus, 1);
    EXPECT_NEAR(mean_edge(result), 0.11, 0.0165);
    EXPECT_GT(health.measures.smallest_angle, 0.3);
    EXPECT_NEAR(enclosed_volume(result), enclosed_volume(torus), 0.02 * enclosed_volume(torus));
}

TEST(Remesh, SphereCanBeMadeFinerAndCoarser) {
    const TriangleMesh sphere = support::sphere(3, 1.0);
    for (const double edge : {0.09, 0.3}) {
        const TriangleMesh result = remeshed(sphere, {.edge_length = edge});
        const SurfaceHealth health = check_health(result);
        EXPECT_TRUE(is_healthy(health)) << edge << ": " << summary(health.problems);
        EXPECT_EQ(health.measures.genus, 0);
        EXPECT_NEAR(mean_edge(result), edge, 0.15 * edge);
        // No vertex leaves the polyhedron it came from.
        EXPECT_GT(result.points.rowwise().norm().minCoeff(), 0.99);
        EXPECT_LT(result.points.rowwise().norm().maxCoeff(), 1.0 + 1e-12);
    }
}

// Sharp edges stay where they are: the volume of a box is kept to the last digits.
TEST(Remesh, BoxKeepsItsEdges) {
    const TriangleMesh result = remeshed(support::box({0, 0, 0}, {1, 2, 1}), {.edge_length = 0.15});
    const SurfaceHealth health = check_health(result);
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
    EXPECT_NEAR(health.measures.volume, 2.0, 1e-9);
    EXPECT_NEAR(health.measures.area, 10.0, 1e-9);
    EXPECT_GT(health.measures.smallest_angle, 0.2);
}

TEST(Remesh, OpenSquareKeepsItsBorder) {
    const TriangleMesh result = remeshed(support::open_square(4), {.edge_length = 0.07});
    const SurfaceHealth health = check_health(result);
    EXPECT_EQ(health.measures.border_loops, 1);
    EXPECT_NEAR(health.measures.area, 1.0, 1e-9);
    EXPECT_TRUE(health.measures.is_manifold);
}

TEST(Remesh, PointDataFollowsTheSurface) {
    TriangleMesh sphere = support::sphere(4, 1.0);
    Attribute height{"height", 1, {}, "m"};
    for (Eigen::Index i = 0; i < sphere.points.rows(); ++i) {
        height.values.push_back(sphere.points(i, 2));
    }
    sphere.point_data.push_back(height);
    for (const TriangleMesh& result :
         {remeshed(sphere, {.edge_length = 0.2}), decimated(sphere, {.target_triangles = 500})}) {
        ASSERT_EQ(result.point_data.size(), 1u);
        ASSERT_EQ(result.point_data[0].count(), static_cast<std::size_t>(result.points.rows()));
        for (Eigen::Index i = 0; i < result.points.rows(); ++i) {
            EXPECT_NEAR(result.point_data[0].values[static_cast<std::size_t>(i)],
                        result.points(i, 2), 0.03);
        }
    }
}

TEST(Remesh, BadInputIsRefused) {
    EXPECT_THROW(remeshed(support::sphere(1, 1.0), {}), InputError);
    EXPECT_THROW(remeshed(support::sphere(1, 1.0), {.edge_length = 1e-6}), InputError);
    TriangleMesh bad = support::sphere(1, 1.0);
    std::swap(bad.triangles(3, 0), bad.triangles(3, 1));
    EXPECT_THROW(remeshed(bad, {.edge_length = 0.1}), InputError);
    EXPECT_THROW(decimated(bad, {.target_triangles = 10}), InputError);
    EXPECT_EQ(remeshed(TriangleMesh{}, {.edge_length = 0.1}).triangles.rows(), 0);
}

TEST(Remesh, SameBitsOnOneThreadAndMany) {
    const TriangleMesh torus = support::torus(1.0, 0.3, 20, 60);
    const TriangleMesh many = remeshed(torus, {.edge_length = 0.1});
    const ThreadLimit limit(1);
    const TriangleMesh one = remeshed(torus, {.edge_length = 0.1});
    EXPECT_TRUE(one.points == many.points && one.triangles == many.triangles);
}

TEST(Decimate, ReachesItsCountAndKeepsTheHandle) {
    const TriangleMesh torus = support::torus(1.0, 0.3, 40, 100);
    const TriangleMesh result = decimated(torus, {.target_triangles = 1000});
    EXPECT_LE(result.triangles.rows(), 1000);
    EXPECT_GE(result.triangles.rows(), 998);
    const SurfaceHealth health = check_health(result);
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
    EXPECT_EQ(health.measures.genus, 1);
    EXPECT_NEAR(health.measures.volume, enclosed_volume(torus), 0.01 * enclosed_volume(torus));
}

// A plane costs nothing: a flat square shrinks to few triangles and a box keeps its corners.
TEST(Decimate, FlatPlacesGoFirst) {
    TriangleMesh fine = remeshed(support::box({0, 0, 0}, {1, 1, 1}), {.edge_length = 0.1});
    const TriangleMesh result = decimated(fine, {.target_triangles = 12, .max_error = 1e-6});
    EXPECT_LE(result.triangles.rows(), 40);
    EXPECT_NEAR(enclosed_volume(result), 1.0, 1e-6);
}

TEST(Decimate, ErrorLimitStopsIt) {
    const TriangleMesh sphere = support::sphere(4, 1.0);
    const TriangleMesh close = decimated(sphere, {.max_error = 4e-3});
    const TriangleMesh rough = decimated(sphere, {.max_error = 2e-2});
    EXPECT_LT(rough.triangles.rows(), close.triangles.rows());
    EXPECT_LT(close.triangles.rows(), sphere.triangles.rows() / 2);
    EXPECT_LT((close.points.rowwise().norm().array() - 1.0).abs().maxCoeff(), 1.6e-2);
}

TEST(Decimate, BorderVerticesStay) {
    const TriangleMesh result = decimated(support::open_square(20), {.target_triangles = 10});
    const SurfaceHealth health = check_health(result);
    EXPECT_EQ(health.measures.border_edges, 80);
    EXPECT_NEAR(health.measures.area, 1.0, 1e-9);
    EXPECT_LT(result.triangles.rows(), 200);
}

TEST(Decimate, TetrahedronIsTheEnd) {
    const TriangleMesh result = decimated(support::sphere(2, 1.0), {.target_triangles = 0});
    EXPECT_GE(result.triangles.rows(), 4);
    EXPECT_TRUE(check_health(result).measures.is_closed);
}

// Taubin's filter removes noise of the highest frequency and hardly shrinks; Laplace shrinks.
TEST(Smooth, TaubinRemovesNoiseAndKeepsTheVolume) {
    const TriangleMesh bumpy = bumpy_sphere();
    const TriangleMesh taubin = smoothed(bumpy, {.iterations = 20});
    EXPECT_LT(roughness(taubin), 0.5 * roughness(bumpy));
    EXPECT_NEAR(enclosed_volume(taubin), enclosed_volume(bumpy), 0.01 * enclosed_volume(bumpy));
    const TriangleMesh laplace =
        smoothed(bumpy, {.method = SmoothMethod::Laplacian, .iterations = 20});
    EXPECT_LT(enclosed_volume(laplace), 0.97 * enclosed_volume(bumpy));
    const TriangleMesh kept =
        smoothed(bumpy, {.method = SmoothMethod::Laplacian, .iterations = 20, .keep_volume = true});
    EXPECT_NEAR(enclosed_volume(kept), enclosed_volume(bumpy), 1e-6);
}

// One pass by hand: the middle of a flat square moves half-way down to its neighbours.
TEST(Smooth, OneLaplacianStepIsTheMeanOfTheNeighbours) {
    TriangleMesh square = support::open_square(2);
    square.points(4, 2) = 1.0;
    const TriangleMesh result =
        smoothed(square, {.method = SmoothMethod::Laplacian, .iterations = 1, .step = 0.5});
    EXPECT_DOUBLE_EQ(result.points(4, 2), 0.5);
    EXPECT_TRUE(result.points.row(0) == square.points.row(0));
    const TriangleMesh moved = smoothed(
        square, {.method = SmoothMethod::Laplacian, .iterations = 1, .keep_border = false});
    EXPECT_FALSE(moved.points.row(0) == square.points.row(0));
}

TEST(Smooth, BadInputIsRefused) {
    EXPECT_THROW(smoothed(support::sphere(1, 1.0), {.step = 2.0}), InputError);
    TriangleMesh nan = support::sphere(1, 1.0);
    nan.points(0, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(smoothed(nan), InputError);
    EXPECT_EQ(smoothed(TriangleMesh{}).points.rows(), 0);
}

TEST(Remesh, GradedEdgesFollowTheLengthsAskedFor) {
    const TriangleMesh ball = support::sphere(4, 0.1);
    std::vector<double> lengths;
    const auto wanted = [](const Vec3& x) { return 0.014 + 0.06 * x.x(); };  // 8 to 20 mm
    for (Eigen::Index i = 0; i < ball.points.rows(); ++i) {
        lengths.push_back(wanted(point(ball.points, i)));
    }
    const TriangleMesh graded = remeshed(ball, lengths, {.iterations = 10});
    EXPECT_TRUE(is_healthy(check_health(graded)));
    double ratio = 0.0;
    const Edges edges = unique_edges(graded.triangles);
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        const Vec3 a = point(graded.points, edges(e, 0));
        const Vec3 b = point(graded.points, edges(e, 1));
        const double r = (a - b).norm() / wanted(0.5 * (a + b));
        EXPECT_GT(r, 0.4);
        EXPECT_LT(r, 1.8);
        ratio += r / static_cast<double>(edges.rows());
    }
    EXPECT_NEAR(ratio, 1.0, 0.1);
    lengths.pop_back();
    EXPECT_THROW(remeshed(ball, lengths, {}), InputError);
}

}  // namespace sinew
