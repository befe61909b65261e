// Models and tables as files: what is read, what comes back, what is refused.

#include "sinew/base/error.h"
#include "sinew/io/mass_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/osim.h"
#include "sinew/motion/model_doctor.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/range_of_motion.h"

#include "tests/support/shared_data.h"

namespace sinew {
namespace {

std::string small_osim(const std::string& joint, const std::string& extra_body = "",
                       const std::string& mass = "2") {
    return "<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"30000\">\n<Model name=\"m\">\n"
           "<BodySet><objects>\n<Body name=\"ground\"/>\n<Body name=\"arm\">\n<mass>" +
           mass +
           "</mass><mass_center>0 -0.1 0</mass_center><inertia_xx>0.01</inertia_xx>"
           "<inertia_yy>0.01</inertia_yy><inertia_zz>0.01</inertia_zz>\n<Joint>\n" +
           joint + "\n</Joint>\n</Body>\n" + extra_body +
           "</objects></BodySet>\n<ForceSet><objects>\n<Thelen2003Muscle name=\"flexor\">\n"
           "<GeometryPath><PathPointSet><objects>\n"
           "<PathPoint name=\"a\"><body>ground</body><location>0.03 0.2 0</location></PathPoint>\n"
           "<ConditionalPathPoint name=\"b\"><body>arm</body><location>0.04 0 0</location>"
           "<range>0.5 1.5</range><coordinate>q</coordinate></ConditionalPathPoint>\n"
           "<PathPoint name=\"c\"><body>arm</body><location>0.02 -0.1 0</location></PathPoint>\n"
           "</objects></PathPointSet></GeometryPath>\n"
           "<max_isometric_force>300</max_isometric_force>\n"
           "<optimal_fiber_length>0.1</optimal_fiber_length>\n"
           "<tendon_slack_length>0.2</tendon_slack_length>\n"
           "</Thelen2003Muscle>\n<CoordinateActuator name=\"motor\"/>\n"
           "</objects></ForceSet>\n</Model></OpenSimDocument>\n";
}

const std::string kSplineJoint =
    "<CustomJoint name=\"j\"><parent_body>ground</parent_body>"
    "<location_in_parent>0 1 0</location_in_parent>"
    "<CoordinateSet><objects><Coordinate name=\"q\"><range>-1 2</range></Coordinate></objects>"
    "</CoordinateSet><SpatialTransform>"
    "<TransformAxis name=\"rotation1\"><coordinates>q</coordinates><axis>0 0 1</axis>"
    "<function><LinearFunction><coefficients>1 0</coefficients></LinearFunction></function>"
    "</TransformAxis>"
    "<TransformAxis name=\"translation1\"><coordinates>q</coordinates><axis>1 0 0</axis>"
    "<function><MultiplierFunction><function><SimmSpline><x>-1 0 1 2</x><y>0 0.01 0.03 0.02</y>"
    "</SimmSpline></function><scale>2</scale></MultiplierFunction></function></TransformAxis>"
    "</SpatialTransform></CustomJoint>";

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Osim, Format3IsReadWithSplinesMultipliersAndConditions) {
    const MusculoskeletalModel model = parse_osim(small_osim(kSplineJoint), "m.osim");
    ASSERT_EQ(model.bodies.size(), 1U);
    ASSERT_EQ(model.coordinates.size(), 1U);
    EXPECT_TRUE(model.coordinates[0].is_rotation);
    EXPECT_EQ(model.joints[0].axes[3].function.kind, ScalarFunction::Kind::SimmSpline);
    EXPECT_DOUBLE_EQ(model.joints[0].axes[3].function.scale, 2.0);
    ASSERT_EQ(model.muscles.size(), 1U);
    EXPECT_EQ(model.muscles[0].points[1].condition, 0);
    ASSERT_EQ(model.notes.size(), 1U);
    EXPECT_NE(model.notes[0].find("CoordinateActuator"), std::string::npos);
    const KinematicTree tree(model);
    const ModelPlacement place = tree.place(std::vector<double>{1.0});
    EXPECT_NEAR(place.bodies[0].position.x(), 0.06, 1e-15);
    EXPECT_NEAR(place.bodies[0].position.y(), 1.0, 1e-15);
}

TEST(Osim, WhatIsWrittenReadsBackTheSame) {
    const MusculoskeletalModel first = parse_osim(small_osim(kSplineJoint), "m.osim");
    const MusculoskeletalModel again = parse_osim(format_osim(first), "again.osim");
    EXPECT_EQ(format_osim(first), format_osim(again));
    for (const double q : {-0.7, 0.2, 0.9, 1.7}) {
        const KinematicTree a(first);
        const KinematicTree b(again);
        EXPECT_EQ(MusclePaths(first, a).evaluate(a.place(std::vector<double>{q})).length,
                  MusclePaths(again, b).evaluate(b.place(std::vector<double>{q})).length);
    }
}

TEST(Osim, Arm26SurvivesWritingAndReading) {
    SINEW_NEEDS_SHARED(file, "musculoskeletal/arm26/arm26.osim");
    const MusculoskeletalModel first = read_osim(file);
    EXPECT_EQ(first.muscles.size(), 6U);
    EXPECT_EQ(first.wraps.size(), 4U);
    EXPECT_EQ(first.markers.size(), 3U);
    const MusculoskeletalModel again = parse_osim(format_osim(first), "again.osim");
    const KinematicTree a(first);
    const KinematicTree b(again);
    const std::vector<double> q = {0.3, 1.2};
    const PathState x = MusclePaths(first, a).evaluate(a.place(q));
    const PathState y = MusclePaths(again, b).evaluate(b.place(q));
    for (std::size_t m = 0; m < 6; ++m) {
        EXPECT_NEAR(x.length[m], y.length[m], 1e-12);
    }
}

TEST(Osim, BadModelsAreRefusedWithElementAndLine) {
    struct Case {
        std::string text;
        std::string says;
    };
    const std::string pin =
        "<PinJoint name=\"j\"><parent_body>ground</parent_body>"
        "<CoordinateSet><objects><Coordinate name=\"q\"/></objects>"
        "</CoordinateSet></PinJoint>";
    std::string missing = pin;
    missing.replace(missing.find("ground"), 6, "grund");
    std::string unknown = pin;
    unknown.replace(unknown.find("PinJoint"), 8, "FlyJoint");
    unknown.replace(unknown.rfind("PinJoint"), 8, "FlyJoint");
    std::string loop = pin;
    loop.replace(loop.find("ground"), 6, "hand");
    const std::string hand =
        "<Body name=\"hand\"><mass>1</mass><Joint><WeldJoint name=\"w\"><parent_body>arm"
        "</parent_body></WeldJoint></Joint></Body>\n";
    const std::vector<Case> cases = {
        {small_osim(missing), "line 9, <parent_body>"},
        {small_osim(unknown), "line 9, <FlyJoint"},
        {small_osim(loop, hand), "line 12, <WeldJoint"},
        {small_osim(loop, hand), "loop of bodies: arm > hand > arm"},
        {small_osim(pin, "", "-1"), "line 6, <Body"},
        {small_osim(pin, "", "abc"), "line 7, <mass>"},
        {small_osim(pin).substr(0, 500), "line"},
        {"<Skeleton/>", "OpenSimDocument"},
    };
    for (const Case& c : cases) {
        const std::string message = message_of([&] { parse_osim(c.text, "m.osim"); });
        EXPECT_NE(message.find(c.says), std::string::npos) << message;
    }
}

TEST(Osim, BodiesWithoutMassAndThingsWithoutNamesAreReadAsOpenSimReadsThem) {
    const std::string nameless =
        "<PinJoint><parent_body>ground</parent_body>"
        "<CoordinateSet><objects><Coordinate name=\"q\"/></objects></CoordinateSet></PinJoint>";
    const MusculoskeletalModel model = parse_osim(small_osim(nameless, "", "0"), "m.osim");
    EXPECT_EQ(model.joints[0].name, "arm");
    ASSERT_EQ(model.notes.size(), 2U);  // and an actuator that is left out
    EXPECT_NE(model.notes[0].find("weigh nothing"), std::string::npos) << model.notes[0];
    const MusculoskeletalModel again = parse_osim(format_osim(model), "again.osim");
    EXPECT_EQ(again.joints[0].name, "arm");
    // Who made it, and what is left out beside mechanics, is told.
    std::string text = small_osim(nameless);
    text.insert(text.find("</Model>"),
                "<credits>A. Author</credits><ProbeSet><objects><Umberger2010MuscleMetabolicsProbe "
                "name=\"p\"/></objects></ProbeSet>");
    const MusculoskeletalModel credited = parse_osim(text, "m.osim");
    const std::vector<std::string>& notes = credited.notes;
    const auto is_noted = [&](std::string_view what) {
        return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
            return note.find(what) != std::string::npos;
        });
    };
    EXPECT_EQ(credited.credits, "A. Author");
    EXPECT_TRUE(is_noted("Probe (probe)"));
}

