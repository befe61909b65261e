#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/body/named_transfer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

// Half a person whose limb bones point where asked; lengths as given.
CharacterSkeleton half_person(double arm, double leg, double neck, double size = 1.0) {
    const Vec3 arm_way(std::cos(arm), -std::sin(arm), 0.0);  // angle below the horizontal
    const Vec3 leg_way(std::sin(leg), -std::cos(leg), 0.0);
    CharacterSkeleton s;
    s.joints = {{.name = "hips", .parent = -1, .position = Vec3(0, 1, 0)},
                {.name = "chest", .parent = 0, .position = Vec3(0, 1.3, 0)},
                {.name = "neck", .parent = 1, .position = Vec3(0, 1.5, 0)},
                {.name = "head", .parent = 2, .position = Vec3(0, 1.6, neck)},
                {.name = "shoulder", .parent = 1, .position = Vec3(0.2, 1.4, 0)}};
    s.joints.push_back(
        {.name = "elbow", .parent = 4, .position = Vec3(0.2, 1.4, 0) + 0.3 * arm_way});
    s.joints.push_back(
        {.name = "wrist", .parent = 5, .position = Vec3(0.2, 1.4, 0) + 0.6 * arm_way});
    s.joints.push_back(
        {.name = "hand", .parent = 6, .position = Vec3(0.2, 1.4, 0) + 0.7 * arm_way});
    s.joints.push_back({.name = "thigh", .parent = 0, .position = Vec3(0.1, 0.95, 0)});
    s.joints.push_back(
        {.name = "knee", .parent = 8, .position = Vec3(0.1, 0.95, 0) + 0.45 * leg_way});
    s.joints.push_back(
        {.name = "ankle", .parent = 9, .position = Vec3(0.1, 0.95, 0) + 0.9 * leg_way});
    s.joints.push_back(
        {.name = "toe", .parent = 10, .position = s.joints[10].position + Vec3(0, -0.05, 0.15)});
    for (CharacterJoint& joint : s.joints) {
        joint.position *= size;
    }
    return s;
}

std::vector<Eigen::Quaterniond> random_turns(std::size_t count) {
    Random random(Seed{3});
    std::vector<Eigen::Quaterniond> turns;
    for (std::size_t j = 0; j < count; ++j) {
        turns.push_back(
            Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
                .normalized());
    }
    return turns;
}

Vec3 posed(const CharacterSkeleton& skeleton, const CharacterPose& pose, std::size_t joint) {
    return pose[joint] * skeleton.joints[joint].position;
}

TEST(NamedTransfer, HangingArmsAreLedToWhereARecordingWithArmsSidewaysHasThem) {
    const CharacterSkeleton source = half_person(0.0, 0.0, 0.0);
    const CharacterSkeleton target = half_person(0.8, 0.15, 0.05);
    const NamedTransfer transfer(source, target, RestPoses::Aligned, "test");
    EXPECT_NEAR(transfer.scale(), 1.0, 0.02);  // the neck is longer
    const std::vector<Eigen::Quaterniond> turns = random_turns(source.size());
    const CharacterPose pose = pose_of(target, transfer(turns, Vec3::Zero()));
    // Bones of limbs point where those of the recording do: G d_source.
    for (const auto& [from, to] :
         {std::pair<std::size_t, std::size_t>{4, 5}, {5, 6}, {6, 7}, {8, 9}, {9, 10}}) {
        const Vec3 expected =
            turns[from] * (source.joints[to].position - source.joints[from].position);
        const Vec3 way = posed(target, pose, to) - posed(target, pose, from);
        EXPECT_LT((way - expected).norm(), 1e-12) << source.joints[to].name;
    }
    // Trunk, neck and head turn as they did, from their own rest; so do feet.
    for (const std::size_t j : {0u, 1u, 2u, 3u, 10u}) {
        EXPECT_LT((pose[j].linear() - turns[j].toRotationMatrix()).norm(), 1e-12)
            << target.joints[j].name;
    }
}

TEST(NamedTransfer, TheZeroPoseIsTheRestWhereThatIsAskedForOrBothAreAlike) {
    const CharacterSkeleton source = half_person(0.0, 0.0, 0.0);
    const CharacterSkeleton hanging = half_person(0.8, 0.15, 0.05);
    const CharacterSkeleton tall = half_person(0.0, 0.0, 0.0, 1.7);
    const std::vector<Eigen::Quaterniond> turns = random_turns(source.size());
    const NamedTransfer same(source, hanging, RestPoses::Same, "test");
    const NamedTransfer alike(source, tall, RestPoses::Aligned, "test");
    EXPECT_NEAR(alike.scale(), 1.7, 1e-12);
    for (std::size_t j = 0; j < source.size(); ++j) {
        EXPECT_EQ(same.alignment(j).coeffs(), Eigen::Quaterniond::Identity().coeffs());
        EXPECT_LT(alike.alignment(j).angularDistance(Eigen::Quaterniond::Identity()), 1e-7);
    }
    const JointRotations key = alike(turns, Vec3(0.1, 0.2, 0.3));
    EXPECT_LT((key.shift - 1.7 * Vec3(0.1, 0.2, 0.3)).norm(), 1e-12);
}

