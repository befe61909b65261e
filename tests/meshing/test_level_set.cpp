#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/units.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/level_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/shapes.h"

namespace sinew {

namespace {

double ball(double r) {
    return 4.0 / 3.0 * kPi * r * r * r;
}

// Cap of a ball of radius r cut off at distance d from its centre.
double cap(double r, double d) {
    const double h = r - d;
    return kPi * h * h * (3.0 * r - h) / 3.0;
}

DistanceFunction sphere_distance(double r, const Vec3& centre) {
    return [=](const Points& at, Eigen::VectorXd& d) {
        d = (at.rowwise() - centre.transpose()).rowwise().norm().array() - r;
    };
}

LevelSet sphere_set(double r, const Vec3& centre, const LevelSetOptions& options) {
    return LevelSet::from_function(
        sphere_distance(r, centre),
        Bounds{centre - Vec3::Constant(1.1 * r), centre + Vec3::Constant(1.1 * r)}, options);
}

void expect_sound(const TriangleMesh& mesh, std::int64_t genus) {
    const SurfaceHealth health = check_health(mesh);
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
    EXPECT_EQ(health.measures.genus, genus);
}

}  // namespace

TEST(LevelSet, SphereKeepsItsVolumeAndRadius) {
    const LevelSet s = sphere_set(1.0, {0.03, 0.01, -0.02}, {.voxel = 0.05});
    EXPECT_NEAR(s.volume(), ball(1.0), 0.005 * ball(1.0));
    const TriangleMesh mesh = s.to_mesh();
    expect_sound(mesh, 0);
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        EXPECT_NEAR((point(mesh.points, i) - Vec3(0.03, 0.01, -0.02)).norm(), 1.0, 0.003);
    }
    EXPECT_NEAR(s.value({0.03, 0.01, 1.04}), 0.06, 0.005);
    EXPECT_LT(s.value({0, 0, 0}), 0.0);
    EXPECT_NEAR(s.value({1e30, 0, 0}), 0.15, 1e-9);
}

TEST(LevelSet, MeshAndFunctionAgree) {
    const LevelSetOptions options = {.voxel = 0.05};
    const LevelSet from_mesh = LevelSet::from_mesh(support::sphere(4, 1.0), options);
    EXPECT_NEAR(from_mesh.volume(), sphere_set(1.0, Vec3::Zero(), options).volume(), 0.02);
    expect_sound(from_mesh.to_mesh(), 0);
    expect_sound(LevelSet::from_mesh(support::torus(1.0, 0.3, 24, 48), options).to_mesh(), 1);
}

// Two unit balls at distance 1: V = 2 V_ball - 2 V_cap(d = 1/2); likewise the others.
TEST(LevelSet, SharpUnionIntersectionAndDifferenceHaveTheVolumesOfLenses) {
    const LevelSetOptions options = {.voxel = 0.04};
    const LevelSet a = sphere_set(1.0, {-0.5, 0, 0}, options);
    const LevelSet b = sphere_set(1.0, {0.5, 0, 0}, options);
    const double lens = 2.0 * cap(1.0, 0.5);
    EXPECT_NEAR(a.united(b).volume(), 2.0 * ball(1.0) - lens, 0.05);
    EXPECT_NEAR(a.intersected(b).volume(), lens, 0.03);
    EXPECT_NEAR(a.without(b).volume(), ball(1.0) - lens, 0.04);
    expect_sound(a.united(b).to_mesh(), 0);
}

