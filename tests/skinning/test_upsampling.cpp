#include "sinew/geometry/measure.h"
#include "sinew/skinning/skin_upsampling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

template <class Map>
Points mapped(const Points& points, const Map& map) {
    Points out(points.rows(), 3);
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        out.row(i) = map(point(points, i)).transpose();
    }
    return out;
}

TEST(SkinUpsampling, KomaritzanReproducesTheRestShape) {
    const TriangleMesh coarse = support::torus(0.5, 0.2, 24, 40);
    const TriangleMesh fine = support::torus(0.5, 0.2, 60, 100);
    const SkinUpsampling upsampling(coarse, fine);
    Points shown;
    upsampling.apply(coarse.points, shown);
    EXPECT_LT((shown - fine.points).cwiseAbs().maxCoeff(), 2e-5);
    // Coarse vertices are found again where both meshes have them.
    const SkinUpsampling same(coarse, coarse);
    same.apply(coarse.points, shown);
    EXPECT_LT((shown - coarse.points).cwiseAbs().maxCoeff(), 2e-5);
}

TEST(SkinUpsampling, KomaritzanReproducesQuadraticMotions) {
    // A bumpy surface that is no quadric, so that all ten monomials can be told apart.
    const auto bumpy = [](const Vec3& p) {
        return Vec3(p * (1.0 + 0.08 * std::sin(9 * p.x()) * std::cos(8 * p.y() + p.z())));
    };
    TriangleMesh coarse = support::sphere(3, 0.5);
    coarse.points = mapped(coarse.points, bumpy);
    TriangleMesh fine = support::sphere(4, 0.5);
    fine.points = mapped(fine.points, bumpy);
    const auto bend = [](const Vec3& p) {
        return Vec3(p.x() + 0.3 * p.y() * p.y(), p.y() - 0.2 * p.x() * p.z(), p.z() + 0.1 * p.x());
    };
    const SkinUpsampling upsampling(coarse, fine);
    Points shown;
    upsampling.apply(mapped(coarse.points, bend), shown);
    const Points expected = mapped(fine.points, bend);
    EXPECT_LT((shown - expected).rowwise().norm().mean(), 1e-4);
    EXPECT_LT((shown - expected).rowwise().norm().maxCoeff(), 3e-3);
}

TEST(SkinUpsampling, FollowsRigidMotionsAlsoOnPlanes) {
    const TriangleMesh coarse = support::open_square(6);
    TriangleMesh fine = support::open_square(20);
    // Off the plane: what polynomials on a plane cannot know.
    fine.points.col(2).array() += 0.01;
    const SkinUpsampling upsampling(coarse, fine);
    for (const auto& motion : support::rigid_motions(3, Seed{6})) {
        Points shown;
        upsampling.apply(support::moved(coarse.points, motion), shown);
        EXPECT_LT((shown - support::moved(fine.points, motion)).cwiseAbs().maxCoeff(), 1e-4);
    }
}

TEST(SkinUpsampling, NeighboursAreCountedAlongTheSkin) {
    // Two sheets 1 mm apart: what one does is nothing to the other.
    const TriangleMesh sheet = support::open_square(8);
    TriangleMesh both;
    const Eigen::Index n = sheet.points.rows();
    both.points.resize(2 * n, 3);
    both.points << sheet.points, sheet.points;
    both.points.bottomRows(n).col(2).array() += 0.001;
    both.triangles.resize(2 * sheet.triangles.rows(), 3);
    both.triangles << sheet.triangles, (sheet.triangles.array() + static_cast<Index>(n)).matrix();
    const SkinUpsampling upsampling(both, both);
    Points moved = both.points;
    moved.bottomRows(n).col(2).array() += 1.0;
    Points shown;
    upsampling.apply(moved, shown);
    EXPECT_LT((shown - moved).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(SkinUpsampling, KomaritzanNormalsAreThoseOfTheFineSkinAndTurnWithIt) {
    const TriangleMesh coarse = support::torus(0.5, 0.2, 24, 40);
    const TriangleMesh fine = support::torus(0.5, 0.2, 60, 100);
    const SkinUpsampling upsampling(coarse, fine);
    Points normals;
    upsampling.apply_normals(vertex_normals(coarse), normals);
    EXPECT_LT((normals - vertex_normals(fine)).rowwise().norm().maxCoeff(), 1e-4);
    const auto motion = support::rigid_motions(1, Seed{8})[0];
    upsampling.apply_normals(
        vertex_normals(support::moved(coarse.points, motion), coarse.triangles), normals);
    const Points turned = vertex_normals(support::moved(fine.points, motion), fine.triangles);
    EXPECT_LT((normals - turned).rowwise().norm().maxCoeff(), 1e-4);
}

}  // namespace
}  // namespace sinew
