// Real anatomy: the parts of the atlas, where it is there.
#include "sinew/geometry/measure.h"
#include "sinew/io/mesh_files.h"
#include "sinew/meshing/decimate.h"
#include "sinew/meshing/health.h"
#include "sinew/meshing/remesh.h"
#include "sinew/meshing/repair.h"

#include <gtest/gtest.h>

#include "tests/support/shared_data.h"

namespace sinew {

namespace {

TriangleMesh read(const std::filesystem::path& path) {
    return read_surface(path).at(0).mesh;
}

}  // namespace

// The atlas says: one closed piece, genus 0, no self-intersections.
TEST(Atlas, FineSkinIsHealthy) {
    SINEW_NEEDS_SHARED(path, "atlas/skin/skin_60k.ply");
    const SurfaceHealth health = check_health(read(path));
    EXPECT_TRUE(is_healthy(health)) << summary(health.problems);
    EXPECT_EQ(health.measures.genus, 0);
    EXPECT_EQ(health.measures.components, 1);
    EXPECT_NEAR(health.measures.volume, 0.0661, 0.0005);
}

// The atlas says: 29 pairs of intersecting triangles.
TEST(Atlas, CoarseSkinHasItsKnownIntersectionsAndTheyCanBeRemoved) {
    SINEW_NEEDS_SHARED(path, "atlas/skin/skin_6k.ply");
    TriangleMesh skin = read(path);
    const SurfaceHealth before = check_health(skin);
    EXPECT_EQ(before.measures.intersections, 29);
    ASSERT_EQ(before.problems.size(), 1u);
    EXPECT_EQ(before.problems[0].what, "self-intersections");
    const RepairReport report = repair(skin, {.remove_intersections = true, .voxel = 0.008});
    EXPECT_TRUE(report.health.measures.is_closed && report.health.measures.is_manifold);
    EXPECT_LT(report.health.measures.intersections, 29);
    EXPECT_NEAR(report.health.measures.volume, before.measures.volume,
                0.02 * before.measures.volume);
}

TEST(Atlas, FemurIsDecimatedAndRemeshed) {
    SINEW_NEEDS_SHARED(path, "atlas/bones/femur_l.ply");
    const TriangleMesh femur = read(path);
    const double volume = enclosed_volume(femur);
    const std::int64_t genus = check_health(femur).measures.genus;
    const TriangleMesh coarse = decimated(femur, {.target_triangles = femur.triangles.rows() / 3});
    EXPECT_EQ(check_health(coarse).measures.genus, genus);
    EXPECT_NEAR(enclosed_volume(coarse), volume, 0.01 * volume);
    const TriangleMesh even = remeshed(femur, {.edge_length = 0.007});
    EXPECT_EQ(check_health(even).measures.genus, genus);
    EXPECT_NEAR(enclosed_volume(even), volume, 0.03 * volume);
}

// Muscles with coincident vertices are closed: repair must not weld them.
TEST(Atlas, MuscleIsNotWeldedByRepair) {
    SINEW_NEEDS_SHARED(path, "atlas/muscles/biceps_brachii_long_head_l.ply");
    TriangleMesh muscle = read(path);
    const Eigen::Index before = muscle.points.rows();
    const RepairReport report = repair(muscle);
    EXPECT_EQ(muscle.points.rows(), before);
    EXPECT_TRUE(report.health.measures.is_closed);
}

}  // namespace sinew
