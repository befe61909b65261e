// A small model of everything that OpenSim's files may hold: read, written and read again.

#include "sinew/base/error.h"
#include "sinew/io/osim.h"
#include "sinew/motion/muscle_paths.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

const char* const kHead = R"(<?xml version="1.0"?>
<OpenSimDocument Version="40000"><Model name="zoo"><gravity>0 -9.8 0</gravity>
<BodySet><objects>
<Body name="shin"><mass>3</mass><mass_center>0 -0.2 0</mass_center><inertia>0.05 0.006 0.05 0 0 0</inertia>
<WrapObjectSet><objects>
<WrapTorus name="ring"><active>true</active><quadrant>all</quadrant><translation>0.04 -0.05 0</translation>
<xyz_body_rotation>1.5707963 0 0</xyz_body_rotation><inner_radius>0.008</inner_radius><outer_radius>0.016</outer_radius></WrapTorus>
</objects></WrapObjectSet></Body>
<Body name="thigh"><mass>8</mass><mass_center>0 -0.2 0</mass_center><inertia>0.13 0.03 0.13 0 0 0</inertia>
<WrapObjectSet><objects>
<WrapCylinder name="drum"><active>true</active><quadrant>x</quadrant><translation>0 -0.4 0</translation>
<xyz_body_rotation>0 0 0.1</xyz_body_rotation><radius>0.025</radius><length>0.2</length></WrapCylinder>
<WrapSphere name="ball"><active>true</active><quadrant>all</quadrant><translation>0 -0.4 0</translation>
<xyz_body_rotation>0 0 0</xyz_body_rotation><radius>0.02</radius></WrapSphere>
<WrapEllipsoid name="egg"><active>true</active><quadrant>all</quadrant><translation>0.002 -0.4 0.001</translation>
<xyz_body_rotation>0.1 0.2 0</xyz_body_rotation><dimensions>0.022 0.03 0.02</dimensions></WrapEllipsoid>
</objects></WrapObjectSet></Body>
</objects></BodySet>
<JointSet><objects>
<CustomJoint name="knee"><socket_parent_frame>thigh_offset</socket_parent_frame><socket_child_frame>shin_offset</socket_child_frame>
<coordinates><Coordinate name="knee_angle"><default_value>0</default_value><range>-2 0.2</range></Coordinate></coordinates>
<frames><PhysicalOffsetFrame name="thigh_offset"><socket_parent>/bodyset/thigh</socket_parent><translation>0 -0.4 0</translation><orientation>0 0.05 0</orientation></PhysicalOffsetFrame>
<PhysicalOffsetFrame name="shin_offset"><socket_parent>/bodyset/shin</socket_parent><translation>0 0 0</translation><orientation>0 0 0</orientation></PhysicalOffsetFrame></frames>
<SpatialTransform>
<TransformAxis name="rotation1"><coordinates>knee_angle</coordinates><axis>0 0 1</axis><LinearFunction name="function"><coefficients>1 0</coefficients></LinearFunction></TransformAxis>
<TransformAxis name="rotation2"><coordinates>knee_angle</coordinates><axis>0 1 0</axis><PolynomialFunction name="function"><coefficients>0.02 0.01 0</coefficients></PolynomialFunction></TransformAxis>
<TransformAxis name="rotation3"><coordinates></coordinates><axis>1 0 0</axis><Constant name="function"><value>0</value></Constant></TransformAxis>
<TransformAxis name="translation1"><coordinates>knee_angle</coordinates><axis>1 0 0</axis><SimmSpline name="function"><x>-2 -1 -0.3 0.2</x><y>-0.01 0.001 0.004 0</y></SimmSpline></TransformAxis>
<TransformAxis name="translation2"><coordinates>knee_angle</coordinates><axis>0 1 0</axis><PiecewiseLinearFunction name="function"><x>-2 -0.5 0.2</x><y>-0.004 -0.001 0</y></PiecewiseLinearFunction></TransformAxis>
<TransformAxis name="translation3"><coordinates></coordinates><axis>0 0 1</axis><Constant name="function"><value>0.001</value></Constant></TransformAxis>
</SpatialTransform></CustomJoint>
<BallJoint name="hip"><socket_parent_frame>ground_offset</socket_parent_frame><socket_child_frame>/bodyset/thigh</socket_child_frame>
<coordinates><Coordinate name="hip_x"/><Coordinate name="hip_y"/><Coordinate name="hip_z"/></coordinates>
<frames><PhysicalOffsetFrame name="ground_offset"><socket_parent>/ground</socket_parent><translation>0 0.9 0</translation><orientation>0 0 0</orientation></PhysicalOffsetFrame></frames></BallJoint>
</objects></JointSet><ForceSet><objects>
)";

