#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/body/kinematics.h"
#include "sinew/motion/body_matching.h"
#include "sinew/motion/body_proportions.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/walker_model.h"

namespace sinew {
namespace {

using support::walker_model;

BodyWarp thigh(double elongation, double torsion = 0.0) {
    return {.is_bone = true, .length = 0.4, .elongation = elongation, .torsion = torsion};
}

TEST(BodyWarp, ABoneKeepsItsHeadsAndStretchesItsShaft) {
    const BodyWarp warp = thigh(2.0);
    const double head = BodyWarp::kHeadFraction * 0.4;
    EXPECT_LT((warp(Vec3(0.01, 0.02, 0.0)) - Vec3(0.01, 0.02, 0.0)).norm(), 1e-12);
    EXPECT_NEAR(warp(Vec3(0.0, 0.0, head)).z(), head, 1e-12);
    EXPECT_NEAR(warp(Vec3(0.0, 0.0, 0.4)).z(), 0.8, 1e-12);
    EXPECT_NEAR(warp(Vec3(0.0, 0.0, 0.43)).z(), 0.83, 1e-12);
    EXPECT_NEAR(warp(Vec3(0.0, 0.0, 0.2)).z(), 0.4, 1e-12);
}

TEST(BodyWarp, HeadsScaleByTheirOwnFactors) {
    BodyWarp warp = thigh(1.0);
    warp.proximal = 2.0;
    warp.distal = 0.5;
    EXPECT_LT((warp(Vec3(0.03, 0.0, -0.01)) - Vec3(0.06, 0.0, -0.02)).norm(), 1e-12);
    EXPECT_LT((warp(Vec3(0.03, 0.0, 0.4)) - Vec3(0.015, 0.0, 0.4)).norm(), 1e-12);
}

TEST(BodyWarp, StaysMonotonousWhenHeadsFillTheBone) {
    BodyWarp warp = thigh(0.3);
    warp.proximal = 4.0;
    warp.distal = 4.0;
    double before = warp(Vec3(0.0, 0.0, -0.02)).z();
    for (int i = -9; i <= 220; ++i) {
        const double z = warp(Vec3(0.0, 0.0, 0.002 * i)).z();
        EXPECT_GT(z, before) << i;
        before = z;
    }
    EXPECT_NEAR(warp(Vec3(0.0, 0.0, 0.4)).z(), 0.12, 1e-12);
}

TEST(BodyWarp, TorsionTurnsTheFarEndOnly) {
    const BodyWarp warp = thigh(1.0, 0.5);
    EXPECT_LT((warp(Vec3(0.02, 0.0, 0.0)) - Vec3(0.02, 0.0, 0.0)).norm(), 1e-12);
    EXPECT_LT(
        (warp(Vec3(0.02, 0.0, 0.4)) - Vec3(0.02 * std::cos(0.5), 0.02 * std::sin(0.5), 0.4)).norm(),
        1e-12);
    EXPECT_LT(
        (warp.turn(Vec3(0.0, 0.0, 0.4)) * Vec3::UnitX() - Vec3(std::cos(0.5), std::sin(0.5), 0.0))
            .norm(),
        1e-12);
}

// turn * stretch is the warp's derivative where neither torsion nor width change along the bone.
TEST(BodyWarp, TurnAndStretchAreTheDerivativeAtTheHeads) {
    BodyWarp warp = thigh(1.7, 0.6);
    warp.distal = 1.4;
    warp.T_body_bone = {
        Eigen::AngleAxisd(0.7, Vec3(1.0, 2.0, -1.0).normalized()).toRotationMatrix(),
        Vec3(0.1, -0.2, 0.3)};
    for (const double z : {-0.01, 0.02, 0.38, 0.41}) {
        const Vec3 p = warp.T_body_bone * Vec3(0.02, -0.01, z);
        const Mat3 J = warp.turn(p) * warp.stretch(p);
        constexpr double kStep = 1e-6;
        for (int k = 0; k < 3; ++k) {
            const Vec3 slope =
                (warp(p + kStep * Vec3::Unit(k)) - warp(p - kStep * Vec3::Unit(k))) / (2.0 * kStep);
            EXPECT_LT((slope - J.col(k)).norm(), 1e-8) << z << " " << k;
        }
    }
}

TEST(Segments, AreFoundByNamesAndByWhatTheyHangOn) {
    const MusculoskeletalModel model = walker_model();
    const std::vector<BodySegment> found = find_segments(model);
    const auto kind = [&](const char* name) { return found[at(find_body(model, name))].kind; };
    EXPECT_EQ(kind("Pelvis"), SegmentKind::Trunk);
    EXPECT_EQ(kind("Torso"), SegmentKind::Trunk);
    EXPECT_EQ(kind("FemurR"), SegmentKind::Femur);
    EXPECT_EQ(kind("TibiaL"), SegmentKind::Tibia);
    EXPECT_EQ(kind("TalusL"), SegmentKind::Foot);
    EXPECT_EQ(found[at(find_body(model, "TalusL"))].side, BodySide::Left);
    EXPECT_EQ(found[at(find_body(model, "FemurR"))].side, BodySide::Right);
    EXPECT_EQ(found[at(find_body(model, "Torso"))].side, BodySide::Middle);
    const auto given = find_segments(model, {{"none", {"TalusL"}}});
    EXPECT_EQ(given[at(find_body(model, "TalusL"))].kind, SegmentKind::None);
    EXPECT_THROW(find_segments(model, {{"tail", {"TalusL"}}}), InputError);
    EXPECT_THROW(find_segments(model, {{"foot", {"Talus"}}}), InputError);
}

Vec3 centre_of(const MusculoskeletalModel& model, const char* body) {
    const ModelPlacement rest = KinematicTree(model).place(rest_coordinates(model));
    const Index b = find_body(model, body);
    for (const ModelJoint& joint : model.joints) {
        if (joint.child == b) {
            return rest.bodies[at(b)] * joint.child_frame.position;
        }
    }
    return Vec3::Zero();
}

TEST(Proportions, ElongationMovesTheNextJointAlongTheBone) {
    const MusculoskeletalModel model = walker_model();
    BodyProportions to;
    to.femur.elongation = 2.5;
    to.left.femur = LimbShape{.elongation = 0.6};
    const MusculoskeletalModel out = proportioned_model(model, to);
    for (const auto& [femur, tibia, factor] :
         {std::tuple{"FemurR", "TibiaR", 2.5}, std::tuple{"FemurL", "TibiaL", 0.6}}) {
        const Vec3 before = centre_of(model, tibia) - centre_of(model, femur);
        const Vec3 after = centre_of(out, tibia) - centre_of(out, femur);
        EXPECT_LT((after - factor * before).norm(), 1e-12) << femur;
        const auto b = at(find_body(model, femur));
        EXPECT_NEAR(out.bodies[b].mass, factor * model.bodies[b].mass, 1e-12);
    }
}

// A joint whose centre shifts with its angle keeps the shift, and its centre goes with the bone.
TEST(Proportions, AMovingKneeKeepsItsCourse) {
    MusculoskeletalModel model = walker_model();
    const Index knee = find_coordinate(model, "TibiaR");
    ASSERT_GE(knee, 0);
    ModelJoint& joint = model.joints[at(model.coordinates[at(knee)].joint)];
    // The whole way from the hip lies in the shift, as OpenSim's gait models have it.
    const double down = joint.parent_frame.position.y();
    joint.parent_frame.position.y() = 0.0;
    joint.axes[4].coordinate = knee;
    joint.axes[4].axis = Vec3::UnitY();
    joint.axes[4].function = {.kind = ScalarFunction::Kind::Linear, .coefficients = {0.01, down}};
    BodyProportions to;
    to.femur.elongation = 2.0;
    const MusculoskeletalModel out = proportioned_model(model, to);
    std::vector<double> q = rest_coordinates(model);
    const auto height = [&](const MusculoskeletalModel& m) {
        return KinematicTree(m).place(q).bodies[at(joint.child)].position.y() -
               KinematicTree(m).place(q).bodies[at(joint.parent)].position.y();
    };
    EXPECT_NEAR(height(out), 2.0 * height(model), 1e-12);
    const double rest_before = height(model);
    const double rest_after = height(out);
    q[at(knee)] += 1.0;
    EXPECT_NEAR(height(model) - rest_before, 0.01, 1e-12);
    EXPECT_NEAR(height(out) - rest_after, 0.01, 1e-12);
}

TEST(Proportions, TorsionIsMirrored) {
    const MusculoskeletalModel model = walker_model();
    BodyProportions to;
    to.femur.torsion = 30.0;
    const MusculoskeletalModel out = proportioned_model(model, to);
    const ModelPlacement rest = KinematicTree(out).place(rest_coordinates(out));
    // Seen from above along a right thigh, clockwise: the toes, forward along z, go outward to -x.
    const Vec3 right = rest.bodies[at(find_body(out, "TibiaR"))].rotation * Vec3::UnitZ();
    const Vec3 left = rest.bodies[at(find_body(out, "TibiaL"))].rotation * Vec3::UnitZ();
    EXPECT_NEAR(right.x(), -0.5, 1e-12);
    EXPECT_NEAR(left.x(), 0.5, 1e-12);
}

TEST(Proportions, BendLeansTheTrunkForward) {
    const MusculoskeletalModel model = walker_model();
    BodyProportions to;
    to.trunk.bend = 20.0;
    const MusculoskeletalModel out = proportioned_model(model, to);
    const ModelPlacement rest = KinematicTree(out).place(rest_coordinates(out));
    const Vec3 up = rest.bodies[at(find_body(out, "Torso"))].rotation * Vec3::UnitY();
    const double angle = 20.0 * std::numbers::pi / 180.0;
    EXPECT_LT((up - Vec3(0.0, std::cos(angle), std::sin(angle))).norm(), 1e-12);
}

// [Hodgins1997] for uniform scaling by L: mass L^3, inertia L^5, stiffness of a hinge L^4, its
// damping L^4.5, force L^3, time L^1/2.
TEST(Proportions, UniformScalingHasThePowersOfHodginsAndPollard) {
    constexpr double L = 1.7;
    MusculoskeletalModel model = walker_model();
    const Index knee = find_coordinate(model, "TibiaR");
    model.coordinates[at(knee)].stiffness = 3.0;
    model.coordinates[at(knee)].damping = 2.0;
    model.coordinates[at(knee)].armature = 0.1;
    const LimbShape limb{.proximal = L, .distal = L, .elongation = L};
    BodyProportions to{.trunk = {.elongation = L, .expansion = L},
                       .femur = limb,
                       .tibia = limb,
                       .foot = {.scale = L}};
    const MusculoskeletalModel out = proportioned_model(model, to);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        EXPECT_NEAR(out.bodies[b].mass, std::pow(L, 3) * model.bodies[b].mass, 1e-9);
        EXPECT_LT((out.bodies[b].inertia - std::pow(L, 5) * model.bodies[b].inertia).norm(), 1e-9);
    }
    EXPECT_NEAR(out.coordinates[at(knee)].stiffness, 3.0 * std::pow(L, 4), 1e-9);
    EXPECT_NEAR(out.coordinates[at(knee)].damping, 2.0 * std::pow(L, 4.5), 1e-9);
    EXPECT_NEAR(out.coordinates[at(knee)].armature, 0.1 * std::pow(L, 5), 1e-9);
    MusculoskeletalModel strong = out;
    const std::vector<double> before(model.muscles.size(), 1.0);
    const std::vector<double> after(model.muscles.size(), L);
    scale_strength(strong, proportioned_bodies(model, to), 1.0, before, after);
    EXPECT_NEAR(strong.muscles[0].fmax, std::pow(L, 3) * model.muscles[0].fmax, 1e-6);
    EXPECT_NEAR(strong.muscles[0].rise_time, std::sqrt(L) * model.muscles[0].rise_time, 1e-12);
    // Paths grow by L in every pose, and so do fibres.
    EXPECT_NEAR(out.muscles[0].fibre, L * model.muscles[0].fibre, 1e-12);
}

TEST(Proportions, SegmentsThatTheModelLacksAreRefused) {
    BodyProportions to;
    to.humerus.mass = 1.0;  // no change
    EXPECT_NO_THROW(proportioned_model(walker_model(), to));
    to.humerus.elongation = 2.0;
    try {
        proportioned_model(walker_model(), to);
        FAIL() << "accepted";
    } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find("humerus"), std::string::npos) << e.what();
    }
}

