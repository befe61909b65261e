#include "sinew/io/osim.h"
#include "sinew/motion/known_muscles.h"
#include "sinew/motion/model_doctor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bench/trial_doctor.h"
#include "tests/support/model_faults.h"
#include "tests/support/shared_data.h"

namespace sinew {
namespace {

// A pelvis with two thighs on hinges, flexors in front and extensors behind.
MusculoskeletalModel two_legs() {
    MusculoskeletalModel model;
    model.name = "two legs";
    const auto add_body = [&](const char* name, double mass, const Vec3& com) {
        RigidBody body{.name = name, .mass = mass, .com = com};
        body.inertia = mass * 0.01 * Vec3(1.0, 0.4, 1.0).asDiagonal();
        model.bodies.push_back(body);
        return static_cast<Index>(model.bodies.size() - 1);
    };
    const Index pelvis = add_body("pelvis", 10.0, Vec3::Zero());
    model.joints.push_back({.name = "root", .parent = -1, .child = pelvis});
    for (const double side : {1.0, -1.0}) {
        const std::string end = side > 0.0 ? "_r" : "_l";
        const Index femur = add_body(("femur" + end).c_str(), 8.0, Vec3(0.0, -0.2, 0.0));
        ModelJoint hip{.name = "hip" + end, .kind = JointKind::Hinge, .parent = pelvis};
        hip.child = femur;
        hip.parent_frame.position = Vec3(0.0, -0.05, 0.08 * side);
        const auto c = static_cast<Index>(model.coordinates.size());
        hip.axes = standard_axes(JointKind::Hinge, c);
        model.joints.push_back(hip);
        model.coordinates.push_back({.name = "hip_flexion" + end,
                                     .joint = static_cast<Index>(model.joints.size() - 1),
                                     .low = -0.3,
                                     .high = 1.5});
        const auto add_muscle = [&](const char* name, double x, double across) {
            MuscleUnit unit{.name = name + end, .fmax = 1000.0, .fibre = 0.1, .tendon = 0.2};
            unit.points.resize(2);
            unit.points[0].name = unit.name + "-P1";
            unit.points[0].anchors = {{pelvis, Vec3(x, 0.05, (0.08 + across) * side), 1.0}};
            unit.points[1].name = unit.name + "-P2";
            unit.points[1].anchors = {{femur, Vec3(x, -0.2, across * side), 1.0}};
            model.muscles.push_back(unit);
        };
        add_muscle("psoas", 0.04, 0.0);
        add_muscle("iliacus", 0.03, 0.02);
        add_muscle("glut_max1", -0.05, -0.03);
        add_muscle("glut_max2", -0.05, 0.03);
    }
    return model;
}

// Errors that name a part; all errors where it is empty.
std::vector<ModelFinding> errors_about(const MusculoskeletalModel& model, const std::string& part) {
    std::vector<ModelFinding> out;
    for (const ModelFinding& f : examine_model(model)) {
        if (f.is_error && f.where.find(part) != std::string::npos) {
            out.push_back(f);
        }
    }
    return out;
}

TEST(Doctor, ALegLikeTheOtherIsHealthy) {
    for (const ModelFinding& f : errors_about(two_legs(), "")) {
        ADD_FAILURE() << f.where << ": " << f.what;
    }
}

TEST(Doctor, SaysWhichPointIsNotTheMirrorImageOfItsCounterpart) {
    MusculoskeletalModel model = two_legs();
    model.muscles[3].points[1].anchors[0].position.z() *= -1.0;  // glut_max2_r goes to the inside
    const std::vector<ModelFinding> found = errors_about(model, "'glut_max2_r'");
    ASSERT_FALSE(found.empty());
    EXPECT_NE(found[0].what.find("glut_max2_r-P2"), std::string::npos) << found[0].what;
    EXPECT_NEAR(found[0].value, 0.06, 1e-9);
    EXPECT_FALSE(found[0].remedy.empty());
    EXPECT_EQ(errors_about(model, "").size(), found.size());
}

TEST(Doctor, AFlexorBehindTheJointIsOpposedToTheOthers) {
    // One leg only: no counterpart could tell.
    MusculoskeletalModel model = two_legs();
    model.muscles.resize(4);
    for (PathPoint& p : model.muscles[0].points) {
        p.anchors[0].position.x() = -0.05;
    }
    const std::vector<ModelFinding> found = errors_about(model, "'psoas_r'");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].what.find("wrong way"), std::string::npos) << found[0].what;
    EXPECT_TRUE(errors_about(model, "'glut_max2_r'").empty());
}

TEST(Doctor, NamesTheWrongBody) {
    MusculoskeletalModel model = two_legs();
    model.muscles[0].points[1].anchors[0].body = 2;  // psoas_r on the left thigh
    const std::vector<ModelFinding> found = errors_about(model, "'psoas_r'");
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const ModelFinding& f) {
        return f.what.find("attached to different bodies") != std::string::npos;
    }));
}

