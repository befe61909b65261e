#include "sinew/motion/bone_depths.h"
#include "sinew/motion/mirrored_muscles.h"
#include "sinew/motion/musculature_retargeting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "tests/support/shapes.h"
#include "tests/support/walker_model.h"

namespace sinew {
namespace {

using support::walker_model;

// The walker with long bones as boxes, which hamstring and vastus run beside.
MusculoskeletalModel boned_walker() {
    MusculoskeletalModel model = walker_model();
    const auto add = [&](const std::string& body, const Vec3& low, const Vec3& high) {
        model.shapes.push_back({.name = body,
                                .body = find_body(model, body),
                                .mesh = std::make_shared<TriangleMesh>(support::box(low, high))});
    };
    for (const char* side : {"L", "R"}) {
        add(std::string("Femur") + side, Vec3(-0.03, -0.43, -0.03), Vec3(0.03, 0.02, 0.03));
        add(std::string("Tibia") + side, Vec3(-0.025, -0.38, -0.02), Vec3(0.025, 0.02, 0.025));
    }
    return model;
}

TEST(DepthGrid, KnowsASphereWithinACell) {
    const DepthGrid grid(support::sphere(5, 0.05, Vec3(0.1, 0.2, 0.3)), 0.004);
    for (int i = 0; i < 400; ++i) {
        const double a = 0.1 * i;
        const double r = 0.06 * std::abs(std::sin(0.37 * i));
        const Vec3 p =
            Vec3(0.1, 0.2, 0.3) + r * Vec3(std::cos(a) * std::sin(2.1 * a),
                                           std::sin(a) * std::sin(2.1 * a), std::cos(2.1 * a));
        const double exact = 0.05 - r;
        if (r < 0.008) {
            continue;  // the depth has a corner in the middle, which a grid cuts off
        }
        if (exact > -0.003) {
            EXPECT_NEAR(grid.at(p), exact, 0.0012) << i;
        } else {
            EXPECT_LT(grid.at(p), 0.0);
        }
    }
    EXPECT_EQ(grid.at(Vec3(9.0, 0.0, 0.0)), -grid.cell());
    EXPECT_TRUE(DepthGrid(TriangleMesh{}).is_empty());
}

TEST(DepthGrid, TheGradientIsThatOfTheValue) {
    const DepthGrid grid(support::box(Vec3(-0.05, -0.2, -0.04), Vec3(0.05, 0.2, 0.04)), 0.004);
    for (int i = 0; i < 200; ++i) {
        const Vec3 p(0.055 * std::sin(1.0 + i), 0.21 * std::sin(2.0 + 1.7 * i),
                     0.045 * std::sin(3.0 + 2.3 * i));
        Vec3 gradient;
        grid.at(p, &gradient);
        for (int k = 0; k < 3; ++k) {
            constexpr double kStep = 1e-8;
            Vec3 up = p;
            Vec3 down = p;
            up[k] += kStep;
            down[k] -= kStep;
            EXPECT_NEAR((grid.at(up) - grid.at(down)) / (2.0 * kStep), gradient[k], 1e-4);
        }
    }
}

// E_bone beside all other terms: derivatives against central differences, with lines inside bones.
TEST(LinesAndBones, TheEnergyHasExactDerivatives) {
    const MusculoskeletalModel reference = boned_walker();
    BodyProportions to;
    to.femur = {.proximal = 1.6, .distal = 1.8, .elongation = 0.6};
    to.tibia = {.proximal = 1.8, .distal = 1.5, .elongation = 0.6};
    MusculoskeletalModel model = proportioned_model(reference, to);
    anchor_waypoints(model);
    const ProportionedBodies bodies = proportioned_bodies(reference, to);
    std::vector<double> worst(model.muscles.size(), 0.0);
    std::vector<double> bone(model.muscles.size(), 0.0);
    for_each_routing(model, reference, bodies.warps, joint_motions(reference), {},
                     [&](std::size_t m, const RoutingEnergy& energy) {
                         Eigen::VectorXd x = energy.start();
                         for (Eigen::Index i = 0; i < x.size(); ++i) {
                             x[i] += 0.01 * std::sin(3.0 * static_cast<double>(i) + 1.0);
                         }
                         bone[m] = energy.energies(x).bone;
                         Eigen::VectorXd r;
                         Eigen::MatrixXd J;
                         energy.residuals(x, r, &J);
                         constexpr double kStep = 1e-7;
                         for (Eigen::Index i = 0; i < x.size(); ++i) {
                             Eigen::VectorXd up;
                             Eigen::VectorXd down;
                             Eigen::VectorXd y = x;
                             y[i] = x[i] + kStep;
                             energy.residuals(y, up, nullptr);
                             y[i] = x[i] - kStep;
                             energy.residuals(y, down, nullptr);
                             const Eigen::VectorXd slope = (up - down) / (2.0 * kStep);
                             worst[m] =
                                 std::max(worst[m], (slope - J.col(i)).cwiseAbs().maxCoeff() /
                                                        (1.0 + J.cwiseAbs().maxCoeff()));
                         }
                     });
    double most = 0.0;
    for (std::size_t m = 0; m < worst.size(); ++m) {
        // A step across a cell's face sees both slopes.
        EXPECT_LT(worst[m], 1e-4) << model.muscles[m].name;
        most = std::max(most, bone[m]);
    }
    EXPECT_GT(most, 1e-4);
}

// Heads that grow swallow lines that only move with them; routing takes most of it back.
TEST(LinesAndBones, RoutingTakesLinesOutOfGrownBones) {
    const MusculoskeletalModel reference = boned_walker();
    BodyProportions to;
    to.femur = {.proximal = 1.2, .distal = 1.8, .elongation = 0.8};
    to.tibia = {.proximal = 1.8, .distal = 1.2, .elongation = 0.8};
    MusculatureOptions without;
    without.routing.bone_weight = 0.0;
    const RetargetedMusculature free = retarget_musculature(reference, to, without);
    const RetargetedMusculature kept = retarget_musculature(reference, to);
    const std::vector<JointMotion> motions = joint_motions(reference);
    const double before = measure_penetration(reference, BoneDepths(reference), motions).depth;
    const double of_free = measure_penetration(free.model, BoneDepths(free.model), motions).depth;
    const double of_kept = measure_penetration(kept.model, BoneDepths(kept.model), motions).depth;
    EXPECT_GT(of_free, before);
    EXPECT_LT(of_kept - before, 0.5 * (of_free - before));
}

TEST(LinesAndBones, TheReferenceExcusesItsOwnDepth) {
    const MusculoskeletalModel reference = boned_walker();
    MusculoskeletalModel model = reference;
    const std::vector<BodyWarp> same(model.bodies.size());
    for (const RoutedMuscle& route :
         route_muscles(model, reference, same, joint_motions(reference))) {
        EXPECT_LT(route.before.bone, 1e-20);
        EXPECT_LT(route.farthest_move, 1e-9);
    }
}

// The walker's sides are images of each other, and stay so in a body with even proportions.
TEST(MirroredMuscles, LeftAndRightAreEachOthersImages) {
    const MusculoskeletalModel model = walker_model();
    const MirroredMuscles sides(model);
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        const std::optional<std::size_t> other = sides.counterpart(m);
        ASSERT_TRUE(other) << model.muscles[m].name;
        EXPECT_EQ(sides.counterpart(*other), m);
        const MuscleUnit image = sides.mirrored(model.muscles[m], model.muscles[*other]);
        for (std::size_t k = 0; k < image.points.size(); ++k) {
            for (std::size_t a = 0; a < image.points[k].anchors.size(); ++a) {
                EXPECT_LT((image.points[k].anchors[a].position -
                           model.muscles[m].points[k].anchors[a].position)
                              .norm(),
                          1e-12);
            }
        }
    }
}

}  // namespace
}  // namespace sinew