// A whole character serves for legs alone.
TEST(Proportions, SegmentsThatTheModelLacksAreDroppedFromCharacters) {
    BodyProportions to;
    to.humerus.elongation = 2.0;
    to.left.humerus = LimbShape{.elongation = 1.5};
    to.femur.elongation = 1.2;
    EXPECT_EQ(drop_missing_segments(walker_model(), to), std::vector<std::string>{"humerus"});
    EXPECT_NO_THROW(proportioned_model(walker_model(), to));
    EXPECT_EQ(to.femur.elongation, 1.2);
    EXPECT_TRUE(drop_missing_segments(walker_model(), to).empty());
}

// [Ryu2021, 6.6]: points of a body of other proportions, in any pose, give these back.
TEST(Matching, JointsOfAnotherBodyGiveItsProportions) {
    const MusculoskeletalModel model = walker_model();
    BodyProportions to;
    to.femur.elongation = 1.2;
    to.left.tibia = LimbShape{.elongation = 0.8};
    const JointPoints points = joint_points(proportioned_model(model, to));
    const BodyProportions found = proportions_from_joints(model, points);
    ASSERT_TRUE(found.left.femur && found.left.tibia && found.right.tibia);
    EXPECT_NEAR(found.left.femur->elongation, 1.2, 1e-9);
    EXPECT_NEAR(found.left.tibia->elongation, 0.8, 1e-9);
    EXPECT_NEAR(found.right.tibia->elongation, 1.0, 1e-9);
    // The walker has neither neck nor arms; what it has comes out as long as the points say.
    const JointPoints again = joint_points(proportioned_model(model, found));
    for (const char* side : {"_l", "_r"}) {
        const auto bone = [&](const JointPoints& all, const char* from, const char* to) {
            Vec3 d = Vec3::Zero();
            for (const auto& [name, p] : all) {
                d += name == std::string(to) + side     ? p
                     : name == std::string(from) + side ? Vec3(-p)
                                                        : Vec3(Vec3::Zero());
            }
            return d.norm();
        };
        EXPECT_NEAR(bone(again, "hip", "knee"), bone(points, "hip", "knee"), 1e-9);
        EXPECT_NEAR(bone(again, "knee", "ankle"), bone(points, "knee", "ankle"), 1e-9);
    }
}

