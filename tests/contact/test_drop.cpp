// Contacts found here, resolved by the terms of energy: bodies that fall do not pass each other.
#include "sinew/contact/rigid_shape.h"
#include "sinew/contact/tet_contact.h"
#include "sinew/energy/masses.h"
#include "sinew/energy/planes.h"
#include "sinew/energy/projective_contacts.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/solver/local_global.h"

#include <gtest/gtest.h>

#include "tests/support/shapes.h"

namespace sinew {
namespace {

constexpr double kStep = 1.0 / 100.0;
const LocalGlobalOptions kOptions = {.max_iterations = 15, .tolerance = 1e-4};

// Soft blocks of 10 cm that fall, with what a step needs.
struct Falling {
    explicit Falling(const TetMesh& rest)
        : mesh(rest),
          masses(lumped_masses(
              rest, std::vector<double>(static_cast<std::size_t>(rest.tets.rows()), 1000.0))),
          solver(rest.points.rows(), terms(rest)),
          x(rest.points),
          v(Points::Zero(rest.points.rows(), 3)) {
        solver.set_dynamics(masses, kStep);
        solver.set_external_forces(gravity_forces(masses, Vec3(0, -9.81, 0)));
    }

    static EnergyTerms terms(const TetMesh& rest) {
        const auto count = static_cast<std::size_t>(rest.tets.rows());
        return {std::make_shared<ProjectiveTets>(rest, std::vector<double>(count, 4e4),
                                                 std::vector<double>(count, 4e4))};
    }

    void step(std::span<const std::shared_ptr<ProjectiveConstraints>> contacts) {
        solver.set_changing(contacts);
        solver.advance(x, v, 1.0, kOptions);
    }

    TetMesh mesh;
    std::vector<double> masses;
    LocalGlobal solver;
    Points x;
    Points v;
};

TEST(FallingBlocks, LieOnEachOtherAndOnTheFloor) {
    TetMesh low = support::box_of_tets({6, 2, 6}, Vec3(0.2, 0.06, 0.2));
    TetMesh high = support::box_of_tets({3, 3, 3}, Vec3::Constant(0.1));
    low.points.col(1).array() += 0.01;
    high.points.col(1).array() += 0.10;
    high.points.col(0).array() += 0.051;
    high.points.col(2).array() += 0.052;
    TetMesh body;
    const Eigen::Index n = low.points.rows();
    body.points.resize(n + high.points.rows(), 3);
    body.points << low.points, high.points;
    body.tets.resize(low.tets.rows() + high.tets.rows(), 4);
    body.tets << low.tets, (high.tets.array() + static_cast<Index>(n)).matrix();

    Falling blocks(body);
    TetContacts finder(body, {.neighbourhood = 0.0, .retain = 0.005});
    const auto between = std::make_shared<ProjectiveContacts>(2e4, 0.0);
    const auto on_floor = std::make_shared<Planes>();
    const std::shared_ptr<ProjectiveConstraints> lists[2] = {between, on_floor};
    const MovingShape floor{.shape = HalfSpaceShape{}};

    double deepest = 0.0;
    for (int frame = 0; frame < 120; ++frame) {
        const Points ahead = blocks.x + kStep * blocks.v;
        between->set_contacts(finder.find(ahead));
        on_floor->set_planes(planes_at(find_rigid_contacts(floor, ahead, 0.002), 2e4));
        blocks.step(lists);
        ASSERT_TRUE(blocks.x.allFinite());
        for (const TetContacts::Depth& d : finder.depths(blocks.x)) {
            deepest = std::max(deepest, d.depth);
        }
    }
    // They touch, they do not sink in by more than 3 mm on impact, and they rest.
    EXPECT_GT(deepest, 0.0);
    EXPECT_LT(deepest, 0.003);
    EXPECT_NEAR(blocks.x.topRows(n).col(1).minCoeff(), 0.0, 0.002);
    EXPECT_NEAR(blocks.x.topRows(n).col(1).mean(), 0.03, 0.004);
    const auto upper = blocks.x.bottomRows(high.points.rows());
    EXPECT_NEAR(upper.col(1).mean(), 0.11, 0.006);
    EXPECT_NEAR(upper.col(1).minCoeff(), 0.06, 0.006);
    EXPECT_LT(blocks.v.rowwise().norm().maxCoeff(), 0.3);
}

TEST(FallingBlocks, ARisingSphereLiftsABlock) {
    TetMesh block = support::box_of_tets({5, 3, 5}, Vec3(0.2, 0.1, 0.2));
    block.points.rowwise() += Eigen::RowVector3d(-0.1, 0.105, -0.1);
    Falling body(block);
    const auto term = std::make_shared<Planes>();
    const std::shared_ptr<ProjectiveConstraints> lists[1] = {term};
    MovingShape sphere{.shape = SphereShape{.radius = 0.1}, .step = kStep};
    double deepest = 0.0;
    for (int frame = 0; frame < 60; ++frame) {
        sphere.T_world_previous = sphere.T_world_shape;
        sphere.T_world_shape.translation().y() += kStep * 0.5;
        const Points ahead = body.x + kStep * body.v;
        term->set_planes(planes_at(find_rigid_contacts(sphere, ahead, 0.004), 5e4));
        body.step(lists);
        for (Eigen::Index i = 0; i < body.x.rows(); ++i) {
            deepest = std::max(deepest, -shape_distance(sphere, point(body.x, i)).distance);
        }
    }
    EXPECT_LT(deepest, 0.004);
    // Lifted by 30 cm, and still on top.
    EXPECT_GT(body.x.col(1).minCoeff(), 0.25);
    EXPECT_NEAR(body.x.col(0).mean(), 0.0, 0.02);
}

}  // namespace
}  // namespace sinew