// A joint in between that the recording does not have, and a hand of two fingers.
TEST(NamedTransfer, JointsThatTheRecordingLacksFollowAndHandsPointBetweenTheirFingers) {
    CharacterSkeleton source = half_person(0.0, 0.0, 0.0);
    CharacterSkeleton target = half_person(0.8, 0.0, 0.0);
    const auto fingers = [](CharacterSkeleton& s) {
        const Vec3 way = (s.joints[7].position - s.joints[6].position).normalized();
        s.joints[7].name = "index";
        s.joints[7].position += Vec3(0, 0, 0.03);
        s.joints.push_back({.name = "ring",
                            .parent = 6,
                            .position = s.joints[6].position + 0.1 * way - Vec3(0, 0, 0.03)});
    };
    fingers(source);
    fingers(target);
    CharacterSkeleton twisted = target;
    for (CharacterJoint& joint : twisted.joints) {
        joint.parent = joint.parent > 4 ? joint.parent + 1 : joint.parent;
    }
    twisted.joints.insert(
        twisted.joints.begin() + 5,
        {.name = "twist",
         .parent = 4,
         .position = 0.5 * (target.joints[4].position + target.joints[5].position)});
    twisted.joints[6].parent = 5;
    const NamedTransfer plain(source, target, RestPoses::Aligned, "test");
    const NamedTransfer transfer(source, twisted, RestPoses::Aligned, "test");
    EXPECT_EQ(transfer.source_of(5), -1);
    const std::vector<Eigen::Quaterniond> turns = random_turns(source.size());
    const CharacterPose expected = pose_of(target, plain(turns, Vec3::Zero()));
    const CharacterPose pose = pose_of(twisted, transfer(turns, Vec3::Zero()));
    for (std::size_t j = 0; j < target.size(); ++j) {
        EXPECT_LT((posed(twisted, pose, j > 4 ? j + 1 : j) - posed(target, expected, j)).norm(),
                  1e-12);
    }
    const Vec3 middle = 0.5 * (posed(target, expected, 7) + posed(target, expected, 12));
    EXPECT_LT((middle - posed(target, expected, 6) - turns[6] * Vec3(0.1, 0, 0)).norm(), 1e-12);
}

// A root on the floor with hips above it, as animation programs have them: hips sink against a root
// that stays or turns. Targets that animators pull at move too, and carry nothing.
TEST(NamedTransfer, HipsAreFollowedWhereTheyMoveAgainstARoot) {
    CharacterSkeleton rig = half_person(0.3, 0.0, 0.0);
    for (CharacterJoint& joint : rig.joints) {
        ++joint.parent;
    }
    rig.joints.insert(rig.joints.begin(), {.name = "root"});
    rig.joints.push_back({.name = "foot_target", .parent = 0, .position = Vec3(0.1, 0.05, 0)});
    std::vector<Index> parents;
    std::vector<Eigen::Affine3d> rest;
    for (const CharacterJoint& joint : rig.joints) {
        parents.push_back(joint.parent);
        rest.emplace_back(Eigen::Translation3d(joint.position));
    }
    std::vector<Eigen::Affine3d> now = rest;
    for (std::size_t j = 1; j < now.size(); ++j) {
        now[j].pretranslate(Vec3(0, -0.3, 0.1));
    }
    const Eigen::Affine3d turn(Eigen::AngleAxisd(0.7, Vec3::UnitY()));
    for (Eigen::Affine3d& T : now) {
        T = turn * T;
    }
    MovedJoints moved(parents, rest);
    moved.add(rest);
    EXPECT_EQ(std::count(moved.moved().begin(), moved.moved().end(), 1), 0);
    moved.add(now);
    EXPECT_EQ(std::count(moved.moved().begin(), moved.moved().end(), 1), 2);

    const std::vector<Eigen::Quaterniond> turns(rig.size(), Eigen::Quaterniond(turn.linear()));
    for (const double size : {1.0, 1.5}) {
        CharacterSkeleton target = rig;
        for (CharacterJoint& joint : target.joints) {
            joint.position *= size;
        }
        const NamedTransfer transfer(rig, target, RestPoses::Aligned, "test");
        EXPECT_EQ(transfer.carrier(std::vector<char>(rig.size(), 0)), 0u);
        const std::size_t carrier = transfer.carrier(moved.moved());
        ASSERT_EQ(carrier, 1u);
        const Vec3 way = now[1].translation() - rest[1].translation();
        const CharacterPose pose = pose_of(target, transfer(turns, way, carrier));
        for (std::size_t j = 1; j + 1 < rig.size(); ++j) {
            EXPECT_LT((posed(target, pose, j) - size * now[j].translation()).norm(), 1e-12)
                << rig.joints[j].name;
        }
    }
}

TEST(NamedTransfer, SkeletonsThatLieAreUnlikeThoseThatStand) {
    const CharacterSkeleton person = half_person(0.0, 0.0, 0.0);
    CharacterSkeleton lying = half_person(0.5, 0.1, 0.05);
    EXPECT_GT(rest_likeness(lying, person), 0.9);
    for (CharacterJoint& joint : lying.joints) {
        joint.position = Vec3(joint.position.x(), -joint.position.z(), joint.position.y());
    }
    EXPECT_LT(rest_likeness(lying, person), 0.5);
}

TEST(NamedTransfer, OtherNamesAreRefused) {
    CharacterSkeleton other = half_person(0.0, 0.0, 0.0);
    for (CharacterJoint& joint : other.joints) {
        joint.name += "_x";
    }
    EXPECT_THROW(NamedTransfer(half_person(0.0, 0.0, 0.0), other, RestPoses::Aligned, "test"),
                 InputError);
}

}  // namespace
}  // namespace sinew