// Two views with 1 mm of noise: bones within 1 %, joint centres within 3 mm.
TEST(Matching, TwoNoisyViewsGiveBonesWithinOnePercent) {
    const MusculoskeletalModel model = walker_model();
    BodyProportions to;
    to.femur.elongation = 1.1;
    to.tibia.elongation = 0.95;
    const JointPoints truth = joint_points(proportioned_model(model, to));
    double worst_bone = 0.0;
    double worst_point = 0.0;
    for (std::uint64_t trial = 0; trial < 50; ++trial) {
        Random random(Seed{5}, trial);
        std::vector<std::pair<std::string, std::vector<double>>> frontal;
        std::vector<std::pair<std::string, std::vector<double>>> lateral;
        for (const auto& [name, p] : truth) {
            const auto noisy = [&](double x) { return x + 1e-3 * random.uniform(-1.0, 1.0); };
            frontal.push_back({name, {noisy(p.x()), noisy(p.y())}});
            lateral.push_back({name, {noisy(p.z()), noisy(p.y())}});
        }
        const JointPoints points = points_from_views(frontal, lateral);
        ASSERT_EQ(points.size(), truth.size());
        for (std::size_t k = 0; k < points.size(); ++k) {
            worst_point = std::max(worst_point, (points[k].second - truth[k].second).norm());
        }
        const BodyProportions found = proportions_from_joints(model, points);
        worst_bone = std::max({worst_bone, std::abs(found.left.femur->elongation / 1.1 - 1.0),
                               std::abs(found.right.tibia->elongation / 0.95 - 1.0)});
    }
    EXPECT_LT(worst_bone, 0.01);
    EXPECT_LT(worst_point, 3e-3);
}

