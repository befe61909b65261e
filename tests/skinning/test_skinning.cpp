#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/energy/projective_tets.h"
#include "sinew/geometry/measure.h"
#include "sinew/skinning/projective_skinning.h"

#include <gtest/gtest.h>

#include "tests/skinning/tube_arm.h"

namespace sinew {
namespace {

double largest(const Points& p) {
    return p.rowwise().norm().maxCoeff();
}

TEST(ProjectiveSkinning, RestStaysAtRest) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning(skin, skeleton);
    for (int frame = 0; frame < 5; ++frame) {
        skinning.step(rest_pose(skeleton));
    }
    EXPECT_LT(largest(skinning.skin() - skin.points), 1e-6);
    EXPECT_NEAR(skinning.volume_ratio(), 1.0, 1e-6);
}

TEST(ProjectiveSkinning, FleshFollowsRigidMotionsOfTheBones) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning(skin, skeleton);
    const auto motion = support::rigid_motions(1, Seed{3})[0];
    const CharacterPose pose(skeleton.size(), motion);
    skinning.reset(pose);
    EXPECT_LT(largest(skinning.skin() - support::moved(skin.points, motion)), 1e-9);
    for (int frame = 0; frame < 60; ++frame) {
        skinning.step(rest_pose(skeleton));
    }
    EXPECT_LT(largest(skinning.skin() - skin.points), 1e-3);
}

TEST(ProjectiveSkinning, FramesAtRestReachWhatDynamicsSwingsInto) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning moving(skin, skeleton, {.mass = 2.0});
    ProjectiveSkinning resting(skin, skeleton, {.dynamics = false});
    for (int frame = 0; frame < 60; ++frame) {
        moving.step(support::bent(skeleton, 1.0));
        resting.step(support::bent(skeleton, 1.0));
    }
    EXPECT_LT(largest(moving.skin() - resting.skin()), 1e-4);
    // The bones do not lose what they carry: no candy wrapper, no collapse.
    EXPECT_NEAR(enclosed_volume(moving.skin(), skin.triangles) / enclosed_volume(skin), 1.0, 0.03);
}

TEST(ProjectiveSkinning, FramesReportHowFarFromEquilibriumTheyEnd) {
    const CharacterSkeleton skeleton = support::two_bones();
    double last = 1.0;
    for (const int iterations : {4, 40, 400}) {
        ProjectiveSkinning skinning(support::tube(), skeleton,
                                    {.iterations = iterations, .dynamics = false});
        const SkinFrameReport report = skinning.step(support::bent(skeleton, 0.5));
        EXPECT_EQ(report.iterations, iterations);
        EXPECT_GT(report.residual, 0.0);
        EXPECT_LT(report.residual, last);
        last = report.residual;
    }
    EXPECT_LT(last, StepRule().tolerance);
}

// At rest no force is left on the skin, by another evaluation of the energy in double precision.
TEST(ProjectiveSkinning, FramesAtRestAreInEquilibrium) {
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning resting(support::tube(), skeleton, {.dynamics = false});
    const FleshPrisms& flesh = resting.flesh();
    const std::vector<double> weight(static_cast<std::size_t>(flesh.tets.rows()), 85.0);
    const std::vector<double> none(weight.size(), 0.0);
    const ProjectiveTets strain(TetMesh{.points = flesh.points, .tets = flesh.tets}, weight, none);
    const auto force_on_skin = [&] {
        Points force = Points::Zero(flesh.points.rows(), 3);
        strain.add_gradient(resting.points(), force);
        return largest(force.topRows(flesh.skin_vertices));
    };
    resting.step(support::bent(skeleton, 1.0));
    const double first = force_on_skin();
    for (int frame = 0; frame < 40; ++frame) {
        resting.step(support::bent(skeleton, 1.0));
    }
    EXPECT_GT(first, 0.0);
    EXPECT_LT(force_on_skin(), 1e-3 * first);
}