std::string point(const std::string& name, const std::string& body, const std::string& at) {
    return "<PathPoint name=\"" + name + "\"><socket_parent_frame>/bodyset/" + body +
           "</socket_parent_frame><location>" + at + "</location></PathPoint>\n";
}

std::string muscle(const std::string& type, const std::string& name, const std::string& points,
                   const std::string& wrap, const std::string& range = "-1 -1") {
    return "<" + type + " name=\"" + name + "\"><GeometryPath><PathPointSet><objects>" + points +
           "</objects></PathPointSet><PathWrapSet><objects>" +
           (wrap.empty() ? ""
                         : "\n<PathWrap><wrap_object>" + wrap + "</wrap_object>\n<range>" + range +
                               "</range></PathWrap>") +
           "</objects></PathWrapSet></GeometryPath><max_isometric_force>900</max_isometric_force>"
           "<optimal_fiber_length>0.11</optimal_fiber_length><tendon_slack_length>0.2"
           "</tendon_slack_length><pennation_angle_at_optimal>0.2</pennation_angle_at_optimal>"
           "<max_contraction_velocity>12</max_contraction_velocity></" +
           type + ">\n";
}

std::string zoo(const std::string& range = "-1 -1") {
    const std::string over =
        point("a", "thigh", "0.03 -0.15 0.002") + point("b", "shin", "0.03 -0.08 0.001");
    const std::string sometimes =
        point("a", "thigh", "0.05 -0.15 0") +
        "<ConditionalPathPoint name=\"c\"><socket_parent_frame>/bodyset/thigh</socket_parent_frame>"
        "<location>0.06 -0.38 0</location><socket_coordinate>/jointset/knee/knee_angle"
        "</socket_coordinate><range>-2 -0.8</range></ConditionalPathPoint>"
        "<MovingPathPoint name=\"m\"><socket_parent_frame>/bodyset/shin</socket_parent_frame>"
        "<socket_x_coordinate>/jointset/knee/knee_angle</socket_x_coordinate>"
        "<socket_y_coordinate>/jointset/knee/knee_angle</socket_y_coordinate>"
        "<socket_z_coordinate>/jointset/knee/knee_angle</socket_z_coordinate>"
        "<SimmSpline name=\"x_location\"><x>-2 -1 0 0.2</x><y>0.04 0.05 0.055 0.05</y></SimmSpline>"
        "<LinearFunction name=\"y_location\"><coefficients>0.01 -0.02</coefficients>"
        "</LinearFunction><Constant name=\"z_location\"><value>0.003</value></Constant>"
        "</MovingPathPoint>" +
        point("b", "shin", "0.02 -0.1 0");
    return kHead + muscle("Thelen2003Muscle", "over_drum", over, "drum", range) +
           muscle("Millard2012EquilibriumMuscle", "over_ball", over, "ball") +
           muscle("Thelen2003Muscle", "over_egg", over, "egg") +
           muscle("Millard2012EquilibriumMuscle", "through_ring",
                  point("a", "thigh", "0.03 -0.3 0.002") + point("b", "shin", "0.02 -0.2 -0.002"),
                  "ring") +
           muscle("Thelen2003Muscle", "sometimes", sometimes, "") +
           "</objects></ForceSet></Model></OpenSimDocument>\n";
}

