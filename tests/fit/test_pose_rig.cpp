#include "sinew/base/error.h"
#include "sinew/fit/pose_fit.h"
#include "sinew/fit/pose_rig.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/limb_body.h"

namespace sinew {
namespace {

Eigen::VectorXd unit_step(const PoseRig& rig, Eigen::Index k, double h) {
    Eigen::VectorXd step = Eigen::VectorXd::Zero(rig.unknowns());
    step[k] = h;
    return step;
}

// A bent limb with one mode that makes it longer.
struct BentLimb {
    Body body = support::limb_body({.along = 10});
    PoseRig rig{body};
    RigState state;

    BentLimb() {
        ShapeMode longer{
            .skin = Points::Zero(rig.rest().points.rows(), 3),
            .joints = Points::Zero(static_cast<Eigen::Index>(body.skeleton.joints.size()), 3)};
        longer.skin.col(1) = 0.3 * rig.rest().points.col(1);
        longer.joints(1, 1) = 0.3 * body.skeleton.joints[1].centre.y();
        rig.set_modes({longer});
        state = rig.start();
        state.rotation = Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized()).toRotationMatrix();
        state.translation = Vec3(0.1, -0.2, 0.3);
        state.scale = 1.2;
        state.angles[0] = 0.7;
        state.shape[0] = 0.5;
    }
};

TEST(PoseRig, WeightsAreFractionsThatSumToOne) {
    const PoseRig rig(support::limb_body({.along = 10}));
    ASSERT_EQ(rig.angles().size(), 1U);
    double least = 1.0;
    double most = 0.0;
    for (std::size_t v = 0; v < rig.weights().size(); ++v) {
        double sum = 0.0;
        double upper = 0.0;
        for (const PoseRig::Weight& w : rig.weights()[v]) {
            EXPECT_GT(w.value, 0.0);
            sum += w.value;
            upper += w.group == 1 ? w.value : 0.0;
        }
        EXPECT_NEAR(sum, 1.0, 1e-12);
        least = std::min(least, upper);
        most = std::max(most, upper);
    }
    // Each end goes with its own bone alone.
    EXPECT_LT(least, 0.02);
    EXPECT_GT(most, 0.98);
}

TEST(PoseRig, RowsAreTheDerivativesOfPositions) {
    const BentLimb limb;
    const PoseRig::Placement now = limb.rig.placed(limb.state);
    const double h = 1e-6;
    for (Eigen::Index k = 0; k < limb.rig.unknowns(); ++k) {
        const Points ahead =
            limb.rig.placed(limb.rig.moved(limb.state, unit_step(limb.rig, k, h), now.centre))
                .world;
        const Points behind =
            limb.rig.placed(limb.rig.moved(limb.state, unit_step(limb.rig, k, -h), now.centre))
                .world;
        for (Index v = 0; v < now.world.rows(); v += 7) {
            for (int c = 0; c < 3; ++c) {
                std::vector<double> row(static_cast<std::size_t>(limb.rig.unknowns()), 0.0);
                limb.rig.add_row(now, v, Vec3::Unit(c), 1.0, row.data());
                EXPECT_NEAR(row[static_cast<std::size_t>(k)],
                            (ahead(v, c) - behind(v, c)) / (2.0 * h), 1e-7)
                    << "unknown " << k << ", vertex " << v;
            }
        }
    }
}

TEST(PoseRig, UnposedIsTheInverseOfPosed) {
    const BentLimb limb;
    const PoseRig::Placement now = limb.rig.placed(limb.state);
    const Points rest = limb.rig.unposed(now, now.world);
    EXPECT_LT((rest - now.rest).cwiseAbs().maxCoeff(), 1e-10);
}

// In whatever order the root rotates.
TEST(PoseRig, PoseMovesSegmentsAsTheSkeletonDoes) {
    const std::array<std::array<Vec3, 3>, 3> orders = {
        {{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()},
         {Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX()},
         {Vec3::UnitY(), Vec3::UnitX(), Vec3::UnitZ()}}};
    for (const std::array<Vec3, 3>& axes : orders) {
        BentLimb limb;
        limb.state.scale = 1.0;
        limb.body.skeleton.joints[0].axes = axes;
        const std::vector<Vec3> joints = limb.rig.joints_of(limb.state);
        Skeleton person = limb.body.skeleton;
        for (std::size_t j = 0; j < joints.size(); ++j) {
            person.joints[j].centre = joints[j];
        }
        const Pose pose = limb.rig.pose_of(limb.body, limb.state, joints);
        const std::vector<Eigen::Isometry3d> motions = segment_motions(person, pose);
        // The last vertex of the upper end hangs on the upper bone alone.
        const PoseRig::Placement now = limb.rig.placed(limb.state);
        Eigen::Index top = 0;
        limb.rig.rest().points.col(1).maxCoeff(&top);
        ASSERT_EQ(limb.rig.weights()[static_cast<std::size_t>(top)].size(), 1U);
        const Vec3 wanted = motions[1] * point(now.rest, top);
        EXPECT_LT((wanted - point(now.world, top)).norm(), 1e-9);
    }
}

TEST(PoseRig, BodiesWithoutFleshAreRefused) {
    Body body = support::limb_body({.along = 6});
    body.tets = {};
    EXPECT_THROW(PoseRig{body}, InputError);
}

std::vector<RigPull> pulls_to(const PoseRig& rig, const RigState& target) {
    std::vector<RigPull> pulls;
    const PoseRig::Placement there = rig.placed(target);
    for (Index v = 0; v < there.world.rows(); v += 3) {
        pulls.push_back({.vertex = {v, v, v}, .target = point(there.world, v), .weight = 50.0});
    }
    return pulls;
}

TEST(PoseFit, GradientIsThatOfTheCost) {
    const BentLimb limb;
    RigState target = limb.state;
    target.angles[0] = 0.2;
    target.translation += Vec3(0.02, 0.01, 0.0);
    std::vector<RigPull> pulls = pulls_to(limb.rig, target);
    pulls[1].normal = Vec3(1, 1, 0).normalized();
    pulls[2].barycentric = Vec3(0.2, 0.3, 0.5);
    pulls[2].vertex = {0, 4, 9};
    const RigPrior prior{.angles = limb.rig.start().angles, .scale = 1.1, .scale_sigma = 0.2};
    const PoseRig::Placement now = limb.rig.placed(limb.state);
    const PullSystem system = pull_system(limb.rig, now, pulls, prior);
    const double h = 1e-6;
    for (Eigen::Index k = 0; k < limb.rig.unknowns(); ++k) {
        const auto cost = [&](double by) {
            return pull_cost(
                limb.rig,
                limb.rig.placed(limb.rig.moved(limb.state, unit_step(limb.rig, k, by), now.centre)),
                pulls, prior);
        };
        EXPECT_NEAR(system.g[k], (cost(h) - cost(-h)) / (2.0 * h),
                    1e-5 * (1.0 + std::abs(system.g[k])))
            << "unknown " << k;
    }
}

TEST(PoseFit, FindsThePoseThatMadeTheTargets) {
    const BentLimb limb;
    RigState target = limb.state;
    target.angles[0] = -0.3;
    target.shape[0] = 0.1;
    target.rotation = Eigen::AngleAxisd(0.3, Vec3::UnitZ()).toRotationMatrix() * target.rotation;
    std::vector<RigPull> pulls = pulls_to(limb.rig, target);
    for (RigPull& pull : pulls) {
        pull.weight = 1e8;
    }
    const RigPrior prior{.angles = limb.rig.start().angles, .scale = 1.2};
    RigState state = limb.state;
    for (int i = 0; i < 30; ++i) {
        state = improved(limb.rig, state, pulls, prior);
    }
    EXPECT_NEAR(state.angles[0], target.angles[0], 1e-4);
    const Points gap = limb.rig.placed(state).world - limb.rig.placed(target).world;
    EXPECT_LT(gap.cwiseAbs().maxCoeff(), 1e-4);
}

TEST(PoseFit, AnglesStayWithinTheirLimits) {
    Body body = support::limb_body({.along = 10});
    body.skeleton.joints[1].limits[0] = {-0.1, 0.4};
    const PoseRig rig(body);
    Body free_body = body;
    free_body.skeleton.joints[1].limits[0] = {-2.0, 2.0};
    const PoseRig free_rig(free_body);
    RigState target = free_rig.start();
    target.angles[0] = 1.0;
    const std::vector<RigPull> pulls = pulls_to(free_rig, target);
    const RigPrior prior{.angles = rig.start().angles};
    RigState state = rig.start();
    for (int i = 0; i < 20; ++i) {
        state = improved(rig, state, pulls, prior);
    }
    EXPECT_LE(state.angles[0], 0.4);
    EXPECT_GT(state.angles[0], 0.3);
}

}  // namespace
}  // namespace sinew
