#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/io/mass_files.h"
#include "sinew/io/model_files.h"
#include "sinew/motion/examination.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/joint_range.h"
#include "sinew/motion/limb_turns.h"
#include "sinew/motion/pose_sets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/support/shared_data.h"
#include "tests/support/walker_model.h"

namespace sinew {
namespace {

using support::walker_model;
using enum LimbTurn;

constexpr double kAbove = 0.06;   // m, of the muscle's origin above the knee
constexpr double kBelow = 0.03;   // of its insertion below
constexpr double kBefore = 0.08;  // both in front of it

// A thigh and a shank with one muscle in front of the knee, no tendon: in OpenSim's axes.
MusculoskeletalModel one_muscle_knee() {
    MusculoskeletalModel model;
    model.name = "knee";
    model.osim_version = 40000;
    model.bodies = {{.name = "pelvis", .mass = 10.0},
                    {.name = "femur_r", .mass = 8.0, .com = Vec3(0.0, -0.2, 0.0)},
                    {.name = "tibia_r", .mass = 4.0, .com = Vec3(0.0, -0.2, 0.0)}};
    ModelJoint root{.name = "root", .kind = JointKind::Weld, .parent = -1, .child = 0};
    ModelJoint hip{.name = "hip", .kind = JointKind::Weld, .parent = 0, .child = 1};
    ModelJoint knee{.name = "knee", .kind = JointKind::Hinge, .parent = 1, .child = 2};
    knee.parent_frame.position = Vec3(0.0, -0.4, 0.0);
    knee.axes = standard_axes(JointKind::Hinge, 0);
    model.joints = {root, hip, knee};
    model.coordinates = {{.name = "knee_angle_r", .joint = 2, .low = -2.4, .high = 0.0}};
    MuscleUnit unit{.name = "vastus", .fmax = 2000.0, .fibre = 0.09, .tendon = 0.0};
    unit.points = {
        {.name = "a", .anchors = {{.body = 1, .position = Vec3(kBefore, -0.4 + kAbove, 0.0)}}},
        {.name = "b", .anchors = {{.body = 2, .position = Vec3(kBefore, -kBelow, 0.0)}}}};
    model.muscles = {unit};
    return model;
}

// The same by the law of cosines: length, and how it grows with the flexion of the knee.
std::pair<double, double> knee_length(double flexion) {
    const double a = std::hypot(kAbove, kBefore);
    const double b = std::hypot(kBelow, kBefore);
    // The angle at the knee in front; flexion opens it.
    const double phi = kPi - std::atan2(kBefore, kAbove) - std::atan2(kBefore, kBelow) + flexion;
    const double inside = std::min(phi, 2.0 * kPi - phi);
    const double l = std::sqrt(a * a + b * b - 2.0 * a * b * std::cos(inside));
    return {l, (phi < kPi ? 1.0 : -1.0) * a * b * std::sin(inside) / l};
}

double thelen_passive(const MuscleUnit& unit, double length) {
    const double x = length / unit.fibre - 1.0;
    return x <= 0.0 ? 0.0
                    : unit.fmax * std::expm1(unit.passive_shape * x / unit.passive_strain) /
                          std::expm1(unit.passive_shape);
}

TEST(Examination, OneMuscleOverOneHingeAsTheClosedFormHasIt) {
    MusculoskeletalModel model = one_muscle_knee();
    const ExamRow row{.test = "duncan_ely", .side = BodySide::Right, .value_deg = 50.0};
    // The angle of 50 N m, by the law of cosines and Thelen's curve.
    double low = 0.0;
    double high = 1.5;
    for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        const auto [l, slope] = knee_length(middle);
        (thelen_passive(model.muscles[0], l) * slope < 50.0 ? low : high) = middle;
    }
    const ExamReading before = examine_row(model, row, {&row, 1});
    EXPECT_EQ(before.end, ExamEnd::Muscles);
    EXPECT_EQ(before.stop, "vastus");
    EXPECT_NEAR(before.angle_deg, low / kDegree, 0.02);
    // The fibre with which 50 degrees are the answer: F = tau / (dl/dtheta) gives its stretch.
    const auto [l, slope] = knee_length(50.0 * kDegree);
    const MuscleUnit& unit = model.muscles[0];
    const double stretch =
        1.0 + unit.passive_strain / unit.passive_shape *
                  std::log1p(50.0 / slope / unit.fmax * std::expm1(unit.passive_shape));
    const double fibre = l / stretch;
    const ExamFit fit = fit_examination(model, {&row, 1});
    EXPECT_TRUE(fit.tests[0].is_met) << fit.tests[0].reason;
    EXPECT_NEAR(fit.tests[0].after.angle_deg, 50.0, 0.1);
    EXPECT_NEAR(model.muscles[0].fibre, fibre, 1e-3 * fibre);
    ASSERT_EQ(fit.muscles.size(), 1u);
    EXPECT_NEAR(fit.muscles[0].second, fibre / 0.09, 2e-3);
}

// The walker with muscles that are stretched in ordinary poses.
MusculoskeletalModel stiff_walker() {
    MusculoskeletalModel model = walker_model();
    std::vector<std::vector<double>> poses;
    const LimbPoser poser(model);
    for (const auto& [hip, knee, ankle] :
         {std::tuple{70.0, 20.0, 15.0}, std::tuple{-20.0, 0.0, -20.0},
          std::tuple{60.0, 100.0, -15.0}}) {
        std::vector<LimbAngle> angles;
        for (const BodySide side : {BodySide::Left, BodySide::Right}) {
            angles.push_back({HipFlexion, side, hip * kDegree});
            angles.push_back({KneeFlexion, side, knee * kDegree});
            angles.push_back({AnkleDorsiflexion, side, ankle * kDegree});
        }
        poses.push_back(poser.pose(angles));
    }
    allow_poses(model, poses);
    return model;
}

TEST(Examination, ATableIsMetOnBothSides) {
    MusculoskeletalModel model = stiff_walker();
    const MusculoskeletalModel before = model;
    const std::vector<ExamRow> rows = {
        {.test = "popliteal_bilateral", .side = BodySide::Left, .value_deg = 55.0},
        {.test = "popliteal_bilateral", .side = BodySide::Right, .value_deg = 30.0},
        {.test = "thomas", .side = BodySide::Left, .value_deg = 10.0},
        {.test = "silfverskiold_bent", .side = BodySide::Right, .value_deg = 5.0}};
    const ExamFit fit = fit_examination(model, rows);
    for (const ExamResult& test : fit.tests) {
        EXPECT_TRUE(test.is_met) << test.row.test << ": " << test.reason;
        EXPECT_NEAR(test.after.angle_deg, test.row.value_deg, 0.5) << test.row.test;
        EXPECT_GT(std::abs(test.before.angle_deg - test.row.value_deg), 1.0) << test.row.test;
    }
    // What no row asks of stays: the right thigh's flexor and vastus.
    std::map<std::string, bool> is_same;
    for (std::size_t m = 0; m < model.muscles.size(); ++m) {
        is_same[model.muscles[m].name] = model.muscles[m].fibre == before.muscles[m].fibre;
        EXPECT_NEAR(model.muscles[m].fibre * before.muscles[m].tendon,
                    model.muscles[m].tendon * before.muscles[m].fibre, 1e-12);
    }
    EXPECT_TRUE(is_same["R_iliacus"]);
    EXPECT_FALSE(is_same["L_iliacus"]);
}

TEST(Examination, WhatCannotBeMetSaysWhy) {
    MusculoskeletalModel model = stiff_walker();
    const std::vector<ExamRow> rows = {
        {.test = "thomas", .side = BodySide::Left, .value_deg = 20.0},
        {.test = "staheli", .side = BodySide::Left, .value_deg = -5.0},
        {.test = "popliteal_bilateral", .side = BodySide::Right, .value_deg = -10.0},
        {.test = "elbow_extension", .side = BodySide::Right, .value_deg = 5.0},
        {.test = "duncan_ely", .side = BodySide::Right, .value_deg = -20.0}};
    const ExamFit fit = fit_examination(model, rows);
    EXPECT_TRUE(fit.tests[0].is_met);
    EXPECT_NE(fit.tests[1].reason.find("contradicts 'thomas left'"), std::string::npos)
        << fit.tests[1].reason;
    EXPECT_NE(fit.tests[2].reason.find("range of 'TibiaR'"), std::string::npos)
        << fit.tests[2].reason;
    EXPECT_EQ(fit.tests[3].after.end, ExamEnd::Missing);
    EXPECT_NE(fit.tests[3].reason.find("does not have"), std::string::npos);
    EXPECT_NE(fit.tests[4].reason.find("begins"), std::string::npos);
    for (std::size_t k = 1; k < fit.tests.size(); ++k) {
        EXPECT_FALSE(fit.tests[k].is_met);
    }
}

// The other leg lies flat: what its hip lacks of extension bends the pelvis forward, and the
// hamstrings of this leg are longer by that.
TEST(Examination, AContractureOfTheOtherHipShowsInTheUnilateralAngle) {
    const MusculoskeletalModel model = stiff_walker();
    std::vector<ExamRow> rows = {
        {.test = "popliteal_unilateral", .side = BodySide::Left, .value_deg = 0.0},
        {.test = "popliteal_bilateral", .side = BodySide::Left, .value_deg = 0.0},
        {.test = "thomas", .side = BodySide::Right, .value_deg = 0.0}};
    const double flat = examine_row(model, rows[0], rows).angle_deg;
    EXPECT_NEAR(flat, examine_row(model, rows[1], rows).angle_deg, 0.02);
    rows[2].value_deg = 15.0;
    EXPECT_GT(examine_row(model, rows[0], rows).angle_deg, flat + 5.0);
    EXPECT_NEAR(flat, examine_row(model, rows[1], rows).angle_deg, 0.02);
}

TEST(Examination, UnknownAndRepeatedTestsAreRefused) {
    MusculoskeletalModel model = stiff_walker();
    std::vector<ExamRow> rows = {{.test = "tomas", .value_deg = 0.0, .where = "line 2"}};
    EXPECT_THROW(fit_examination(model, rows), InputError);
    rows = {{.test = "thomas", .where = "line 2"}, {.test = "thomas", .where = "line 3"}};
    EXPECT_THROW(fit_examination(model, rows), InputError);
}

// A table for both legs of gait2392, asked within what its bones allow.
TEST(Examination, Gait2392ShowsAFabricatedTable) {
    SINEW_NEEDS_SHARED(file, "musculoskeletal/opensim/gait2392_thelen2003muscle.osim");
    MusculoskeletalModel model = read_model(file);
    std::vector<ExamRow> rows;
    const auto ask = [&](const char* test, double left, double right) {
        rows.push_back({.test = test, .side = BodySide::Left, .value_deg = left});
        rows.push_back({.test = test, .side = BodySide::Right, .value_deg = right});
    };
    ask("popliteal_bilateral", 60.0, 35.0);
    ask("thomas", 15.0, 5.0);
    ask("duncan_ely", 100.0, 110.0);
    ask("silfverskiold_straight", 0.0, 8.0);
    ask("silfverskiold_bent", 12.0, 15.0);
    ask("hip_internal_rotation", 45.0, 38.0);
    ask("hip_external_rotation", 30.0, 35.0);
    ask("hip_abduction_straight", 22.0, 30.0);
    const ExamFit fit = fit_examination(model, rows);
    for (const ExamResult& test : fit.tests) {
        EXPECT_TRUE(test.is_met) << test.row.test << " asked " << test.row.value_deg << ", shows "
                                 << test.after.angle_deg << ": " << test.reason;
    }
}

Vec3 joint_place(const MusculoskeletalModel& model, const std::vector<double>& q, SegmentKind kind,
                 BodySide side) {
    const auto segments = find_segments(model);
    const ModelPlacement placed = KinematicTree(model).place(q);
    for (const ModelJoint& joint : model.joints) {
        if (segments[at(joint.child)].kind == kind && segments[at(joint.child)].side == side) {
            return placed.bodies[at(joint.child)] * joint.child_frame.position;
        }
    }
    return Vec3::Constant(std::nan(""));
}

// Angles mean the same in OpenSim's axes and in those of MASS, on both sides.
TEST(LimbPoser, AnatomicalAnglesMeanTheSameInAllModels) {
    SINEW_NEEDS_SHARED(gait, "musculoskeletal/opensim/gait2392_thelen2003muscle.osim");
    SINEW_NEEDS_SHARED(mass, "musculoskeletal/mass/human.xml");
    const MusculoskeletalModel models[] = {read_model(gait),
                                           read_mass(mass, mass.parent_path() / "muscle284.xml")};
    for (const MusculoskeletalModel& model : models) {
        const LimbPoser poser(model);
        const Vec3 left = *left_direction(model, find_segments(model));
        const Vec3 up = Vec3::UnitY();
        const Vec3 forward = left.cross(up);
        for (const BodySide side : {BodySide::Left, BodySide::Right}) {
            const Vec3 outwards = side == BodySide::Left ? left : Vec3(-left);
            const auto along = [&](LimbTurn turn, double deg, SegmentKind kind, const Vec3& to) {
                std::vector<LimbAngle> angles = {{turn, side, 0.0}};
                const Vec3 before = joint_place(model, poser.pose(angles), kind, side);
                angles[0].angle = deg * kDegree;
                return (joint_place(model, poser.pose(angles), kind, side) - before).dot(to);
            };
            EXPECT_TRUE(poser.has(HipFlexion, side) && poser.has(AnkleDorsiflexion, side));
            EXPECT_GT(along(HipFlexion, 30.0, SegmentKind::Tibia, forward), 0.1) << model.name;
            EXPECT_GT(along(HipAbduction, 30.0, SegmentKind::Tibia, outwards), 0.1) << model.name;
            EXPECT_LT(along(KneeFlexion, 30.0, SegmentKind::Foot, forward), -0.1) << model.name;
            // With the knee bent, the shank goes outwards as the thigh turns inwards.
            std::vector<LimbAngle> bent = {{KneeFlexion, side, kPi / 2.0},
                                           {HipRotation, side, 0.0}};
            const Vec3 before = joint_place(model, poser.pose(bent), SegmentKind::Foot, side);
            bent[1].angle = 0.5;
            EXPECT_GT((joint_place(model, poser.pose(bent), SegmentKind::Foot, side) - before)
                          .dot(outwards),
                      0.1)
                << model.name;
        }
        // Arms hang at zero and go forward.
        if (poser.has(ShoulderFlexion, BodySide::Right)) {
            const LimbAngle raised[] = {{ShoulderFlexion, BodySide::Right, kPi / 2.0}};
            const std::vector<double> q = poser.pose(raised);
            const Vec3 arm = joint_place(model, q, SegmentKind::Ulna, BodySide::Right) -
                             joint_place(model, q, SegmentKind::Humerus, BodySide::Right);
            EXPECT_GT(arm.normalized().dot(forward), 0.99) << model.name;
        }
    }
}

// Bodies of a mirrored pose are where the bodies of the other side were, seen in a mirror.
TEST(PoseSets, AMirroredPoseIsAMirrorImage) {
    MusculoskeletalModel model = walker_model();
    const PoseMirror mirror(model);
    EXPECT_EQ(mirror.pairs(), 7);
    std::vector<double> q = rest_coordinates(model);
    for (std::size_t c = 0; c < q.size(); ++c) {
        q[c] = 0.3 * std::sin(1.0 + 2.0 * static_cast<double>(c));
    }
    const std::vector<double> back = mirror.mirrored(mirror.mirrored(q));
    for (std::size_t c = 0; c < q.size(); ++c) {
        EXPECT_NEAR(back[c], q[c], 1e-15);
    }
    const KinematicTree tree(model);
    const ModelPlacement here = tree.place(q);
    const ModelPlacement there = tree.place(mirror.mirrored(q));
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        std::string name = model.bodies[b].name;
        if (name.back() == 'L' || name.back() == 'R') {
            name.back() = name.back() == 'L' ? 'R' : 'L';
        }
        const Vec3 p = here.bodies[b].position;
        const Vec3 image = there.bodies[at(find_body(model, name))].position;
        EXPECT_LT((Vec3(-p.x(), p.y(), p.z()) - image).norm(), 1e-9) << name;
    }
}