TEST(OsimRoundTrip, LengthsMomentArmsAndParametersComeBack) {
    const MusculoskeletalModel first = parse_osim(zoo(), "zoo.osim");
    ASSERT_EQ(first.muscles.size(), 5U);
    ASSERT_EQ(first.wraps.size(), 4U);
    EXPECT_EQ(first.joints[0].name, "hip");  // parents first, whatever the file's order
    const MusculoskeletalModel again = parse_osim(format_osim(first), "again.osim");
    const KinematicTree a(first);
    const KinematicTree b(again);
    const MusclePaths paths(first, a);
    const MusclePaths other(again, b);
    const std::size_t n = first.coordinates.size();
    ASSERT_EQ(again.coordinates.size(), n);
    std::vector<std::size_t> same;
    for (const Coordinate& c : first.coordinates) {
        ASSERT_GE(find_coordinate(again, c.name), 0) << c.name;
        same.push_back(static_cast<std::size_t>(find_coordinate(again, c.name)));
    }
    int wrapped = 0;
    for (int k = 0; k <= 40; ++k) {
        std::vector<double> q(n, 0.1);
        q[static_cast<std::size_t>(find_coordinate(first, "knee_angle"))] = -2.0 + 2.2 * k / 40.0;
        std::vector<double> p(n);
        for (std::size_t c = 0; c < n; ++c) {
            p[same[c]] = q[c];
        }
        const ModelPlacement place = a.place(q);
        const PathState x = paths.evaluate(place);
        const PathState y = other.evaluate(b.place(p));
        std::vector<double> slopes(n);
        std::vector<double> other_slopes(n);
        for (std::size_t m = 0; m < 5; ++m) {
            EXPECT_NEAR(x.length[m], y.length[m], 1e-11) << first.muscles[m].name << " at " << k;
            wrapped += paths.route(m, place).size() > first.muscles[m].points.size() ? 1 : 0;
            paths.scatter(x, m, slopes);
            other.scatter(y, m, other_slopes);
            for (std::size_t c = 0; c < n; ++c) {
                EXPECT_NEAR(slopes[c], other_slopes[same[c]], 1e-8)
                    << first.muscles[m].name << " at " << k;
            }
        }
    }
    EXPECT_GT(wrapped, 60);
    for (std::size_t m = 0; m < 5; ++m) {
        EXPECT_EQ(first.muscles[m].law, again.muscles[m].law);
        EXPECT_EQ(first.muscles[m].velocity, 12.0);
        EXPECT_EQ(again.muscles[m].velocity, 12.0);
        EXPECT_EQ(first.muscles[m].tendon_strain, again.muscles[m].tendon_strain);
    }
    EXPECT_NE(first.muscles[0].law, first.muscles[1].law);
}

// The knee's own frame lies at (0, 0.9 - 0.4, 0); by hand for a straight leg.
TEST(OsimRoundTrip, AStraightPieceHasItsLengthByHand) {
    const MusculoskeletalModel model = parse_osim(zoo(), "zoo.osim");
    const KinematicTree tree(model);
    const ModelPlacement place = tree.place(std::vector<double>(model.coordinates.size(), 0.0));
    const Placement& shin = place.bodies[0];
    // Splines at 0: translation2 is -0.001 + 0.001 * 0.5 / 0.7.
    EXPECT_NEAR(shin.position.y(), 0.5 - 0.001 + 0.001 * 0.5 / 0.7, 1e-12);
}

TEST(OsimRoundTrip, AWrapRangeInsideOutIsRefusedWithItsLine) {
    try {
        parse_osim(zoo("2 1"), "zoo.osim");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find("<range>"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("line "), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("points 2 to 1"), std::string::npos) << e.what();
    }
}

}  // namespace
}  // namespace sinew
