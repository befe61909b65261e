// Layouts that OpenSim's versions and programs gave the same model, and what a file holds that has
// no counterpart here.

#include "sinew/base/error.h"
#include "sinew/body/kinematics.h"
#include "sinew/io/osim.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/static_optimisation.h"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

namespace sinew {
namespace {

const std::string kArmBody =
    "<Body name=\"arm\"><mass>2</mass><mass_center>0 -0.1 0</mass_center><inertia>0.01 0.01 0.01 "
    "0 0 0</inertia></Body>";
const std::string kPin =
    "<PinJoint name=\"pin\"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>"
    "/bodyset/arm</socket_child_frame><coordinates><Coordinate name=\"angle\"><range>-2 2</range>"
    "</Coordinate></coordinates></PinJoint>";

std::string point_at(const std::string& name, const std::string& frame, const std::string& at) {
    return fmt::format(
        "<PathPoint name=\"{}\"><socket_parent_frame>{}</socket_parent_frame><location>{}"
        "</location></PathPoint>",
        name, frame, at);
}

std::string muscle_of(const std::string& type, const std::string& points,
                      const std::string& extra = "", const std::string& wraps = "") {
    return fmt::format(
        "<{} name=\"m\"><GeometryPath name=\"geometrypath\"><PathPointSet><objects>{}</objects>"
        "</PathPointSet><PathWrapSet><objects>{}</objects></PathWrapSet></GeometryPath>"
        "<max_isometric_force>100</max_isometric_force><optimal_fiber_length>0.1"
        "</optimal_fiber_length><tendon_slack_length>0.1</tendon_slack_length>{}</{}>",
        type, points, wraps, extra, type);
}

const std::string kStraight =
    point_at("a", "/ground", "0.1 0.2 0") + point_at("b", "/bodyset/arm", "0 -0.1 0");

std::string document(const std::string& inside, int version = 40000) {
    return fmt::format(
        "<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"{}\">\n<Model name=\"m\">\n<Ground "
        "name=\"ground\"/>\n{}\n</Model>\n</OpenSimDocument>",
        version, inside);
}

std::string sets(const std::string& joints, const std::string& forces) {
    return fmt::format(
        "<BodySet name=\"bodyset\"><objects>{}</objects></BodySet>\n<JointSet name=\"jointset\">"
        "<objects>{}</objects></JointSet>\n<ForceSet name=\"forceset\"><objects>{}</objects>"
        "</ForceSet>",
        kArmBody, joints, forces);
}

double length_at(const MusculoskeletalModel& model, double angle) {
    const KinematicTree tree(model);
    return MusclePaths(model, tree).evaluate(tree.place(std::vector<double>{angle})).length.at(0);
}

// From (0.1, 0.2, 0) to (0, -0.1, 0) turned about z.
double straight_length(double angle) {
    return (Vec3(0.1 * std::sin(angle), -0.1 * std::cos(angle), 0.0) - Vec3(0.1, 0.2, 0.0)).norm();
}

std::string message_of(const std::string& text) {
    try {
        parse_osim(text, "bad.osim");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

bool is_noted(const MusculoskeletalModel& model, const std::string& words) {
    return std::any_of(model.notes.begin(), model.notes.end(), [&](const std::string& note) {
        return note.find(words) != std::string::npos;
    });
}

TEST(OsimLayouts, ComponentsOutsideTheSetsAreReadLikeThoseInside) {
    const std::string muscle = muscle_of("Thelen2003Muscle", kStraight);
    const MusculoskeletalModel inside = parse_osim(document(sets(kPin, muscle)), "inside.osim");
    const std::string pin =
        "<PinJoint name=\"pin\"><socket_parent_frame>/ground"
        "</socket_parent_frame><socket_child_frame>/arm</socket_child_frame>"
        "<coordinates><Coordinate name=\"angle\"/></coordinates></PinJoint>";
    const std::string points =
        point_at("a", "/ground", "0.1 0.2 0") + point_at("b", "/arm", "0 -0.1 0");
    const MusculoskeletalModel outside = parse_osim(
        document("<components>" + kArmBody + pin + muscle_of("Thelen2003Muscle", points) +
                 "<PathActuator name=\"p\"/><ConsoleReporter name=\"r\"/></components>"),
        "outside.osim");
    for (const double angle : {-0.6, 0.0, 1.2}) {
        EXPECT_NEAR(length_at(inside, angle), straight_length(angle), 1e-12);
        EXPECT_NEAR(length_at(outside, angle), straight_length(angle), 1e-12);
    }
    EXPECT_TRUE(is_noted(outside, "PathActuator"));
    EXPECT_FALSE(is_noted(outside, "ConsoleReporter"));
}

// <socket_x_connectee_name> stood for a year before version 4, <connectors> before that.
TEST(OsimLayouts, SocketsOfVersionsBetween3And4AreRead) {
    const std::string coordinates = "<coordinates><Coordinate name=\"angle\"/></coordinates>";
    const auto points = [](const std::string& open, const std::string& close) {
        return fmt::format(
            "<PathPoint name=\"a\">{0}ground{1}<location>0.1 0.2 0</location></PathPoint>"
            "<PathPoint name=\"b\">{0}arm{1}<location>0 -0.1 0</location></PathPoint>",
            open, close);
    };
    const std::string named =
        "<PinJoint name=\"pin\"><socket_parent_frame_connectee_name>ground"
        "</socket_parent_frame_connectee_name><socket_child_frame_connectee_name>arm_offset"
        "</socket_child_frame_connectee_name>" +
        coordinates +
        "<frames><PhysicalOffsetFrame name=\"arm_offset\"><socket_parent_connectee_name>../../arm"
        "</socket_parent_connectee_name></PhysicalOffsetFrame></frames></PinJoint>";
    const MusculoskeletalModel newer =
        parse_osim(document(sets(named, muscle_of("Thelen2003Muscle",
                                                  points("<socket_parent_frame_connectee_name>",
                                                         "</socket_parent_frame_connectee_name>"))),
                            30516),
                   "30516.osim");
    const auto connector = [](const std::string& name, const std::string& to) {
        return fmt::format(
            "<Connector_PhysicalFrame_ name=\"{}\"><connectee_name>{}</connectee_name>"
            "</Connector_PhysicalFrame_>",
            name, to);
    };
    const std::string connected =
        "<PinJoint name=\"pin\"><connectors>" + connector("parent_frame", "ground") +
        connector("child_frame", "arm") + "</connectors>" + coordinates + "</PinJoint>";
    const MusculoskeletalModel older = parse_osim(
        document(sets(connected, muscle_of("Thelen2003Muscle",
                                           points("<connectors><Connector_PhysicalFrame_ name="
                                                  "\"parent_frame\"><connectee_name>",
                                                  "</connectee_name></Connector_PhysicalFrame_>"
                                                  "</connectors>"))),
                 30505),
        "30505.osim");
    for (const double angle : {-0.6, 0.0, 1.2}) {
        EXPECT_NEAR(length_at(newer, angle), straight_length(angle), 1e-12);
        EXPECT_NEAR(length_at(older, angle), straight_length(angle), 1e-12);
    }
}

// In gait models every joint at the pelvis has a frame called "pelvis_offset".
TEST(OsimLayouts, FramesOfOneNameAreToldApartByTheirPaths) {
    const auto pin = [](const std::string& name, const std::string& child, double height) {
        return fmt::format(
            "<PinJoint name=\"{0}\"><socket_parent_frame>base</socket_parent_frame>"
            "<socket_child_frame>/bodyset/{1}</socket_child_frame><coordinates><Coordinate "
            "name=\"{0}_angle\"/></coordinates><frames><PhysicalOffsetFrame name=\"base\">"
            "<socket_parent>/ground</socket_parent><translation>0 {2} 0</translation>"
            "</PhysicalOffsetFrame></frames></PinJoint>",
            name, child, height);
    };
    const std::string second =
        "<Body name=\"leg\"><mass>2</mass><mass_center>0 0 0</mass_center><inertia>0.01 0.01 0.01 "
        "0 0 0</inertia></Body>";
    const auto model = [&](const std::string& frame) {
        return document("<BodySet name=\"bodyset\"><objects>" + kArmBody + second +
                        "</objects></BodySet><JointSet name=\"jointset\"><objects>" +
                        pin("one", "arm", 0.5) + pin("two", "leg", 0.9) +
                        "</objects></JointSet><ForceSet name=\"forceset\"><objects>" +
                        muscle_of("Thelen2003Muscle", point_at("a", frame, "0 0 0") +
                                                          point_at("b", "/ground", "0 0 0")) +
                        "</objects></ForceSet>");
    };
    const std::vector<double> q = {0.0, 0.0};
    const auto length = [&](const std::string& frame) {
        const MusculoskeletalModel read = parse_osim(model(frame), "frames.osim");
        const KinematicTree tree(read);
        return MusclePaths(read, tree).evaluate(tree.place(q)).length[0];
    };
    EXPECT_NEAR(length("/jointset/one/base"), 0.5, 1e-12);
    EXPECT_NEAR(length("/jointset/two/base"), 0.9, 1e-12);
    // From the point over path, muscle and set up to the model.
    EXPECT_NEAR(length("../../../../../jointset/two/base"), 0.9, 1e-12);
    const std::string unclear = message_of(model("base"));
    EXPECT_NE(unclear.find("of which there are 2"), std::string::npos) << unclear;
    EXPECT_NE(unclear.find("/jointset/one/base"), std::string::npos) << unclear;
    EXPECT_NE(unclear.find("line 5"), std::string::npos) << unclear;
}

// Over a sphere of 3 cm at (0, 0.2, 0): two tangents and an arc, by hand.
TEST(OsimLayouts, WrapObjectsMayLieOnOffsetFrames) {
    const std::string frame =
        "<components><PhysicalOffsetFrame name=\"shelf\"><socket_parent>/ground</socket_parent>"
        "<translation>0 0.2 0</translation><WrapObjectSet><objects><!-- a ball --><WrapSphere "
        "name=\"ball\"><radius>0.03</radius></WrapSphere></objects></WrapObjectSet>"
        "</PhysicalOffsetFrame></components>";
    const std::string points =
        point_at("a", "/ground", "-0.1 0.21 0") + point_at("b", "/ground", "0.1 0.21 0");
    const std::string muscle =
        muscle_of("Thelen2003Muscle", points, "",
                  "<PathWrap name=\"w\"><wrap_object>ball</wrap_object></PathWrap>");
    const MusculoskeletalModel model =
        parse_osim(document(frame + sets(kPin, muscle)), "shelf.osim");
    const double away = std::hypot(0.1, 0.01);
    const double tangent = std::sqrt(away * away - 0.03 * 0.03);
    const double arc =
        std::numbers::pi - 2.0 * std::atan2(0.01, 0.1) - 2.0 * std::acos(0.03 / away);
    EXPECT_NEAR(length_at(model, 0.0), 2.0 * tangent + 0.03 * arc, 1e-9);
}

TEST(OsimLayouts, WhatStandsInForAnotherClassIsNamed) {
    for (const auto& [type, words] : {std::pair{"Schutte1993Muscle_Deprecated", "Thelen"},
                                      std::pair{"Delp1990Muscle_Deprecated", "Thelen"},
                                      std::pair{"DeGrooteFregly2016Muscle", "Millard"}}) {
        const MusculoskeletalModel model =
            parse_osim(document(sets(kPin, muscle_of(type, kStraight))), "other.osim");
        ASSERT_EQ(model.muscles.size(), 1U) << type;
        EXPECT_TRUE(is_noted(model, fmt::format("curves of {}, read as {}", type, words))) << type;
    }
    const MusculoskeletalModel unknown = parse_osim(
        document(sets(kPin, "<McKibbenActuator name=\"x\"/><ClutchedPathSpring name=\"l\"/>")),
        "x.osim");
    EXPECT_TRUE(is_noted(unknown, "McKibbenActuator"));
    EXPECT_TRUE(is_noted(unknown, "ClutchedPathSpring"));
    const MusculoskeletalModel led = parse_osim(
        document(sets("<PinJoint name=\"pin\"><socket_parent_frame>/ground</socket_parent_frame>"
                      "<socket_child_frame>/bodyset/arm</socket_child_frame><coordinates>"
                      "<Coordinate name=\"angle\"><prescribed>true</prescribed></Coordinate>"
                      "</coordinates></PinJoint>",
                      "")),
        "led.osim");
    EXPECT_TRUE(is_noted(led, "prescribed"));
}

// As in models of the whole body: curves of a muscle's own, with and without the stiffness that
// follows from the strains.
TEST(OsimLayouts, ShapesOfMillardsCurvesAreReadWrittenAndKept) {
    const std::string curves =
        "<ActiveForceLengthCurve name=\"a\"><min_norm_active_fiber_length>0.25"
        "</min_norm_active_fiber_length><transition_norm_fiber_length>0.77"
        "</transition_norm_fiber_length><max_norm_active_fiber_length>1.9"
        "</max_norm_active_fiber_length><shallow_ascending_slope>0.75</shallow_ascending_slope>"
        "<minimum_value>0</minimum_value></ActiveForceLengthCurve><FiberForceLengthCurve "
        "name=\"p\"><strain_at_zero_force>0.1</strain_at_zero_force><strain_at_one_norm_force>0.5"
        "</strain_at_one_norm_force></FiberForceLengthCurve><ForceVelocityCurve name=\"v\">"
        "<isometric_slope>4</isometric_slope></ForceVelocityCurve>";
    const MusculoskeletalModel model = parse_osim(
        document(sets(kPin, muscle_of("Millard2012EquilibriumMuscle", kStraight, curves))),
        "curves.osim");
    const MillardShape& shape = model.muscles[0].shape;
    EXPECT_DOUBLE_EQ(shape.shortest, 0.25);
    EXPECT_DOUBLE_EQ(shape.shoulder, 0.77);
    EXPECT_DOUBLE_EQ(shape.longest, 1.9);
    EXPECT_DOUBLE_EQ(shape.shallow_slope, 0.75);
    EXPECT_DOUBLE_EQ(shape.least, 0.0);
    EXPECT_DOUBLE_EQ(shape.passive_begin, 0.1);
    EXPECT_DOUBLE_EQ(shape.passive_slope, 2.0 / 0.4);
    EXPECT_DOUBLE_EQ(shape.isometric_slope, 4.0);
    EXPECT_DOUBLE_EQ(shape.lengthening_force, 1.4);
    EXPECT_TRUE(parse_osim(format_osim(model), "again.osim").muscles[0].shape == shape);
    const std::string bad = message_of(
        document(sets(kPin, muscle_of("Millard2012EquilibriumMuscle", kStraight,
                                      "<FiberForceLengthCurve><strain_at_zero_force>0.6"
                                      "</strain_at_zero_force><strain_at_one_norm_force>0.5"
                                      "</strain_at_one_norm_force></FiberForceLengthCurve>"))));
    EXPECT_NE(bad.find("line"), std::string::npos) << bad;
}

// Constructs of published models: springs, limits and actuators are named and left out, a function
// scaled twice, a point that moves with a coordinate under a multiplier, geometry and controllers.
TEST(OsimLayouts, WhatPublishedModelsHoldBesidesIsNamedOrRead) {
    const std::string joint =
        "<CustomJoint name=\"pin\"><socket_parent_frame>/ground</socket_parent_frame>"
        "<socket_child_frame>/bodyset/arm</socket_child_frame><coordinates><Coordinate "
        "name=\"angle\"><range>-2 2</range></Coordinate></coordinates><SpatialTransform>"
        "<TransformAxis name=\"rotation1\"><coordinates>angle</coordinates><axis>0 0 1</axis>"
        "<LinearFunction name=\"function\"><coefficients> 1 0</coefficients></LinearFunction>"
        "</TransformAxis><TransformAxis name=\"rotation2\"><coordinates></coordinates><axis>0 1 0"
        "</axis><Constant name=\"function\"><value>0</value></Constant></TransformAxis>"
        "<TransformAxis name=\"translation1\"><coordinates>angle</coordinates><axis>1 0 0</axis>"
        "<MultiplierFunction name=\"function\"><function><MultiplierFunction><function>"
        "<SimmSpline><x>-2 0 2</x><y>0 0 0</y></SimmSpline></function><scale>2</scale>"
        "</MultiplierFunction></function><scale>0.9</scale></MultiplierFunction></TransformAxis>"
        "</SpatialTransform></CustomJoint>";
    const std::string moving =
        point_at("a", "/ground", "0.1 0.2 0") +
        "<MovingPathPoint name=\"b\"><socket_parent_frame>/bodyset/arm</socket_parent_frame>"
        "<socket_x_coordinate>/jointset/pin/angle</socket_x_coordinate><socket_y_coordinate>"
        "/jointset/pin/angle</socket_y_coordinate><socket_z_coordinate>/jointset/pin/angle"
        "</socket_z_coordinate><Constant name=\"x_location\"><value>0</value></Constant>"
        "<MultiplierFunction name=\"y_location\"><function><PiecewiseLinearFunction><x>-2 2</x><y>"
        "-0.2 -0.2</y></PiecewiseLinearFunction></function><scale>0.5</scale></MultiplierFunction>"
        "<Constant name=\"z_location\"><value>0</value></Constant></MovingPathPoint>";
    const std::string others =
        "<CoordinateActuator name=\"c\"><coordinate>angle</coordinate></CoordinateActuator>"
        "<CoordinateLimitForce name=\"l\"><coordinate>angle</coordinate></CoordinateLimitForce>"
        "<SpringGeneralizedForce name=\"s\"><coordinate>angle</coordinate>"
        "</SpringGeneralizedForce><ExpressionBasedCoordinateForce name=\"e\"/><HuntCrossleyForce "
        "name=\"h\"/><FunctionBasedBushingForce name=\"b\"/>";
    const std::string besides =
        "<ContactGeometrySet><objects><ContactHalfSpace name=\"floor\"/></objects>"
        "</ContactGeometrySet><ControllerSet><objects/></ControllerSet><ProbeSet><objects/>"
        "</ProbeSet><credits>x</credits><length_units>meters</length_units>";
    const MusculoskeletalModel model =
        parse_osim(document(sets(joint, muscle_of("Thelen2003Muscle", moving) + others) + besides),
                   "besides.osim");
    ASSERT_EQ(model.muscles.size(), 1U);
    for (const double angle : {-0.7, 0.0, 1.1}) {
        EXPECT_NEAR(length_at(model, angle), straight_length(angle), 1e-12) << angle;
    }
    for (const char* name : {"CoordinateActuator", "ExpressionBasedCoordinateForce",
                             "HuntCrossleyForce", "FunctionBasedBushingForce"}) {
        EXPECT_TRUE(is_noted(model, name)) << name;
    }
    EXPECT_EQ(model.limits.size(), 1U);
    EXPECT_EQ(model.springs.size(), 1U);
}

TEST(OsimLayouts, LeastActivationsAreReadWrittenAndKept) {
    const std::string flexor =
        point_at("a", "/ground", "0.1 0.2 0") + point_at("b", "/bodyset/arm", "0 -0.1 0");
    const MusculoskeletalModel model =
        parse_osim(document(sets(kPin, muscle_of("Millard2012EquilibriumMuscle", flexor,
                                                 "<min_control>0.05</min_control>"))),
                   "least.osim");
    EXPECT_DOUBLE_EQ(model.muscles[0].least_activation, 0.05);
    EXPECT_DOUBLE_EQ(parse_osim(format_osim(model), "again.osim").muscles[0].least_activation,
                     0.05);
    // Hanging still, the arm needs nobody: every muscle does its least.
    MotionTable still;
    still.columns = {"angle"};
    for (int k = 0; k < 20; ++k) {
        still.times.push_back(0.01 * k);
        still.values.push_back(0.0);
    }
    const StaticOptimisation own = optimise_motion(model, still, {.filter = 0.0});
    EXPECT_NEAR(own.activations.at(5, 0), 0.05, 1e-12);
    const StaticOptimisation more = optimise_motion(model, still, {.filter = 0.0, .low = 0.1});
    EXPECT_NEAR(more.activations.at(5, 0), 0.1, 1e-12);
    const std::string bad = message_of(document(
        sets(kPin, muscle_of("Thelen2003Muscle", flexor, "<min_control>-1</min_control>"))));
    EXPECT_NE(bad.find("least activation of -1"), std::string::npos) << bad;
}

}  // namespace
}  // namespace sinew