TEST(ProjectiveSkinning, FleshSwingsAndSettles) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning(skin, skeleton, {.stiffness = 20.0, .mass = 5.0});
    double overshoot = 0.0;
    Points last;
    for (int frame = 0; frame < 120; ++frame) {
        skinning.step(support::bent(skeleton, 0.8));
        if (frame == 118) {
            last = skinning.skin();
        }
        overshoot = std::max(overshoot, skinning.skin().col(2).maxCoeff());
    }
    EXPECT_LT(largest(skinning.skin() - last), 1e-5);
    EXPECT_GT(overshoot, skinning.skin().col(2).maxCoeff() + 1e-3);
}

// A joint that folds far takes the skin through itself; rest and small bends do not.
TEST(ProjectiveSkinning, PenetrationIsThatOfFolds) {
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning(support::tube(), skeleton, {.dynamics = false});
    EXPECT_EQ(skinning.penetration().vertices, 0);
    for (int frame = 1; frame <= 20; ++frame) {
        skinning.step(support::bent(skeleton, 0.5));
    }
    EXPECT_EQ(skinning.penetration().vertices, 0);
    for (int frame = 1; frame <= 20; ++frame) {
        skinning.step(support::bent(skeleton, 0.5 + 0.09 * frame));
    }
    EXPECT_GT(skinning.penetration().vertices, 10);
    EXPECT_GT(skinning.penetration().mean, 2e-3);
    EXPECT_LT(skinning.penetration().deepest, 0.1);
}

TEST(ProjectiveSkinning, AMovingSpherePushesTheSkin) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning(skin, skeleton);
    MovingShape sphere{.shape = SphereShape{.radius = 0.03}, .step = 0.2};
    for (int frame = 0; frame <= 30; ++frame) {
        sphere.T_world_previous = sphere.T_world_shape;
        sphere.T_world_shape.translation() = Vec3(0.1 - 0.001 * frame, 0.2, 0.0);
        skinning.set_shapes({sphere});
        skinning.step(rest_pose(skeleton));
    }
    double deepest = 0.0;
    for (Eigen::Index i = 0; i < skinning.skin().rows(); ++i) {
        deepest = std::max(deepest, -shape_distance(sphere, point(skinning.skin(), i)).distance);
    }
    EXPECT_LT(deepest, 1e-3);
    EXPECT_GT(largest(skinning.skin() - skin.points), 5e-3);  // it was pushed by a centimetre
}

// Every joint jumps by 120 degrees from frame to frame, in any direction.
TEST(SkinRobustness, ThirtyExtremeMotionsAreRecoveredFromWithinTwentyFrames) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    for (const SkinCollisions collisions :
         {SkinCollisions::None, SkinCollisions::Local, SkinCollisions::Global}) {
        ProjectiveSkinning skinning(skin, skeleton, {.collisions = collisions});
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            Random random(Seed{100 * static_cast<std::uint64_t>(collisions) + seed});
            for (int jump = 0; jump < 5; ++jump) {
                JointRotations r;
                for (std::size_t j = 0; j < skeleton.size(); ++j) {
                    const Vec3 axis =
                        Vec3(random.normal(), random.normal(), random.normal()).normalized();
                    r.rotations.emplace_back(Eigen::AngleAxisd(2.0944, axis));
                }
                skinning.step(pose_of(skeleton, r));
                ASSERT_TRUE(skinning.skin().allFinite());
                ASSERT_LT(largest(skinning.skin()), 3.0);
            }
            for (int frame = 0; frame < 20; ++frame) {
                skinning.step(rest_pose(skeleton));
            }
            EXPECT_LT(largest(skinning.skin() - skin.points), 0.01) << seed;
        }
    }
}