// A table of lengths and masses, as a laboratory writes them down.
TEST(Matching, LengthsAndMassesOfATableComeOut) {
    const MusculoskeletalModel model = walker_model();
    const SegmentMeasure rows[] = {
        {.segment = {SegmentKind::Femur, BodySide::Middle}, .length = 0.46, .mass = 9.0},
        {.segment = {SegmentKind::Tibia, BodySide::Left}, .length = 0.38},
        {.segment = {SegmentKind::Tibia, BodySide::Right}, .length = 0.42, .mass = 5.0},
        {.segment = {SegmentKind::Foot, BodySide::Middle}, .mass = 1.2},
        {.segment = {SegmentKind::Trunk, BodySide::Middle}, .breadth = 0.2, .mass = 50.0}};
    const MusculoskeletalModel person =
        proportioned_model(model, proportions_from_measures(model, rows));
    const JointPoints points = joint_points(person);
    const auto bone = [&](const std::string& from, const std::string& to) {
        Vec3 d = Vec3::Zero();
        for (const auto& [name, p] : points) {
            d += name == to ? p : name == from ? Vec3(-p) : Vec3(Vec3::Zero());
        }
        return d.norm();
    };
    EXPECT_NEAR(bone("hip_l", "knee_l"), 0.46, 1e-6);
    EXPECT_NEAR(bone("hip_r", "knee_r"), 0.46, 1e-6);
    EXPECT_NEAR(bone("knee_l", "ankle_l"), 0.38, 1e-6);
    EXPECT_NEAR(bone("knee_r", "ankle_r"), 0.42, 1e-6);
    EXPECT_NEAR(bone("hip_l", "hip_r"), 0.2, 1e-6);
    const auto mass = [&](const char* body) {
        return person.bodies[at(find_body(person, body))].mass;
    };
    EXPECT_NEAR(mass("FemurL"), 9.0, 1e-9);
    EXPECT_NEAR(mass("TibiaR"), 5.0, 1e-9);
    EXPECT_NEAR(mass("TalusL"), 1.2, 1e-9);
    EXPECT_NEAR(mass("Pelvis") + mass("Torso"), 50.0, 1e-9);
    const SegmentMeasure arm[] = {
        {.segment = {SegmentKind::Humerus, BodySide::Left}, .length = 0.3, .where = "line 2"}};
    EXPECT_THROW(proportions_from_measures(model, arm), InputError);
    const SegmentMeasure foot[] = {
        {.segment = {SegmentKind::Foot, BodySide::Left}, .length = 0.3, .where = "line 2"}};
    EXPECT_THROW(proportions_from_measures(model, foot), InputError);
}

TEST(Matching, NamesAndLengthsAreChecked) {
    const MusculoskeletalModel model = walker_model();
    JointPoints points = joint_points(model);
    points[0].first = "hipp_l";
    EXPECT_THROW(proportions_from_joints(model, points), InputError);
    points = joint_points(model);
    for (auto& [name, p] : points) {
        p *= 1000.0;  // millimetres taken for metres
    }
    EXPECT_THROW(proportions_from_joints(model, points), InputError);
    EXPECT_THROW(points_from_views({{"hip_l", {0.1}}}, {{"hip_l", {0.1, 0.9}}}), InputError);
}

}  // namespace
}  // namespace sinew
