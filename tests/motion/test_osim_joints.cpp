// Joints, functions, couplers and offset frames of OpenSim's two layouts against closed forms.

#include "sinew/base/error.h"
#include "sinew/body/kinematics.h"
#include "sinew/io/osim.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/range_of_motion.h"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sinew {
namespace {

Mat3 turn(double angle, const Vec3& axis) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

Mat3 xyz(double a, double b, double c) {
    return turn(a, Vec3::UnitX()) * turn(b, Vec3::UnitY()) * turn(c, Vec3::UnitZ());
}

std::string coordinates(int count) {
    std::string out;
    for (int k = 0; k < count; ++k) {
        out += fmt::format("<Coordinate name=\"q{}\"><range>-3 3</range></Coordinate>", k);
    }
    return out;
}

const std::string kBodyEnd =
    "<mass>2</mass><mass_center>0 0 0</mass_center><inertia_xx>0.01</inertia_xx>"
    "<inertia_yy>0.01</inertia_yy><inertia_zz>0.01</inertia_zz>";

// Format 3: the joint inside its body. Format 2 (20303) has the same layout.
std::string format_3(const std::string& type, int count, const std::string& extra = "",
                     int version = 30000) {
    return fmt::format(
        "<?xml version=\"1.0\"?><OpenSimDocument Version=\"{}\"><Model name=\"m\"><BodySet>"
        "<objects><Body name=\"ground\"/>\n<Body name=\"arm\">{}\n<Joint>\n<{} name=\"j\">"
        "<parent_body>ground</parent_body><location_in_parent>0.1 0.2 0.3</location_in_parent>"
        "<orientation_in_parent>0.3 -0.2 0.5</orientation_in_parent><location>0.02 0 -0.01"
        "</location><orientation>0 0.4 0</orientation><CoordinateSet><objects>{}</objects>"
        "</CoordinateSet>{}</{}></Joint></Body></objects></BodySet></Model></OpenSimDocument>",
        version, kBodyEnd, type, coordinates(count), extra, type);
}

// Format 4: joints in a set of their own, frames with offsets; the parent's frame hangs on another.
std::string format_4(const std::string& type, int count, const std::string& extra = "",
                     const std::string& rest = "") {
    return fmt::format(
        "<?xml version=\"1.0\"?><OpenSimDocument Version=\"40000\"><Model name=\"m\"><Ground "
        "name=\"ground\"><components><PhysicalOffsetFrame name=\"post\"><socket_parent>..</"
        "socket_parent></PhysicalOffsetFrame></components></Ground><components>"
        "<PhysicalOffsetFrame name=\"stand\"><socket_parent>/ground</socket_parent><translation>"
        "0.1 0.2 0.3</translation><orientation>0.3 -0.2 0.5</orientation></PhysicalOffsetFrame>"
        "</components><BodySet><objects>\n<Body name=\"arm\"><mass>2</mass><mass_center>0 0 0"
        "</mass_center><inertia>0.01 0.01 0.01 0 0 0</inertia></Body></objects></BodySet><JointSet>"
        "<objects>\n<{} name=\"j\"><socket_parent_frame>stand</socket_parent_frame>"
        "<socket_child_frame>arm_offset</socket_child_frame><coordinates>{}</coordinates><frames>"
        "<PhysicalOffsetFrame name=\"arm_offset\"><socket_parent>/bodyset/arm</socket_parent>"
        "<translation>0.02 0 -0.01</translation><orientation>0 0.4 0</orientation>"
        "</PhysicalOffsetFrame></frames>{}</{}></objects></JointSet>{}</Model></OpenSimDocument>",
        type, coordinates(count), extra, type, rest);
}

// T_ground_arm = parent frame * X * child frame^-1.
Placement expected(const Placement& X) {
    const Placement parent{xyz(0.3, -0.2, 0.5), Vec3(0.1, 0.2, 0.3)};
    const Placement child{xyz(0.0, 0.4, 0.0), Vec3(0.02, 0.0, -0.01)};
    return parent * X * child.inverse();
}

void expect_same(const Placement& a, const Placement& b, const std::string& what) {
    EXPECT_LT((a.rotation - b.rotation).norm(), 1e-12) << what;
    EXPECT_LT((a.position - b.position).norm(), 1e-12) << what;
}

struct JointCase {
    std::string type;
    std::vector<double> q;
    Placement X;
};

TEST(OsimJoints, EveryClassMovesItsBodyAsOpenSimDefinesIt) {
    const std::vector<JointCase> cases = {
        {"WeldJoint", {}, {}},
        {"PinJoint", {0.7}, {turn(0.7, Vec3::UnitZ()), Vec3::Zero()}},
        {"SliderJoint", {0.25}, {Mat3::Identity(), Vec3(0.25, 0, 0)}},
        {"UniversalJoint", {0.4, -0.9}, {xyz(0.4, -0.9, 0.0), Vec3::Zero()}},
        {"PlanarJoint", {0.6, 0.2, -0.3}, {turn(0.6, Vec3::UnitZ()), Vec3(0.2, -0.3, 0.0)}},
        {"BallJoint", {0.4, -0.9, 1.2}, {xyz(0.4, -0.9, 1.2), Vec3::Zero()}},
        {"GimbalJoint", {0.4, -0.9, 1.2}, {xyz(0.4, -0.9, 1.2), Vec3::Zero()}},
        {"FreeJoint",
         {0.4, -0.9, 1.2, 0.3, -0.2, 0.1},
         {xyz(0.4, -0.9, 1.2), Vec3(0.3, -0.2, 0.1)}}};
    for (const JointCase& c : cases) {
        const int n = static_cast<int>(c.q.size());
        for (const std::string& text :
             {format_3(c.type, n), format_3(c.type, n, "", 20303), format_4(c.type, n),
              format_4(c.type, 0)}) {  // coordinates that are left out have their defaults
            const MusculoskeletalModel model = parse_osim(text, c.type + ".osim");
            ASSERT_EQ(model.coordinates.size(), c.q.size()) << c.type;
            expect_same(KinematicTree(model).place(c.q).bodies[0], expected(c.X), c.type);
        }
    }
}

std::string axis(const std::string& name, const std::string& direction,
                 const std::string& function) {
    return "<TransformAxis name=\"" + name + "\"><coordinates>q0</coordinates><axis>" + direction +
           "</axis><function>" + function + "</function></TransformAxis>";
}

TEST(OsimJoints, CustomJointsFollowEveryKindOfFunction) {
    const std::string cubic = "<x>-1 0 0.5 1 2</x><y>-1 0 0.125 1 8</y>";  // x^3
    const std::string transform =
        "<SpatialTransform>" +
        axis("rotation1", "0 0 1",
             "<LinearFunction><coefficients>2 0.1</coefficients></LinearFunction>") +
        axis("rotation2", "0 1 0",
             "<PolynomialFunction><coefficients>0.5 0 -0.2</coefficients></PolynomialFunction>") +
        axis("rotation3", "1 0 0", "<Constant><value>0.3</value></Constant>") +
        axis("translation1", "1 0 0",
             "<MultiplierFunction><function><SimmSpline>" + cubic +
                 "</SimmSpline></function><scale>0.1</scale></MultiplierFunction>") +
        axis("translation2", "0 1 0",
             "<PiecewiseLinearFunction><x>0 1 2</x><y>0 0.4 0.5</y></PiecewiseLinearFunction>") +
        axis("translation3", "0 0 1", "<NaturalCubicSpline>" + cubic + "</NaturalCubicSpline>") +
        "</SpatialTransform>";
    for (const std::string& text :
         {format_3("CustomJoint", 1, transform), format_4("CustomJoint", 1, transform)}) {
        const KinematicTree tree(parse_osim(text, "custom.osim"));
        for (const double q : {-0.7, 0.2, 1.4}) {
            const Mat3 R = turn(2.0 * q + 0.1, Vec3::UnitZ()) *
                           turn(0.5 * q * q - 0.2, Vec3::UnitY()) * turn(0.3, Vec3::UnitX());
            const double pieces = q < 1.0 ? 0.4 * q : 0.4 + 0.1 * (q - 1.0);
            expect_same(tree.place(std::vector<double>{q}).bodies[0],
                        expected({R, Vec3(0.1 * q * q * q, pieces, q * q * q)}),
                        fmt::format("q {}", q));
        }
    }
}

// The child's origin rides on the ellipsoid: p = (rx n_x, ry n_y, rz n_z) with n its z axis, turned
// by x, then y, then z. Velocities and accelerations against differences.
TEST(OsimJoints, EllipsoidJointsRideOnTheirEllipsoid) {
    const std::string radii = "<radii_x_y_z>0.03 0.05 0.08</radii_x_y_z>";
    const MusculoskeletalModel model =
        parse_osim(format_4("EllipsoidJoint", 3, radii), "ellipsoid.osim");
    const MusculoskeletalModel again = parse_osim(format_osim(model), "again.osim");
    const auto wanted = [](const std::vector<double>& q) {
        const Mat3 R = xyz(q[0], q[1], q[2]);
        return expected({R, Vec3(0.03, 0.05, 0.08).cwiseProduct(Vec3(R.col(2)))});
    };
    const KinematicTree tree(model);
    const std::vector<double> q = {0.4, -0.9, 1.2};
    expect_same(tree.place(q).bodies[0], wanted(q), "ellipsoid");
    expect_same(KinematicTree(again).place(q).bodies[0], wanted(q), "again");
    const ModelPlacement placed = tree.place(q);
    const Vec3 at = placed.bodies[0] * Vec3(0.1, -0.2, 0.3);
    constexpr double h = 1e-4;
    for (std::size_t i = 0; i < 3; ++i) {
        std::vector<double> low = q;
        std::vector<double> high = q;
        low[i] -= h;
        high[i] += h;
        const Vec3 slope =
            (wanted(high) * Vec3(0.1, -0.2, 0.3) - wanted(low) * Vec3(0.1, -0.2, 0.3)) / (2.0 * h);
        const MotionColumn& c = placed.columns[i];
        EXPECT_LT((c.linear + c.angular.cross(at) - slope).norm(), 1e-8) << i;
    }
    const std::vector<double> speed = {0.7, -0.4, 1.1};
    const std::vector<double> rise = {0.3, 0.2, -0.5};
    const Vec3 com(0.02, -0.1, 0.05);
    const auto com_at = [&](double t) {
        std::vector<double> p = q;
        for (std::size_t i = 0; i < 3; ++i) {
            p[i] += t * speed[i] + 0.5 * t * t * rise[i];
        }
        return Vec3(wanted(p) * com);
    };
    const Vec3 acceleration = (com_at(h) - 2.0 * com_at(0.0) + com_at(-h)) / (h * h);
    const ModelMotion motion = tree.move(placed, speed, rise, std::vector<Vec3>{com});
    EXPECT_LT((motion.com_acceleration[0] - acceleration).norm(), 1e-6);
    EXPECT_THROW(parse_osim(format_4("EllipsoidJoint", 3, ""), "x.osim"), InputError);
}

// Glides on the ellipsoid, whose radii are the thorax's: z stands on it, and x and y of the joint's
// frames are y and -x of the thorax. Then wings about an axis in the plane that touches it.
TEST(OsimJoints, ScapulothoracicJointsGlideAndWing) {
    const std::string extra =
        "<thoracic_ellipsoid_radii_x_y_z>0.07 0.15 0.08</thoracic_ellipsoid_radii_x_y_z>"
        "<scapula_winging_axis_origin>-0.05 0.02</scapula_winging_axis_origin>"
        "<scapula_winging_axis_direction>0.3</scapula_winging_axis_direction>";
    const std::vector<double> q = {0.4, -0.9, 1.2, 0.5};
    const Mat3 quarter = turn(1.5707963267948966, Vec3::UnitZ());
    const Mat3 R = xyz(q[0], q[1], q[2]);
    const Placement glide{quarter * R * quarter.transpose(),
                          quarter * Vec3(0.15, 0.07, 0.08).cwiseProduct(Vec3(R.col(2)))};
    const Vec3 at(-0.05, 0.02, 0.0);
    const Mat3 wing = turn(q[3], Vec3(-std::sin(0.3), std::cos(0.3), 0.0));
    const Placement X = glide * Placement{wing, at - wing * at};
    for (const std::string& text :
         {format_3("ScapulothoracicJoint", 4, extra), format_4("ScapulothoracicJoint", 4, extra)}) {
        const MusculoskeletalModel model = parse_osim(text, "scapula.osim");
        ASSERT_EQ(model.coordinates.size(), 4U);
        const auto arm = static_cast<std::size_t>(
            std::find_if(model.bodies.begin(), model.bodies.end(),
                         [](const RigidBody& b) { return b.name == "arm"; }) -
            model.bodies.begin());
        const KinematicTree tree(model);
        expect_same(tree.place(q).bodies[arm], expected(X), "scapula");
        // Written as the two joints that it is.
        const MusculoskeletalModel again = parse_osim(format_osim(model), "again.osim");
        expect_same(KinematicTree(again).place(q).bodies[arm], expected(X), "again");
    }
    EXPECT_THROW(parse_osim(format_4("ScapulothoracicJoint", 4, ""), "x.osim"), InputError);
}

// a sin(w q + p) + o turns and shifts, under both names it has had, and is written back.
TEST(OsimJoints, CustomJointsFollowSines) {
    const std::string numbers = "<amplitude>0.4</amplitude><omega>1.5</omega><phase>0.2</phase>";
    const std::string transform =
        "<SpatialTransform>" +
        axis("rotation1", "0 0 1", "<Sine>" + numbers + "<offset>0.1</offset></Sine>") +
        axis("rotation2", "0 1 0", "<Constant><value>0</value></Constant>") +
        axis("rotation3", "1 0 0", "<Constant><value>0</value></Constant>") +
        axis("translation1", "1 0 0", "<SineFunction>" + numbers + "</SineFunction>") +
        "</SpatialTransform>";
    const MusculoskeletalModel model =
        parse_osim(format_4("CustomJoint", 1, transform), "sine.osim");
    const MusculoskeletalModel again = parse_osim(format_osim(model), "again.osim");
    for (const double q : {-1.7, 0.0, 0.9}) {
        const double wave = 0.4 * std::sin(1.5 * q + 0.2);
        const Placement wanted = expected({turn(wave + 0.1, Vec3::UnitZ()), Vec3(wave, 0.0, 0.0)});
        for (const MusculoskeletalModel& m : {model, again}) {
            expect_same(KinematicTree(m).place(std::vector<double>{q}).bodies[0], wanted,
                        fmt::format("q {}", q));
        }
    }
}

TEST(OsimJoints, CoupledAndLockedCoordinatesAreKept) {
    std::string text = format_3("UniversalJoint", 2);
    const std::string locked = "<Coordinate name=\"q0\"><locked>true</locked>";
    text.replace(text.find("<Coordinate name=\"q0\">"), 22, locked);
    const std::string coupler =
        "</BodySet><ConstraintSet><objects><CoordinateCouplerConstraint name=\"c\">"
        "<coupled_coordinates_function><LinearFunction><coefficients>-0.5 0.1</coefficients>"
        "</LinearFunction></coupled_coordinates_function><independent_coordinate_names>q0"
        "</independent_coordinate_names><dependent_coordinate_name>q1</dependent_coordinate_name>"
        "</CoordinateCouplerConstraint><PointConstraint name=\"p\"/></objects></ConstraintSet>";
    text.replace(text.find("</BodySet>"), 10, coupler);
    const MusculoskeletalModel model = parse_osim(text, "coupled.osim");
    EXPECT_TRUE(model.coordinates[0].is_locked);
    ASSERT_EQ(model.couplers.size(), 1U);
    ASSERT_EQ(model.notes.size(), 1U);
    EXPECT_NE(model.notes[0].find("PointConstraint"), std::string::npos);
    expect_same(KinematicTree(model).place(std::vector<double>{0.8, 99.0}).bodies[0],
                expected({xyz(0.8, -0.5 * 0.8 + 0.1, 0.0), Vec3::Zero()}), "coupled");
    const MusculoskeletalModel again = parse_osim(format_osim(model), "again.osim");
    EXPECT_TRUE(again.coordinates[0].is_locked);
    expect_same(KinematicTree(again).place(std::vector<double>{0.8, 99.0}).bodies[0],
                KinematicTree(model).place(std::vector<double>{0.8, 99.0}).bodies[0], "again");
}

TEST(OsimJoints, PathPointsMayLieInOffsetFrames) {
    const std::string muscle =
        "<ForceSet><objects><Millard2012EquilibriumMuscle name=\"m\"><GeometryPath><PathPointSet>"
        "<objects><PathPoint name=\"a\"><socket_parent_frame>/stand</socket_parent_frame><location>"
        "0 0.05 0</location></PathPoint><PathPoint name=\"b\"><socket_parent_frame>/jointset/j/"
        "arm_offset</socket_parent_frame><location>0 -0.2 0.1</location></PathPoint></objects>"
        "</PathPointSet></GeometryPath><max_isometric_force>100</max_isometric_force>"
        "<optimal_fiber_length>0.1</optimal_fiber_length><tendon_slack_length>0.1"
        "</tendon_slack_length></Millard2012EquilibriumMuscle></objects></ForceSet>";
    const MusculoskeletalModel model =
        parse_osim(format_4("PinJoint", 1, "", muscle), "frames.osim");
    EXPECT_DOUBLE_EQ(model.muscles[0].rise_time, 0.010);
    EXPECT_DOUBLE_EQ(model.muscles[0].fall_time, 0.040);
    const KinematicTree tree(model);
    const PathState state = MusclePaths(model, tree).evaluate(tree.place(std::vector<double>{0.7}));
    // In the parent's frame both points are known by hand.
    const Vec3 b = turn(0.7, Vec3::UnitZ()) * Vec3(0.0, -0.2, 0.1);
    EXPECT_NEAR(state.length[0], (b - Vec3(0.0, 0.05, 0.0)).norm(), 1e-12);
}

// Axes of measured hips stand at right angles to three digits; the map is that of a perfect ball.
TEST(RangeOfMotion, Ryu2021Fig11TheMapDoesNotMindAxesThatStandALittleAskew) {
    const auto map_of = [](double askew) {
        MusculoskeletalModel model;
        model.name = "hip";
        model.bodies.push_back({.name = "thigh", .mass = 8.0, .com = Vec3(0.0, -0.2, 0.0)});
        model.bodies[0].inertia = 0.1 * Mat3::Identity();
        ModelJoint joint{.name = "hip", .kind = JointKind::Custom, .parent = -1, .child = 0};
        joint.axes = standard_axes(JointKind::Ball, 0);
        joint.axes[1].axis = Vec3(askew, 1.0, -askew).normalized();
        joint.axes[2].axis = Vec3(-askew, askew, 1.0).normalized();
        model.joints.push_back(joint);
        for (const char* name : {"x", "y", "z"}) {
            model.coordinates.push_back({.name = name, .joint = 0});
        }
        MuscleUnit unit{.name = "m", .fmax = 100.0, .fibre = 0.05, .tendon = 0.05};
        unit.points.resize(2);
        unit.points[0].anchors = {{-1, Vec3(0.0, 0.05, 0.04), 1.0}};
        unit.points[1].anchors = {{0, Vec3(0.0, -0.1, 0.02), 1.0}};
        model.muscles.push_back(unit);
        return map_ball_range(model, "hip");
    };
    const BallRangeMap straight = map_of(0.0);
    EXPECT_GT(straight.valid_fraction, 0.05);
    EXPECT_LT(straight.valid_fraction, 0.95);
    const BallRangeMap askew = map_of(0.05);
    int different = 0;
    for (std::size_t k = 0; k < straight.valid.size(); ++k) {
        different += straight.valid[k] != askew.valid[k] ? 1 : 0;
    }
    // The same rotations are asked, whatever the axes: only cells on the border may differ.
    EXPECT_LT(different, 3);
}

TEST(OsimJoints, WhatIsNotSupportedSaysSoWithItsLine) {
    const auto message = [](const std::string& text) -> std::string {
        try {
            parse_osim(text, "bad.osim");
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const std::string rope = message(format_3("RopeJoint", 3));
    EXPECT_NE(rope.find("RopeJoint"), std::string::npos) << rope;
    EXPECT_NE(rope.find("line 4"), std::string::npos) << rope;
    EXPECT_NE(rope.find("PinJoint"), std::string::npos) << rope;
    const std::string step = message(format_3("CustomJoint", 1,
                                              "<SpatialTransform>" +
                                                  axis("rotation1", "0 0 1",
                                                       "<StepFunction><amplitude>1</amplitude>"
                                                       "</StepFunction>") +
                                                  "</SpatialTransform>"));
    EXPECT_NE(step.find("StepFunction"), std::string::npos) << step;
}

}  // namespace
}  // namespace sinew
