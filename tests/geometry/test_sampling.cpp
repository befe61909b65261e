#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

// Mean and variance of a uniform variable on [0, 1] are 1/2 and 1/12, whatever the triangles.
TEST(SampleSurface, IsUniformOnTheUnitSquare) {
    TriangleMesh mesh = support::open_square(4);
    // Uneven triangles must not show: squeeze the inner columns.
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        mesh.points(i, 0) = std::pow(mesh.points(i, 0), 3);
    }
    const Eigen::Index n = 40000;
    const SurfaceSamples s = sample_surface(mesh, n, Seed{5});
    for (int k = 0; k < 2; ++k) {
        const Eigen::ArrayXd x = s.points.col(k).array();
        EXPECT_NEAR(x.mean(), 0.5, 0.006);
        EXPECT_NEAR((x - x.mean()).square().mean(), 1.0 / 12.0, 0.002);
    }
    // Each of 10 x 10 cells expects 400; five standard deviations are 100.
    Eigen::ArrayXXi counts = Eigen::ArrayXXi::Zero(10, 10);
    for (Eigen::Index i = 0; i < n; ++i) {
        ++counts(static_cast<int>(10 * s.points(i, 0)), static_cast<int>(10 * s.points(i, 1)));
    }
    EXPECT_GT(counts.minCoeff(), 300);
    EXPECT_LT(counts.maxCoeff(), 500);
}

TEST(SampleSurface, PointsLieWhereTheirCoordinatesSay) {
    const TriangleMesh mesh = support::torus(1, 0.3, 12, 18);
    const SurfaceSamples s = sample_surface(mesh, 500, Seed{1});
    for (Eigen::Index i = 0; i < 500; ++i) {
        const Index t = s.triangle[static_cast<std::size_t>(i)];
        Eigen::RowVector3d p = Eigen::RowVector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            p += s.barycentric(i, k) * mesh.points.row(mesh.triangles(t, k));
        }
        EXPECT_LT((p - s.points.row(i)).norm(), 1e-15);
        EXPECT_GE(s.barycentric.row(i).minCoeff(), 0.0);
    }
}

TEST(SampleSurface, NeverPicksTrianglesWithoutArea) {
    TriangleMesh mesh = support::open_square(1);
    mesh.triangles.conservativeResize(4, 3);
    mesh.triangles.row(2) << 0, 0, 1;
    mesh.triangles.row(3) << 1, 1, 1;
    for (const Index t : sample_surface(mesh, 2000, Seed{2}).triangle) {
        EXPECT_LT(t, 2);
    }
}

TEST(SampleVolume, IsUniformInTheUnitCube) {
    const TetMesh mesh = support::cube_of_tets(2);
    const VolumeSamples s = sample_volume(mesh, 40000, Seed{5});
    Eigen::ArrayXi counts = Eigen::ArrayXi::Zero(125);
    for (Eigen::Index i = 0; i < s.points.rows(); ++i) {
        const Eigen::Vector3i cell = (5.0 * s.points.row(i)).cast<int>().transpose();
        ++counts[(cell.x() * 5 + cell.y()) * 5 + cell.z()];
        const Index t = s.tet[static_cast<std::size_t>(i)];
        Eigen::RowVector3d p = Eigen::RowVector3d::Zero();
        for (int k = 0; k < 4; ++k) {
            p += s.barycentric(i, k) * mesh.points.row(mesh.tets(t, k));
        }
        EXPECT_LT((p - s.points.row(i)).norm(), 1e-15);
    }
    // Each cell expects 320; five standard deviations are 90.
    EXPECT_GT(counts.minCoeff(), 230);
    EXPECT_LT(counts.maxCoeff(), 410);
}

TEST(SampleSurface, FirstSamplesDoNotDependOnHowManyAreDrawn) {
    const TriangleMesh mesh = support::sphere(2, 1.0);
    const SurfaceSamples few = sample_surface(mesh, 10, Seed{8});
    const SurfaceSamples many = sample_surface(mesh, 5000, Seed{8});
    EXPECT_EQ(few.points, many.points.topRows(10));
    EXPECT_NE(few.points, sample_surface(mesh, 10, Seed{9}).points);
}

TEST(SampleSurface, GivesTheSameBytesOnOneAndTwoThreads) {
    const TriangleMesh mesh = support::sphere(3, 1.0);
    const auto draw = [&](int threads) {
        const ThreadLimit limit(threads);
        return sample_surface(mesh, 20000, Seed{3}).points;
    };
    EXPECT_EQ(draw(1), draw(2));
}

TEST(SampleSurface, RefusesMeshesWithoutAreaAndNan) {
    EXPECT_THROW(sample_surface(TriangleMesh{}, 1, Seed{1}), InputError);
    EXPECT_EQ(sample_surface(TriangleMesh{}, 0, Seed{1}).points.rows(), 0);
    EXPECT_THROW(sample_volume(TetMesh{}, 1, Seed{1}), InputError);
    TetMesh flat = support::one_tet();
    flat.points.col(2).setZero();
    EXPECT_THROW(sample_volume(flat, 1, Seed{1}), InputError);
    TriangleMesh mesh = support::sphere(1, 1.0);
    EXPECT_THROW(sample_surface(mesh, -1, Seed{1}), InputError);
    mesh.points(0, 0) = std::nan("");
    EXPECT_THROW(sample_surface(mesh, 1, Seed{1}), InputError);
}

}  // namespace
}  // namespace sinew
