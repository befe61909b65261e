// Measures and queries on real bones, muscles and skin, against the figures that the atlas states.
#include "sinew/geometry/embedding.h"
#include "sinew/geometry/laplacian.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/rbf_warp.h"
#include "sinew/geometry/sampling.h"
#include "sinew/geometry/signed_distance.h"
#include "sinew/geometry/simplex.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "tests/support/shapes.h"
#include "tests/support/shared_data.h"

namespace sinew {
namespace {

/// The one kind of file that the atlas holds: binary little-endian PLY with float x y z and
/// triangles as a byte and three 32-bit indices. (Geometry stands below io and cannot use it.)
TriangleMesh read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    Eigen::Index vertices = 0, triangles = 0;
    for (std::string line; std::getline(file, line) && line != "end_header";) {
        if (line.rfind("element vertex ", 0) == 0) {
            vertices = std::stol(line.substr(15));
        } else if (line.rfind("element face ", 0) == 0) {
            triangles = std::stol(line.substr(13));
        }
    }
    Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> points(vertices, 3);
    file.read(reinterpret_cast<char*>(points.data()), points.size() * 4);
    TriangleMesh mesh;
    mesh.points = points.cast<double>();
    mesh.triangles.resize(triangles, 3);
    for (Eigen::Index t = 0; t < triangles; ++t) {
        file.get();
        file.read(reinterpret_cast<char*>(mesh.triangles.data() + 3 * t), 12);
    }
    return file ? mesh : TriangleMesh{};
}

TEST(Atlas, VolumesAreasAndCentroidsAreThoseOfItsTable) {
    SINEW_NEEDS_SHARED(atlas, "atlas");
    struct Row {
        const char* file;
        double volume_ml, area_cm2;
        Vec3 centroid;
    };
    for (const Row& row : {Row{"bones/femur_l.ply", 483.906, 593.7, {0.09057, 0.61741, -0.01296}},
                           Row{"bones/sacrum.ply", 193.794, 357.06, {0.00117, 0.90182, -0.04847}},
                           Row{"muscles/biceps_brachii_long_head_l.ply",
                               99.093,
                               197.54,
                               {0.20283, 1.18564, -0.01088}},
                           Row{"skin/skin.ply", 66123.096, 17023.56, {1e-05, 0.93981, -0.01451}}}) {
        const TriangleMesh mesh = read(atlas / row.file);
        EXPECT_TRUE(is_watertight(mesh)) << row.file;
        EXPECT_NEAR(enclosed_volume(mesh) * 1e6, row.volume_ml, 1e-5 * row.volume_ml) << row.file;
        EXPECT_NEAR(surface_area(mesh) * 1e4, row.area_cm2, 1e-4 * row.area_cm2) << row.file;
        EXPECT_LT((mass_properties(mesh).centroid - row.centroid).norm(), 1e-5 * std::sqrt(3.0));
    }
}

TEST(Atlas, BonesAndMusclesLieInsideTheSkin) {
    SINEW_NEEDS_SHARED(atlas, "atlas");
    const TriangleMesh skin = read(atlas / "skin/skin.ply");
    const SignedDistance distance(skin);
    for (const char* file : {"bones/femur_l.ply", "muscles/biceps_brachii_long_head_l.ply"}) {
        const TriangleMesh part = read(atlas / file);
        EXPECT_LT(distance.at_all(part.points).maxCoeff(), 0.0) << file;
    }
    // The fast winding number agrees with the sum over all triangles.
    const SurfaceSamples samples = sample_surface(skin, 50, Seed{1});
    Random random(Seed{2});
    for (Eigen::Index i = 0; i < samples.points.rows(); ++i) {
        const Vec3 p = point(samples.points, i) +
                       0.03 * Vec3(random.normal(), random.normal(), random.normal());
        EXPECT_NEAR(distance.winding().at(p), distance.winding().exact_at(p), 3e-3);
    }
}

TEST(Atlas, ClosestPointsOnTheFemurEqualThoseOfTestingEveryTriangle) {
    SINEW_NEEDS_SHARED(path, "atlas/bones/femur_l.ply");
    const TriangleMesh femur = read(path);
    const SurfaceTree tree(femur);
    Random random(Seed{3});
    for (int i = 0; i < 200; ++i) {
        const Vec3 p(random.uniform(0, 0.2), random.uniform(0.3, 0.9), random.uniform(-0.1, 0.1));
        double best = 1e300;
        for (Eigen::Index t = 0; t < femur.triangles.rows(); ++t) {
            best = std::min(best, closest_on_triangle(p, point(femur.points, femur.triangles(t, 0)),
                                                      point(femur.points, femur.triangles(t, 1)),
                                                      point(femur.points, femur.triangles(t, 2)))
                                      .squared_distance);
        }
        EXPECT_EQ(tree.closest_point(p).distance, std::sqrt(best));
    }
}

// Seen from inside a closed bone every ray leaves once more than it enters.
TEST(Atlas, RaysFromInsideTheFemurLeaveIt) {
    SINEW_NEEDS_SHARED(path, "atlas/bones/femur_l.ply");
    const TriangleMesh femur = read(path);
    const SurfaceTree tree(femur);
    const Vec3 inside(0.09057, 0.61741, -0.01296);
    ASSERT_TRUE(WindingNumber(femur).is_inside(inside));
    Random random(Seed{4});
    for (int i = 0; i < 500; ++i) {
        const Vec3 direction(random.normal(), random.normal(), random.normal());
        EXPECT_EQ(tree.count_hits({.origin = inside, .direction = direction}) % 2, 1u);
    }
}

TEST(Atlas, TheFemurFollowsTetsAndWarpsThroughAffineMaps) {
    SINEW_NEEDS_SHARED(path, "atlas/bones/femur_l.ply");
    const TriangleMesh femur = read(path);
    const Bounds box = bounds(femur.points);
    TetMesh cage = support::box_of_tets({4, 16, 4}, box.size() - Vec3::Constant(0.004));
    cage.points.rowwise() += (box.low + Vec3::Constant(0.002)).transpose();
    const TetEmbedding embedding = embed(femur.points, cage);
    EXPECT_GT(embedding.outside_count(), 0);
    Mat3 A;
    A << 1.1, 0.1, 0, 0, 1.2, 0.05, 0, -0.1, 0.9;
    const Points moved = femur.points * A.transpose();
    EXPECT_LT((apply(embedding, cage.points * A.transpose()) - moved).cwiseAbs().maxCoeff(), 1e-13);
    const RbfWarp warp(cage.points, cage.points * A.transpose());
    EXPECT_LT((warp.apply(femur.points) - moved).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Atlas, LaplaciansOfRealPartsAreMadeOfGradients) {
    SINEW_NEEDS_SHARED(path, "atlas/bones/sacrum.ply");
    const TriangleMesh sacrum = read(path);
    const Eigen::SparseMatrix<double> L = cotangent_laplacian(sacrum.points, sacrum.triangles);
    const Eigen::SparseMatrix<double> G = gradient_operator(sacrum.points, sacrum.triangles);
    Eigen::VectorXd W(G.rows());
    const Eigen::VectorXd areas = triangle_areas(sacrum);
    for (Eigen::Index t = 0; t < areas.size(); ++t) {
        W.segment<3>(3 * t).setConstant(areas[t]);
    }
    const Eigen::SparseMatrix<double> GWG = G.transpose() * W.asDiagonal() * G;
    EXPECT_LT((GWG - L).norm(), 1e-12 * L.norm());
    EXPECT_NEAR(voronoi_mass(sacrum.points, sacrum.triangles).sum(), surface_area(sacrum), 1e-12);
}

}  // namespace
}  // namespace sinew