TEST(Mass, BadModelsAreRefusedWithElementAndLine) {
    const std::string node =
        "<Node name=\"A\" parent=\"None\">\n<Body mass=\"1\" size=\"1 1 1\">"
        "<Transformation linear=\"1 0 0 0 1 0 0 0 1\" translation=\"0 0 0\"/></Body>\n"
        "<Joint type=\"Ball\">"
        "<Transformation linear=\"1 0 0 0 1 0 0 0 1\" translation=\"0 0 0\"/></Joint></Node>\n";
    const std::string skeleton = "<Skeleton>\n" + node + "</Skeleton>";
    const std::string unit =
        "<Muscle>\n<Unit name=\"m\" f0=\"10\" lm=\"1\" lt=\"0.2\" pen_angle=\"0\">\n"
        "<Waypoint body=\"A\" p=\"0 0 0\"/>\n<Waypoint body=\"A\" p=\"0 0.1 0\"/></Unit></Muscle>";
    EXPECT_EQ(parse_mass(skeleton, unit).muscles.size(), 1U);
    std::string bad = unit;
    bad.replace(bad.rfind("\"A\""), 3, "\"B\"");
    EXPECT_NE(message_of([&] { parse_mass(skeleton, bad); }).find("line 4, <Waypoint"),
              std::string::npos);
    // What is wrong with a muscle is said of the muscles' file.
    std::string steep = unit;
    steep.replace(steep.find("pen_angle=\"0\""), 13, "pen_angle=\"2\"");
    EXPECT_EQ(message_of([&] { parse_mass(skeleton, steep); }).find("muscles"), 0U);
    std::string spring = skeleton;
    spring.replace(spring.find("Ball"), 4, "Wool");
    EXPECT_NE(message_of([&] { parse_mass(spring, unit); }).find("<Joint"), std::string::npos);
    EXPECT_NE(message_of([&] { parse_mass(unit, skeleton); }).find("Skeleton"), std::string::npos);
}