// A scan: noise of 2 mm, holes, and a lump that passes through the arm.
TEST(SkinRobustness, DamagedSkinsMove) {
    TriangleMesh skin = support::tube();
    const TriangleMesh lump = support::sphere(2, 0.045);
    const Eigen::Index n = skin.points.rows();
    const Eigen::Index triangles = skin.triangles.rows();
    TriangleMesh both;
    both.points.resize(n + lump.points.rows(), 3);
    both.points << skin.points, lump.points;
    both.points.bottomRows(lump.points.rows()).rowwise() += Vec3(0.03, 0.25, 0.0).transpose();
    Random random(Seed{8});
    for (Eigen::Index i = 0; i < both.points.size(); ++i) {
        both.points.data()[i] += 0.002 * random.normal();
    }
    std::vector<Eigen::Index> kept;
    for (Eigen::Index t = 0; t < triangles; ++t) {
        if (t % 97 > 8) {  // strips of holes
            kept.push_back(t);
        }
    }
    both.triangles.resize(static_cast<Eigen::Index>(kept.size()) + lump.triangles.rows(), 3);
    for (std::size_t k = 0; k < kept.size(); ++k) {
        both.triangles.row(static_cast<Eigen::Index>(k)) = skin.triangles.row(kept[k]);
    }
    both.triangles.bottomRows(lump.triangles.rows()) =
        (lump.triangles.array() + static_cast<Index>(n)).matrix();
    const CharacterSkeleton skeleton = support::two_bones();
    for (const SkinCollisions collisions : {SkinCollisions::None, SkinCollisions::Global}) {
        ProjectiveSkinning skinning(both, skeleton, {.mass = 5.0, .collisions = collisions});
        for (int frame = 1; frame <= 30; ++frame) {
            skinning.step(support::bent(skeleton, 0.06 * frame));
            ASSERT_TRUE(skinning.skin().allFinite());
        }
        EXPECT_LT(largest(skinning.skin()), 0.6);
        for (int frame = 0; frame < 40; ++frame) {
            skinning.step(rest_pose(skeleton));
        }
        EXPECT_LT(largest(skinning.skin() - both.points), 0.01);
    }
}

// Small triangles far from their bone, as on eyelids and lips, and a point that no triangle has.
TEST(SkinRobustness, SpecksAndLoosePointsMoveAlong) {
    const TriangleMesh arm = support::tube();
    const TriangleMesh speck = support::sphere(1, 2e-4, Vec3(0.05, 0.45, 0.0));
    const Eigen::Index n = arm.points.rows();
    TriangleMesh skin;
    skin.points.resize(n + speck.points.rows() + 1, 3);
    skin.points << arm.points, speck.points, Eigen::RowVector3d(0.05, 0.5, 0.0);
    skin.triangles.resize(arm.triangles.rows() + speck.triangles.rows(), 3);
    skin.triangles << arm.triangles, (speck.triangles.array() + static_cast<Index>(n)).matrix();
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning(skin, skeleton);
    CharacterPose pose;
    for (int frame = 1; frame <= 30; ++frame) {
        pose = support::bent(skeleton, 0.05 * frame);
        skinning.step(pose);
    }
    for (Eigen::Index i = n; i < skin.points.rows(); ++i) {
        const Vec3 carried = pose[1] * Vec3(skin.points.row(i).transpose());
        EXPECT_LT((skinning.skin().row(i).transpose() - carried).norm(), 0.01) << i;
    }
}

TEST(ProjectiveSkinning, ATwistedForearmKeepsItsThickness) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning(skin, skeleton);
    for (int frame = 1; frame <= 40; ++frame) {
        JointRotations r;
        r.rotations.assign(skeleton.size(), Eigen::Quaterniond::Identity());
        r.rotations[1] = Eigen::AngleAxisd(2.6 * std::min(1.0, frame / 25.0), Vec3::UnitY());
        skinning.step(pose_of(skeleton, r));
    }
    double thinnest = 1.0;
    for (Eigen::Index i = 0; i < skin.points.rows(); ++i) {
        if (skin.points(i, 1) > 0.1 && skin.points(i, 1) < 0.5) {
            thinnest = std::min(thinnest, std::hypot(skinning.skin()(i, 0), skinning.skin()(i, 2)));
        }
    }
    EXPECT_GT(thinnest, 0.8 * 0.05);
    EXPECT_GT(skinning.volume_ratio(), 0.93);
}