// The blend adds material near the seam only: more with a larger radius, none for balls far apart.
TEST(LevelSet, BlendFillsTheSeam) {
    const LevelSetOptions options = {.voxel = 0.06};
    const LevelSet a = sphere_set(1.0, {-0.8, 0, 0}, options);
    const LevelSet b = sphere_set(1.0, {0.8, 0, 0}, options);
    const double hard = a.united(b).volume();
    const LevelSet soft = a.united(b, 0.3);
    const double more = a.united(b, 0.6).volume();
    EXPECT_GT(soft.volume(), hard + 0.01);
    EXPECT_GT(more, soft.volume() + 0.01);
    expect_sound(soft.to_mesh(), 0);
    // In the plane between them both values are the same, so the fillet there is k/4 deep.
    double seam = 0.0;
    const TriangleMesh mesh = soft.to_mesh();
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        if (std::abs(mesh.points(i, 0)) < 0.03) {
            seam = std::max(seam, mesh.points.row(i).tail(2).norm());
        }
    }
    // |p - c| = 1 + k/4 at x = 0: y = sqrt((1 + k/4)^2 - 0.8^2)
    EXPECT_NEAR(seam, std::sqrt(1.075 * 1.075 - 0.64), 0.02);
    const LevelSet far = sphere_set(0.5, {3, 0, 0}, options);
    EXPECT_NEAR(a.united(far, 0.3).volume(), a.volume() + far.volume(), 0.01);
}

TEST(LevelSet, OffsetChangesTheRadius) {
    const LevelSet s = sphere_set(1.0, Vec3::Zero(), {.voxel = 0.08});
    EXPECT_NEAR(s.offset(0.2).volume(), ball(1.2), 0.015 * ball(1.2));
    EXPECT_NEAR(s.offset(-0.4).volume(), ball(0.6), 0.04 * ball(0.6));
    EXPECT_TRUE(s.offset(-1.2).is_empty());
    EXPECT_EQ(s.offset(-1.2).to_mesh().triangles.rows(), 0);
}

// A slit of 0.1 between two boxes is filled by closing with 0.1 and left by 0.02.
TEST(LevelSet, ClosingFillsNarrowGapsOnly) {
    const LevelSet gap = LevelSet::from_mesh(support::joined(support::box({0, 0, 0}, {0.45, 1, 1}),
                                                             support::box({0.55, 0, 0}, {1, 1, 1})),
                                             {.voxel = 0.04});
    EXPECT_GT(gap.value({0.5, 0.5, 0.5}), 0.0);
    EXPECT_LT(gap.closed(0.1).value({0.5, 0.5, 0.5}), 0.0);
    EXPECT_GT(gap.closed(0.02).value({0.5, 0.5, 0.5}), 0.0);
    EXPECT_NEAR(gap.closed(0.02).volume(), 0.9, 0.03);
    // Opening removes a sheet instead.
    const LevelSet sheet =
        LevelSet::from_mesh(support::box({0, 0, 0}, {1, 1, 0.1}), {.voxel = 0.04});
    EXPECT_TRUE(sheet.opened(0.1).is_empty());
    EXPECT_FALSE(sheet.opened(0.02).is_empty());
}

// Gaussian smoothing rounds the corners of a cube and leaves its faces where they are.
TEST(LevelSet, SmoothingRoundsCorners) {
    const LevelSet cube = LevelSet::from_mesh(support::box({0, 0, 0}, {1, 1, 1}), {.voxel = 0.04});
    const LevelSet smooth = cube.smoothed(0.08);
    EXPECT_NEAR(smooth.value({0.5, 0.5, 1.0}), 0.0, 0.01);
    EXPECT_GT(smooth.value({0.98, 0.98, 0.98}), 0.02);
    expect_sound(smooth.to_mesh(), 0);
}

// Overlapping pieces and loose triangles become one solid.
TEST(LevelSet, SelfIntersectingMeshAndSoupBecomeOneSolid) {
    const TriangleMesh crossing = support::joined(support::sphere(3, 1.0, {-0.5, 0, 0}),
                                                  support::sphere(3, 1.0, {0.5, 0, 0}));
    const LevelSet solid = LevelSet::from_mesh(crossing, {.voxel = 0.04});
    EXPECT_NEAR(solid.volume(), 2.0 * ball(1.0) - 2.0 * cap(1.0, 0.5), 0.15);
    expect_sound(solid.to_mesh(), 0);
    const TriangleMesh soup = support::soup(support::sphere(3, 1.0));
    EXPECT_NEAR(LevelSet::from_mesh(soup, {.voxel = 0.05}).volume(), ball(1.0), 0.1);
}