TEST(MotionTable, WhatIsWrittenReadsBackTheSame) {
    MotionTable table;
    table.name = "walk";
    table.in_degrees = true;
    table.columns = {"hip", "knee"};
    table.times = {0.0, 0.1, 0.30000000000000004};
    table.values = {1, 2, 3.5, 1e-300, -7, 0.1};
    const MotionTable again = parse_motion_table(format_motion_table(table), "t.sto");
    EXPECT_EQ(again.name, table.name);
    EXPECT_TRUE(again.in_degrees);
    EXPECT_EQ(again.columns, table.columns);
    EXPECT_EQ(again.times, table.times);
    EXPECT_EQ(again.values, table.values);
}

TEST(MotionTable, BadTablesAreRefusedWithTheLine) {
    const std::string head = "x\nversion=1\nnRows=2\nnColumns=3\nendheader\n";
    for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
             {"x\nnRows=1\n", "endheader"},
             {head + "t a b\n0 1 2\n1 1 2\n", "line 6"},
             {head + "time a b\n0 1 2\n1 1\n", "line 8"},
             {head + "time a b\n0 1 2\n1 1 2 3\n", "line 8"},
             {head + "time a b\n0 1 nan\n1 1 2\n", "line 7"},
             {head + "time a b\n0 1 2\n", "1 rows"},
             {head + "time a\n0 1\n1 2\n", "line 6"},
             {"x\nnRows=many\nendheader\ntime\n", "line 2"}}) {
        const std::string message =
            message_of([&, &table = text] { parse_motion_table(table, "t.sto"); });
        EXPECT_NE(message.find(says), std::string::npos) << text << "\n" << message;
    }
}

