#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/contact/rigid_shape.h"

#include <gtest/gtest.h>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

std::vector<Shape> all_shapes() {
    return {SphereShape{.radius = 0.6}, CapsuleShape{.radius = 0.3, .half_length = 0.5},
            BoxShape{.half_size = Vec3(0.5, 0.3, 0.7)}, HalfSpaceShape{},
            make_mesh_shape(support::sphere(3, 0.6))};
}

Points random_points(Eigen::Index count, Seed seed) {
    Random random(seed);
    Points p(count, 3);
    for (Eigen::Index i = 0; i < p.size(); ++i) {
        p.data()[i] = random.uniform(-1.2, 1.2);
    }
    return p;
}

TEST(RigidShape, DerivativesAreThoseOfFiniteDifferences) {
    constexpr double h = 1e-6;
    const Points points = random_points(100, Seed{3});
    for (const Shape& shape : all_shapes()) {
        for (const auto& motion : support::rigid_motions(2, Seed{5})) {
            const MovingShape moving{.shape = shape, .T_world_shape = motion};
            int jumps = 0;
            for (Eigen::Index i = 0; i < points.rows(); ++i) {
                const Vec3 p = motion * point(points, i);
                const ShapeDistance d = shape_distance(moving, p);
                EXPECT_NEAR(d.gradient.norm(), 1.0, 1e-12);
                for (int k = 0; k < 3; ++k) {
                    const ShapeDistance up = shape_distance(moving, p + h * Vec3::Unit(k));
                    const ShapeDistance down = shape_distance(moving, p - h * Vec3::Unit(k));
                    EXPECT_NEAR((up.distance - down.distance) / (2 * h), d.gradient[k], 1e-5);
                    const Vec3 column = (up.gradient - down.gradient) / (2 * h);
                    // The second derivative jumps where the nearest feature changes.
                    jumps += (column - d.hessian.col(k)).norm() > 1e-3 * (1 + column.norm());
                }
            }
            EXPECT_LE(jumps, 6) << shape.index();
        }
    }
}

TEST(RigidShape, ASphereOfTrianglesIsNearlyASphere) {
    const Shape mesh = make_mesh_shape(support::sphere(4, 0.6));
    const Shape sphere = SphereShape{.radius = 0.6};
    const Points points = random_points(200, Seed{4});
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        const Vec3 p = point(points, i);
        EXPECT_NEAR(shape_distance(mesh, p).distance, shape_distance(sphere, p).distance, 2e-3);
    }
}

TEST(RigidShape, ContactsAreTheNearVerticesWithPlanesThatTouchTheShape) {
    const Points x = random_points(5000, Seed{6});
    for (const Shape& shape : all_shapes()) {
        MovingShape moving{.shape = shape};
        moving.T_world_shape = support::rigid_motions(1, Seed{8})[0];
        moving.T_world_previous = moving.T_world_shape;
        moving.T_world_previous.pretranslate(Vec3(0, -0.2, 0));
        moving.step = 0.1;
        std::vector<std::vector<RigidContact>> answers;
        for (const int threads : {1, 2}) {
            const ThreadLimit limit(threads);
            answers.push_back(find_rigid_contacts(moving, x, 0.05));
        }
        std::size_t k = 0;
        for (Index v = 0; v < x.rows(); ++v) {
            const double distance = shape_distance(moving, point(x, v)).distance;
            if (distance < 0.05) {
                ASSERT_LT(k, answers[0].size());
                const RigidContact& c = answers[0][k];
                EXPECT_EQ(c.vertex, v);
                EXPECT_EQ(c.distance, distance);
                EXPECT_NEAR((point(x, v) - c.point).dot(c.normal), distance - 0.05, 1e-12);
                EXPECT_LT((c.velocity - Vec3(0, 2, 0)).norm(), 1e-9);
                EXPECT_EQ(answers[1][k].vertex, v);
                EXPECT_EQ(answers[1][k].point, c.point);
                ++k;
            }
        }
        EXPECT_EQ(k, answers[0].size());
        EXPECT_EQ(k, answers[1].size());
        EXPECT_GT(k, 50u);
    }
}

}  // namespace
}  // namespace sinew