TEST(PoseSets, KeyPosesAreRelaxedBelowTheThreshold) {
    MusculoskeletalModel model = walker_model();
    for (MuscleUnit& unit : model.muscles) {
        set_longest_length(unit, 0.75 * longest_length(unit));
    }
    const auto poses = key_poses(model);
    const auto worst = [&] {
        const KinematicTree tree(model);
        const MusclePaths paths(model, tree);
        double most = 0.0;
        for (const auto& [name, q] : poses) {
            const PathState state = paths.evaluate(tree.place(q));
            for (std::size_t m = 0; m < model.muscles.size(); ++m) {
                const MuscleUnit& unit = model.muscles[m];
                most =
                    std::max(most, equilibrium_force(unit, state.length[m], 0.0).total / unit.fmax);
            }
        }
        return most;
    };
    ASSERT_GT(worst(), 0.1);
    const auto relaxed = relax_muscles(model, poses, {.force = 0.01});
    EXPECT_FALSE(relaxed.empty());
    EXPECT_LE(worst(), 0.01);
}

// [Ryu2021, eq. 5], both ways to compute it.
TEST(JointRange, SaysWhatRangeOfMotionSays) {
    const MusculoskeletalModel model = stiff_walker();
    RangeOfMotion slow(model);
    int forbidden = 0;
    for (const char* name : {"FemurL", "TibiaR", "TalusL"}) {
        const auto found = std::find_if(model.joints.begin(), model.joints.end(),
                                        [&](const ModelJoint& j) { return j.name == name; });
        const JointRange fast(model, static_cast<std::size_t>(found - model.joints.begin()));
        EXPECT_GT(fast.muscle_count(), 0u);
        int valid = 0;
        constexpr int kPoses = 2000;
        for (int i = 0; i < kPoses; ++i) {
            std::vector<double> q = rest_coordinates(model);
            std::vector<double> own;
            for (std::size_t k = 0; k < fast.coordinates().size(); ++k) {
                own.push_back(1.5 * std::sin(0.37 * i + 2.1 * static_cast<double>(k) * i));
                q[at(fast.coordinates()[k])] = own.back();
            }
            ASSERT_EQ(fast.is_valid(own), slow.is_valid(q)) << name << " pose " << i;
            valid += slow.is_valid(q) ? 1 : 0;
        }
        EXPECT_GT(valid, kPoses / 20) << name;
        forbidden += kPoses - valid;
    }
    EXPECT_GT(forbidden, 1000);
}

TEST(JointRange, MusclesOverSurfacesAreRefused) {
    MusculoskeletalModel model = stiff_walker();
    model.wraps.push_back(
        {.name = "knee", .body = 2, .kind = WrapKind::Sphere, .size = Vec3::Constant(0.02)});
    for (MuscleUnit& unit : model.muscles) {
        unit.wraps.push_back({.object = 0});
    }
    EXPECT_THROW(JointRange(model, 2), InputError);
}

}  // namespace
}  // namespace sinew
