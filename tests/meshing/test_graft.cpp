#include "sinew/geometry/measure.h"
#include "sinew/meshing/graft.h"
#include "sinew/meshing/health.h"

#include <gtest/gtest.h>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

TEST(Graft, PutsTheFinerCapOfABallInPlaceOfTheCoarseOneAndStaysClosed) {
    const TriangleMesh coarse = support::sphere(3, 1.0);
    const TriangleMesh fine = support::sphere(5, 1.1);
    const GraftRegion top{
        .seed = Vec3(0, 1, 0), .point = Vec3(0, 0.4, 0), .normal = Vec3::UnitY(), .gap = 0.05};
    const std::optional<TriangleMesh> whole = grafted(coarse, fine, top);
    ASSERT_TRUE(whole.has_value());
    const SurfaceMeasures m = check_health(*whole).measures;
    EXPECT_TRUE(m.is_closed && m.is_manifold);
    EXPECT_EQ(m.components, 1);
    EXPECT_EQ(m.genus, 0);
    EXPECT_NEAR(whole->points.col(1).maxCoeff(), 1.1, 1e-9);
    EXPECT_NEAR(whole->points.col(1).minCoeff(), -1.0, 1e-9);
    EXPECT_GT(enclosed_volume(*whole), enclosed_volume(coarse));
    EXPECT_LT(enclosed_volume(*whole), enclosed_volume(fine));
}

TEST(Graft, TakesOnlyWhatHangsTogetherWithTheSeed) {
    const TriangleMesh two =
        support::joined(support::sphere(3, 1.0), support::sphere(3, 1.0, {3, 0, 0}));
    const GraftRegion top{.seed = Vec3(0, 1, 0), .point = Vec3(0, 0.4, 0), .normal = Vec3::UnitY()};
    const std::vector<char> inside = vertices_in_region(two, top);
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        EXPECT_EQ(inside[i] != 0, two.points(row, 0) < 1.5 && two.points(row, 1) > 0.4);
    }
}

TEST(Graft, RefusesAPlaneThatCutsTheLimbInTwoLoops) {
    const TriangleMesh ring = support::torus(1.0, 0.3, 24, 48);
    Eigen::Index highest = 0;
    ring.points.col(0).maxCoeff(&highest);
    const GraftRegion half{
        .seed = point(ring.points, highest), .point = Vec3::Zero(), .normal = Vec3::UnitX()};
    EXPECT_FALSE(grafted(ring, ring, half).has_value());
}

}  // namespace
}  // namespace sinew
