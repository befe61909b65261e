#include "sinew/render/fibre_lines.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

/// A block with one round muscle whose fibres circle the z axis.
Body circling_body() {
    Body body;
    body.tets = support::box_of_tets({24, 24, 4}, Vec3(0.24, 0.24, 0.04));
    body.tets.points.rowwise() -= Eigen::RowVector3d(0.12, 0.12, 0.02);
    Muscle muscle;
    muscle.name = "ring_l";
    muscle.mesh = support::torus(0.08, 0.015, 64, 24);
    body.muscles = {muscle};
    const Eigen::Index tets = body.tets.tets.rows();
    body.fibres.direction.resize(tets, 3);
    for (Eigen::Index t = 0; t < tets; ++t) {
        Vec3 c = Vec3::Zero();
        for (Eigen::Index k = 0; k < 4; ++k) {
            c += 0.25 * point(body.tets.points, body.tets.tets(t, k));
        }
        body.fibres.direction.row(t) = Vec3(-c.y(), c.x(), 0.0).normalized().transpose();
        body.fibres.muscle.push_back(0);
        body.fibres.start.push_back(static_cast<Index>(t) + 1);
    }
    return body;
}

TEST(FibreLines, KeepTheirRadiusAroundACircle) {
    const std::vector<SceneLines> all =
        fibre_lines(circling_body(), {.spacing = 0.025, .max_length = 0.15});
    ASSERT_EQ(all.size(), 1u);
    ASSERT_GT(all[0].lines.size(), 40u);
    std::size_t points = 0;
    for (const std::vector<Vec3>& line : all[0].lines) {
        const double radius = std::hypot(line.front().x(), line.front().y());
        for (const Vec3& x : line) {
            EXPECT_NEAR(std::hypot(x.x(), x.y()), radius, 0.004);
            EXPECT_NEAR(x.z(), line.front().z(), 1e-6);
            ++points;
        }
    }
    EXPECT_GT(points / all[0].lines.size(), 30u);
}

}  // namespace
}  // namespace sinew