// A noise of signs at the corners of all cells: every pattern and every ambiguous face.
TEST(LevelSet, EverySignPatternGivesAClosedManifold) {
    const auto noise = [](const Points& at, Eigen::VectorXd& d) {
        for (Eigen::Index i = 0; i < at.rows(); ++i) {
            const Eigen::RowVector3d p = (at.row(i) * 10.0).array().round();
            const double s = std::sin(12.9898 * p[0] + 78.233 * p[1] + 37.719 * p[2]) * 43758.5453;
            d[i] = 0.19 * (s - std::floor(s) - 0.5);
        }
    };
    const LevelSet mess =
        LevelSet::from_function(noise, Bounds{Vec3::Zero(), Vec3::Constant(3.0)}, {.voxel = 0.1});
    const TriangleMesh mesh = mess.to_mesh();
    EXPECT_GT(mesh.triangles.rows(), 20000);
    const SurfaceHealth health = check_health(mesh, {.find_intersections = false});
    EXPECT_TRUE(health.measures.is_closed);
    EXPECT_TRUE(health.measures.is_manifold);
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
}

TEST(LevelSet, BoxCutsWhatReachesBeyondIt) {
    const LevelSet half =
        LevelSet::from_function(sphere_distance(1.0, Vec3::Zero()),
                                Bounds{Vec3(-2, -2, 0), Vec3(2, 2, 2)}, {.voxel = 0.05});
    EXPECT_NEAR(half.volume(), 0.5 * ball(1.0), 0.03);
    expect_sound(half.to_mesh(), 0);
}

TEST(LevelSet, SameBitsOnOneThreadAndMany) {
    const TriangleMesh crossing =
        support::joined(support::sphere(3, 1.0, {-0.5, 0, 0}), support::torus(1.0, 0.3, 24, 48));
    const auto make = [&] {
        return LevelSet::from_mesh(crossing, {.voxel = 0.08})
            .united(sphere_set(0.5, {0, 1, 0}, {.voxel = 0.08}), 0.1)
            .smoothed(0.05)
            .to_mesh();
    };
    const TriangleMesh many = make();
    const ThreadLimit limit(1);
    const TriangleMesh one = make();
    ASSERT_EQ(one.points.rows(), many.points.rows());
    EXPECT_TRUE(one.points == many.points);
    EXPECT_TRUE(one.triangles == many.triangles);
}

TEST(LevelSet, BadInputIsRefused) {
    EXPECT_THROW(LevelSet::from_mesh(TriangleMesh{}, {}), InputError);
    EXPECT_THROW(LevelSet::from_mesh(support::sphere(2, 1.0), {.voxel = 0.0}), InputError);
    EXPECT_THROW(LevelSet::from_mesh(support::sphere(2, 1.0), {.voxel = 1e-4}), InputError);
    EXPECT_THROW(LevelSet::from_mesh(support::sphere(2, 1e6), {.voxel = 0.01}), InputError);
    TriangleMesh nan = support::sphere(1, 1.0);
    nan.points(0, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(LevelSet::from_mesh(nan, {}), InputError);
    EXPECT_THROW(sphere_set(1.0, Vec3::Zero(), {.voxel = 1e-4}), InputError);
    const auto broken = [](const Points&, Eigen::VectorXd& d) { d.setConstant(NAN); };
    EXPECT_THROW(LevelSet::from_function(broken, Bounds{Vec3::Zero(), Vec3::Ones()}, {}),
                 InputError);
    const LevelSet a = sphere_set(1.0, Vec3::Zero(), {.voxel = 0.1});
    EXPECT_THROW(a.united(sphere_set(1.0, Vec3::Zero(), {.voxel = 0.2})), InputError);
    const LevelSet nothing({.voxel = 0.1});
    EXPECT_NEAR(a.united(nothing, 0.1).volume(), a.volume(), 0.02);
    EXPECT_TRUE(a.intersected(nothing).is_empty());
}

}  // namespace sinew