TEST(ProjectiveSkinning, HeavyAndSoftBonesSwingMore) {
    const TriangleMesh skin = support::tube();
    const auto swing = [&](double stiffness, double mass) {
        CharacterSkeleton skeleton = support::two_bones();
        skeleton.joints[2].stiffness = stiffness;
        skeleton.joints[2].mass = mass;
        ProjectiveSkinning skinning(skin, skeleton, {.mass = 5.0});
        ProjectiveSkinning resting(skin, skeleton, {.dynamics = false});
        for (int frame = 0; frame < 60; ++frame) {
            resting.step(support::bent(skeleton, 0.8));
        }
        double most = 0.0;
        for (int frame = 0; frame < 12; ++frame) {
            skinning.step(support::bent(skeleton, 0.8));
            if (frame > 3) {
                most = std::max(most, largest(skinning.skin() - resting.skin()));
            }
        }
        return most;
    };
    const double usual = swing(1.0, 1.0);
    EXPECT_GT(swing(0.3, 1.0), 1.2 * usual);
    EXPECT_GT(swing(1.0, 4.0), 1.1 * usual);
}

TEST(ProjectiveSkinning, VirtualBonesLeaveTheirFleshFree) {
    const TriangleMesh skin = support::tube();
    CharacterSkeleton skeleton = support::two_bones();
    skeleton.joints[2].is_virtual = true;
    ProjectiveSkinning skinning(skin, skeleton);
    EXPECT_GT(skinning.simulated_vertices(), skin.points.rows() + 100);
    for (int frame = 0; frame < 30; ++frame) {
        skinning.step(support::bent(skeleton, 0.7));
    }
    ASSERT_TRUE(skinning.skin().allFinite());
    // The free end follows the held part, not its virtual bone.
    ProjectiveSkinning held(skin, support::two_bones());
    for (int frame = 0; frame < 30; ++frame) {
        held.step(support::bent(skeleton, 0.7));
    }
    EXPECT_LT(largest(skinning.skin() - skin.points), 0.5 * largest(held.skin() - skin.points));
}

TEST(ProjectiveSkinning, AStretchedBoneTakesItsFleshAlong) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    ProjectiveSkinning skinning(skin, skeleton);
    CharacterPose pose = rest_pose(skeleton);
    pose[2].translation().y() = 0.1;  // the hand moves away from the elbow
    for (int frame = 0; frame < 60; ++frame) {
        skinning.step(pose);
    }
    EXPECT_NEAR(skinning.skin().col(1).maxCoeff(), 0.7, 0.02);
    EXPECT_NEAR(skinning.skin().col(1).minCoeff(), 0.0, 0.005);
}

TEST(ProjectiveSkinning, GivesTheSameBytesOnAnyNumberOfThreads) {
    const TriangleMesh skin = support::tube();
    const CharacterSkeleton skeleton = support::two_bones();
    std::vector<Points> results;
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        ProjectiveSkinning skinning(skin, skeleton, {.collisions = SkinCollisions::Global});
        for (int frame = 1; frame <= 12; ++frame) {
            skinning.step(support::bent(skeleton, 0.2 * frame));
        }
        results.push_back(skinning.points());
    }
    EXPECT_EQ(results[0], results[1]);
}

TEST(ProjectiveSkinning, RefusesWhatItCannotMove) {
    const CharacterSkeleton skeleton = support::two_bones();
    EXPECT_THROW(ProjectiveSkinning(TriangleMesh{}, skeleton), InputError);
    EXPECT_THROW(ProjectiveSkinning(support::tube(), CharacterSkeleton{}), InputError);
    EXPECT_THROW(ProjectiveSkinning(support::tube(), skeleton, {.stiffness = -1.0}), InputError);
    // In centimetres, or beside the skin.
    CharacterSkeleton large = skeleton;
    CharacterSkeleton far = skeleton;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        large.joints[j].position *= 100.0;
        far.joints[j].position.x() += 2.0;
    }
    EXPECT_THROW(ProjectiveSkinning(support::tube(), large), InputError);
    EXPECT_THROW(ProjectiveSkinning(support::tube(), far), InputError);
    ProjectiveSkinning skinning(support::tube(), skeleton);
    EXPECT_THROW(skinning.step(CharacterPose(1, Eigen::Isometry3d::Identity())), InputError);
}

}  // namespace
}  // namespace sinew