TEST(Doctor, AWrongMassVelocityForceAndGravityAreErrors) {
    const auto harmed = [](auto harm) {
        MusculoskeletalModel model = two_legs();
        harm(model);
        return model;
    };
    EXPECT_EQ(errors_about(harmed([](auto& m) { m.bodies[1].mass *= 10.0; }), "'femur_r'").size(),
              2U);  // heavier than the other, and than its inertia allows
    EXPECT_FALSE(errors_about(harmed([](auto& m) { m.bodies[0].mass *= 10.0; }), "pelvis").empty());
    EXPECT_FALSE(errors_about(harmed([](auto& m) { m.bodies[1].mass = 0.0; }), "femur_r").empty());
    EXPECT_EQ(errors_about(harmed([](auto& m) { m.gravity.y() = 9.8; }), "gravity").size(), 1U);
    EXPECT_EQ(
        errors_about(harmed([](auto& m) { m.gravity = Vec3(-9.8, 0.0, 0.0); }), "gravity").size(),
        1U);
    EXPECT_EQ(
        errors_about(harmed([](auto& m) { m.bodies[1].inertia *= 20.0; }), "'femur_r'").size(),
        2U);  // more than the other's, and than a limb of that mass has
    // What both sides have alike.
    const auto light = harmed([](auto& m) {
        m.bodies[1].mass /= 20.0;
        m.bodies[2].mass /= 20.0;
    });
    EXPECT_FALSE(errors_about(light, "'femur_r'").empty());
    // And what nothing on another side can tell of.
    const auto weak = harmed([](auto& m) {
        std::erase_if(m.muscles, [](const MuscleUnit& u) { return u.name.ends_with("_l"); });
        m.muscles[0].fmax *= 0.02;
    });
    EXPECT_FALSE(errors_about(weak, "'psoas_r'").empty());
    // With its inertia, so that density says nothing: more than the whole that the legs let expect.
    const auto heavy = harmed([](auto& m) {
        m.bodies[0].mass *= 8.0;
        m.bodies[0].inertia *= 8.0;
    });
    EXPECT_EQ(errors_about(heavy, "'pelvis'").size(), 1U);
    EXPECT_EQ(
        errors_about(harmed([](auto& m) { m.muscles[2].velocity = 0.1; }), "glut_max1_r").size(),
        2U);  // slower than any muscle, and than the other side's
    EXPECT_FALSE(
        errors_about(harmed([](auto& m) { m.muscles[2].fmax *= 100.0; }), "glut_max1_r").empty());
    const auto far = harmed([](auto& m) { m.bodies[0].com.y() = 5.0; });
    EXPECT_EQ(errors_about(far, "").size(), 1U);  // not one for each muscle
    EXPECT_EQ(errors_about(far, "'pelvis'").size(), 1U);
}

TEST(Doctor, AJumpIsReportedAtItsAngleAndASteepArmIsNone) {
    const auto jumps = [](const MusculoskeletalModel& model) {
        std::vector<std::string> out;
        for (const ModelFinding& f : examine_model(model)) {
            if (f.what.find("jumps") != std::string::npos) {
                out.push_back(f.where + f.what);
            }
        }
        return out;
    };
    MusculoskeletalModel model = two_legs();
    model.muscles.resize(1);
    // Passing 4 mm from the axis the arm turns over within 20 degrees: steep, not broken.
    model.muscles[0].points[0].anchors[0].position = Vec3(0.004, 0.0, 0.08);
    model.muscles[0].points[1].anchors[0].position = Vec3(0.1, -0.02, 0.0);
    EXPECT_TRUE(jumps(model).empty());
    // A point that counts from 0.5 rad = 28.65 degrees on.
    PathPoint sudden;
    sudden.name = "sudden";
    sudden.anchors = {{1, Vec3(0.03, -0.03, 0.0), 1.0}};
    sudden.condition = 0;
    sudden.low = 0.5;
    sudden.high = 2.0;
    model.muscles[0].points.insert(model.muscles[0].points.begin() + 1, sudden);
    model.muscles[0].points[0].anchors[0].position = Vec3(0.04, 0.05, 0.08);
    model.muscles[0].points[2].anchors[0].position = Vec3(0.02, -0.2, 0.0);
    const std::vector<std::string> found = jumps(model);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("at 28.6"), std::string::npos) << found[0];
}

TEST(Doctor, NamesOfTheOtherSide) {
    const auto has = [](const char* name, const char* other) {
        const std::vector<std::string> all = names_of_other_side(name);
        return std::find(all.begin(), all.end(), other) != all.end();
    };
    EXPECT_TRUE(has("glut_med1_r", "glut_med1_l"));
    EXPECT_TRUE(has("L_Psoas_Major1", "R_Psoas_Major1"));
    EXPECT_TRUE(has("FemurR", "FemurL"));
    EXPECT_TRUE(has("hip_r_flexion", "hip_l_flexion"));
    EXPECT_TRUE(names_of_other_side("pelvis").empty());
    EXPECT_EQ(plain_muscle_name("glut_med1_r"), "glutmed");
    EXPECT_EQ(plain_muscle_name("L_Gluteus_Medius3"), "gluteusmedius");
}

// One muscle in nine of a public model: thresholds were chosen on gait2392, arm26 and MASS.
TEST(Doctor, FindsPlantedFaultsInAPublicModelAndNoneInItself) {
    SINEW_NEEDS_SHARED(file, "musculoskeletal/trials/gait10dof18musc/gait10dof18musc.osim");
    const bench::DoctorRow row = bench::try_doctor("gait10dof18musc", read_osim(file), 9);
    EXPECT_EQ(row.errors, 0);
    EXPECT_GT(row.planted, 30);
    EXPECT_GE(row.found, 0.9 * row.planted) << testing::PrintToString(row.missed);
}

}  // namespace
}  // namespace sinew