TEST(ModelDoctor, FindsWhatWasDoneToAHealthyModel) {
    SINEW_NEEDS_SHARED(file, "musculoskeletal/arm26/arm26.osim");
    const MusculoskeletalModel healthy = read_osim(file);
    // Its wrap surfaces make two moment arms jump with the arm far behind the back.
    const auto is_known = [](const ModelFinding& f) {
        return f.what.find("jumps") != std::string::npos &&
               f.what.find("r_shoulder_elev") != std::string::npos;
    };
    for (const ModelFinding& f : examine_model(healthy)) {
        EXPECT_TRUE(!f.is_error || is_known(f)) << f.where << ": " << f.what << " " << f.value;
    }
    const auto problem_with = [&](const std::function<void(MusculoskeletalModel&)>& harm) {
        MusculoskeletalModel model = healthy;
        for (MuscleUnit& unit : model.muscles) {
            unit.wraps.clear();
        }
        harm(model);
        for (const ModelFinding& f : examine_model(model)) {
            if (f.is_error && !is_known(f)) {
                return f.where + ": " + f.what;
            }
        }
        return std::string();
    };
    // As in the public model that had a 3.7 cm muscle of 1.1 m.
    EXPECT_NE(problem_with([](auto& m) { m.muscles[5].fibre = 1.1; }).find("'BRA'"),
              std::string::npos);
    EXPECT_NE(problem_with([](auto& m) { m.muscles[3].tendon = 0.9; }).find("slack"),
              std::string::npos);
    EXPECT_NE(problem_with([](auto& m) { m.bodies[1].inertia(0, 0) = 0.5; }).find("r_humerus"),
              std::string::npos);
    EXPECT_NE(problem_with([](auto& m) {
                  m.muscles[5].points[1].anchors[0].position.y() = -2;
              }).find("'BRA'"),
              std::string::npos);
}

TEST(ModelDoctor, FindsPathsInsideOutEndsOffTheBoneAndRangesOutOfReach) {
    MusculoskeletalModel model = parse_osim(small_osim(kSplineJoint), "m.osim");
    model.joints[0].axes[3] = {Vec3::UnitX(), -1, {}};
    model.muscles[0].points.erase(model.muscles[0].points.begin() + 1);
    model.muscles[0].points[0].anchors[0].position = Vec3(0.3, 1.0, 0.0);
    model.muscles[0].fibre = 0.15;
    model.muscles[0].tendon = 0.14;
    model.coordinates[0].low = -2.0;
    const auto finds = [](const MusculoskeletalModel& m, const std::string& what) {
        const std::vector<ModelFinding> all = examine_model(m);
        return std::count_if(all.begin(), all.end(), [&](const ModelFinding& f) {
            return f.what.find(what) != std::string::npos;
        });
    };
    EXPECT_EQ(finds(model, "inside the"), 0);
    EXPECT_EQ(finds(model, "outside the shape"), 0);
    // The flexor reaches its longest length before the lower end (as in the test of the range).
    EXPECT_EQ(finds(model, "lower end of the range"), 1);
    model.coordinates[0].low = -0.2;
    EXPECT_EQ(finds(model, "lower end of the range"), 0);
    model.bodies[0].box = Vec3(0.06, 0.24, 0.06);
    model.bodies[0].box_placement.position = Vec3(0.0, -0.1, 0.0);
    EXPECT_EQ(finds(model, "outside the shape"), 0);
    model.muscles[0].points[1].anchors[0].position.x() = 0.15;
    EXPECT_EQ(finds(model, "outside the shape"), 1);
    WrapObject drum{.name = "drum", .body = 0, .kind = WrapKind::Cylinder};
    drum.size = Vec3(0.03, 0.2, 1.0);
    drum.placement.position = Vec3(0.15, -0.1, 0.0);
    model.wraps = {drum};
    model.muscles[0].wraps = {{.object = 0}};
    EXPECT_EQ(finds(model, "path inside out"), 1);
}

TEST(RangeOfMotion, Ryu2021Eqs3To5AMuscleStopsAHingeWhereItsLengthSays) {
    MusculoskeletalModel model = parse_osim(small_osim(kSplineJoint), "m.osim");
    model.joints[0].axes[3] = {Vec3::UnitX(), -1, {}};
    model.muscles[0].points.erase(model.muscles[0].points.begin() + 1);
    model.coordinates[0].low = -2.0;
    // Straight from (0.03, -0.8) below the hinge to (0.02, -0.1) turned by q.
    model.muscles[0].points[0].anchors[0].position = Vec3(0.3, 1.0, 0.0);
    model.muscles[0].fibre = 0.15;
    model.muscles[0].tendon = 0.1;
    const double longest = 1.6 * 0.15 + 1.03 * 0.1;
    EXPECT_DOUBLE_EQ(longest_length(model.muscles[0]), longest);
    const CoordinateRange range = coordinate_range(model, 0);
    EXPECT_EQ(range.low_muscle, "flexor");
    const auto length_at = [](double q) {
        const Vec3 p = Vec3(0.02 * std::cos(q) + 0.1 * std::sin(q),
                            0.02 * std::sin(q) - 0.1 * std::cos(q), 0.0);
        return (p - Vec3(0.3, 0.0, 0.0)).norm();
    };
    EXPECT_LE(length_at(range.low), longest);
    EXPECT_GT(length_at(range.low - 0.009), longest);
}

}  // namespace
}  // namespace sinew
