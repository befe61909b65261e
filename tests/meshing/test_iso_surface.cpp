#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/geometry/measure.h"
#include "sinew/meshing/grid_topology.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/iso_surface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace sinew {
namespace {

/// A grid of n^3 values of f over [-1, 1]^3.
template <class F>
ScalarGrid grid_of(int n, F&& f) {
    ScalarGrid grid;
    grid.origin = Vec3::Constant(-1.0);
    grid.cell = 2.0 / (n - 1);
    grid.size = {n, n, n};
    for (int z = 0; z < n; ++z) {
        for (int y = 0; y < n; ++y) {
            for (int x = 0; x < n; ++x) {
                grid.values.push_back(static_cast<float>(f(grid.position(x, y, z))));
            }
        }
    }
    return grid;
}

double ball(const Vec3& x) {
    return x.norm() - 0.7;
}

double ring(const Vec3& x) {
    return std::hypot(std::hypot(x.x(), x.y()) - 0.55, x.z()) - 0.2;
}

SurfaceMeasures measures_of(const TriangleMesh& mesh) {
    return check_health(mesh, {.find_intersections = false, .intersections = {}}).measures;
}

TEST(IsoSurface, OfABallHasItsVolumeAndAreaWithinHalfAPercent) {
    const TriangleMesh mesh = iso_surface(grid_of(41, ball));
    const double r = 0.7;
    EXPECT_NEAR(enclosed_volume(mesh.points, mesh.triangles),
                4.0 / 3.0 * std::numbers::pi * r * r * r, 0.005 * 1.44);
    EXPECT_NEAR(surface_area(mesh.points, mesh.triangles), 4.0 * std::numbers::pi * r * r,
                0.005 * 6.16);
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        EXPECT_NEAR(mesh.points.row(i).norm(), r, 1e-3);
    }
    EXPECT_EQ(measures_of(mesh).genus, 0);
    EXPECT_GT(measures_of(mesh).smallest_angle, 0.25);
}

TEST(IsoSurface, LevelMovesTheSurfaceAlongTheDistance) {
    const TriangleMesh mesh = iso_surface(grid_of(41, ball), {.level = 0.1});
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        EXPECT_NEAR(mesh.points.row(i).norm(), 0.8, 1e-3);
    }
}

TEST(IsoSurface, OfARingHasOneHandle) {
    const ScalarGrid grid = grid_of(33, ring);
    EXPECT_EQ(measures_of(iso_surface(grid)).genus, 1);
    EXPECT_EQ(iso_surface_euler(grid, 0.0), 0);
}

// Every pattern of signs, ambiguous faces included, must give a manifold.
TEST(IsoSurface, OfNoiseIsClosedAndManifold) {
    Random random(Seed{5});
    for (int trial = 0; trial < 20; ++trial) {
        const ScalarGrid grid = grid_of(12, [&](const Vec3& x) {
            return x.cwiseAbs().maxCoeff() > 0.95 ? 1.0 : random.uniform(-1.0, 1.0);
        });
        const TriangleMesh mesh = iso_surface(grid);
        const SurfaceMeasures m = measures_of(mesh);
        EXPECT_TRUE(m.is_closed) << trial;
        EXPECT_TRUE(m.is_manifold) << trial;
        EXPECT_EQ(m.euler, iso_surface_euler(grid, 0.0)) << trial;
    }
}

TEST(IsoSurface, RefusesOpenBordersAndBadValues) {
    EXPECT_THROW(iso_surface(grid_of(9, [](const Vec3& x) { return x.x(); })), InputError);
    ScalarGrid grid = grid_of(9, ball);
    grid.values[100] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(iso_surface(grid), InputError);
    grid = grid_of(9, ball);
    grid.values.pop_back();
    EXPECT_THROW(iso_surface(grid), InputError);
}

TEST(RemoveHandles, CutsARingOnceAndKeepsTheRest) {
    ScalarGrid grid = grid_of(33, ring);
    const double before = measures_of(iso_surface(grid)).volume;
    const std::size_t raised = remove_handles(grid, 0.0);
    const SurfaceMeasures m = measures_of(iso_surface(grid));
    EXPECT_GT(raised, 0u);
    EXPECT_EQ(m.genus, 0);
    EXPECT_EQ(m.components, 1);
    EXPECT_GT(m.volume, 0.9 * before);
}

TEST(RemoveHandles, LeavesABallAsItIs) {
    ScalarGrid grid = grid_of(25, ball);
    const std::vector<float> before = grid.values;
    EXPECT_EQ(remove_handles(grid, 0.0), 0u);
    EXPECT_EQ(grid.values, before);
}

TEST(RemoveHandles, MakesNoiseAndHollowBallsSimple) {
    Random random(Seed{9});
    for (int trial = 0; trial < 40; ++trial) {
        ScalarGrid grid = grid_of(14, [&](const Vec3& x) {
            return x.cwiseAbs().maxCoeff() > 0.9 ? 1.0 : random.uniform(-1.0, 0.6);
        });
        remove_handles(grid, 0.0);
        EXPECT_EQ(iso_surface_euler(grid, 0.0), 2) << trial;
        EXPECT_EQ(measures_of(iso_surface(grid)).components, 1) << trial;
    }
    ScalarGrid hollow = grid_of(25, [](const Vec3& x) { return std::abs(x.norm() - 0.6) - 0.15; });
    remove_handles(hollow, 0.0);
    EXPECT_EQ(iso_surface_euler(hollow, 0.0), 2);
}

}  // namespace
}  // namespace sinew
