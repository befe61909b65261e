// What Sinew writes for MuJoCo and reads of its files, tried in MuJoCo itself.

#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/osim.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/side_points.h"
#include "sinew/motion/wrap_agreement.h"
#include "sinew/motion/wrapping.h"
#include "sinew/pipeline/any_model.h"
#include "sinew/pipeline/mujoco_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <fstream>

#include "tests/motion/leg_model.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

MujocoCheck written_and_tried(const std::filesystem::path& osim, int poses, bool simulates) {
    const support::TemporaryFolder folder;
    const MusculoskeletalModel model = read_osim(osim);
    write_any_model(folder.path() / "model.xml", model);
    return check_in_mujoco(folder.path() / "model.xml", model,
                           {.poses = poses, .simulates = simulates});
}

// Side sites in front of, behind and inside spheres and cylinders, against MuJoCo's tendons.
TEST(MujocoAgrees, OnSideSitesAndInsideWraps) {
    Random random(Seed{3});
    const auto point = [&](double size) {
        return Vec3(random.uniform(-size, size), random.uniform(-size, size),
                    random.uniform(-size, size));
    };
    int wrapped = 0;
    for (int k = 0; k < 200; ++k) {
        WrapObject wrap{.kind = k % 2 == 0 ? WrapKind::Sphere : WrapKind::Cylinder};
        wrap.size = Vec3(0.3, 100.0, 1.0);
        wrap.has_side_point = true;
        const Vec3 side = point(1.0);
        wrap.side_point = (k % 5 == 0 ? 0.1 : 0.6) * Vec3(side.x(), side.y(), 0.0).normalized();
        const Vec3 p = point(1.0);
        const Vec3 s = point(1.0);
        const SurfaceWrap ours = wrap_segment(wrap, p, s);
        const double length = ours.wraps
                                  ? (ours.begin - p).norm() + ours.length + (s - ours.end).norm()
                                  : (s - p).norm();
        const std::string text = fmt::format(
            "<mujoco><worldbody><geom name='g' type='{}' size='0.3 5'/><site name='a' pos='{} {} "
            "{}'/>"
            "<site name='b' pos='{} {} {}'/><site name='s' pos='{} {} {}'/></worldbody>"
            "<tendon><spatial><site site='a'/><geom geom='g' sidesite='s'/><site "
            "site='b'/></spatial>"
            "</tendon></mujoco>",
            k % 2 == 0 ? "sphere" : "cylinder", p.x(), p.y(), p.z(), s.x(), s.y(), s.z(),
            wrap.side_point.x(), wrap.side_point.y(), wrap.side_point.z());
        const support::TemporaryFolder folder;
        std::ofstream(folder.path() / "w.xml") << text;
        std::array<char, 500> error{};
        mjModel* model = mj_loadXML((folder.path() / "w.xml").c_str(), nullptr, error.data(), 500);
        ASSERT_NE(model, nullptr) << error.data();
        mjData* data = mj_makeData(model);
        mj_forward(model, data);
        EXPECT_NEAR(data->ten_length[0], length, 1e-6) << text;
        wrapped += ours.wraps ? 1 : 0;
        mj_deleteData(data);
        mj_deleteModel(model);
    }
    EXPECT_GT(wrapped, 60);
}

TEST(MujocoAgrees, OnLengthsOfItsOwnModels) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/myo_sim");
    for (const char* file :
         {"elbow/myoelbow_2dof6muscles.xml", "elbow/myoelbow_1dof6muscles.xml"}) {
        const MusculoskeletalModel model = read_mjcf(folder / file);
        ASSERT_EQ(model.muscles.size(), 6U) << file;
        const MujocoCheck check =
            check_in_mujoco(folder / file, model, {.poses = 20, .simulates = false});
        ASSERT_FALSE(check.version.empty())
            << "libmujoco, which this program links, was not loaded";
        EXPECT_LT(check.length_most, 1e-6) << file << " " << check.length_muscle;
        EXPECT_LT(check.arm_rms, 1e-6) << file;
    }
}

// The five gait models of the findings started 0.4 m disassembled and gave NaN within 20 ms.
TEST(MujocoAgrees, AWrittenWalkerStartsAssembledAndRuns) {
    SINEW_NEEDS_SHARED(file, "musculoskeletal/trials/gait10dof18musc/gait10dof18musc.osim");
    const MujocoCheck check = written_and_tried(file, 20, true);
    ASSERT_FALSE(check.version.empty()) << "libmujoco, which this program links, was not loaded";
    EXPECT_EQ(check.refusal, "");
    EXPECT_LT(check.start_error, 1e-12);
    for (const double seconds : check.ran) {
        EXPECT_DOUBLE_EQ(seconds, 2.0);
    }
}

TEST(MujocoAgrees, ACoupledPatellaAndInertiasNoSolidHasAreWritten) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/opensim");
    for (const char* file : {"leg6dof9musc.osim", "leg39.osim"}) {
        const MujocoCheck check = written_and_tried(folder / file, 5, false);
        EXPECT_EQ(check.refusal, "") << file;
        EXPECT_LT(check.start_error, 1e-12) << file;
    }
}

TEST(MujocoAgrees, ReferencesEqualitiesAndZUpComeBack) {
    SINEW_NEEDS_SHARED(file, "musculoskeletal/opensim/leg6dof9musc.osim");
    MusculoskeletalModel model = read_osim(file);
    for (Coordinate& c : model.coordinates) {
        c.rest = c.is_locked || !c.is_rotation ? c.rest : std::clamp(0.2, c.low, c.high);
    }
    const MusculoskeletalModel again =
        parse_mjcf(format_mjcf(model, {.up = UpAxis::Z}).text, "again");
    EXPECT_NEAR((again.gravity - Vec3(0.0, 0.0, model.gravity.y())).norm(), 0.0, 1e-12);
    const KinematicTree tree(model);
    const KinematicTree other(again);
    for (const double more : {0.0, 0.1, -0.15}) {
        std::vector<double> q = rest_coordinates(model);
        std::vector<double> p = rest_coordinates(again);
        for (std::size_t c = 0; c < q.size(); ++c) {
            const Index same = find_coordinate(again, model.coordinates[c].name);
            q[c] += model.coordinates[c].is_rotation ? more : 0.0;
            if (same >= 0) {
                p[static_cast<std::size_t>(same)] = q[c];
            }
        }
        const ModelPlacement a = tree.place(q);
        const ModelPlacement b = other.place(p);
        for (std::size_t body = 0; body < model.bodies.size(); ++body) {
            const auto same = static_cast<std::size_t>(find_body(again, model.bodies[body].name));
            const Vec3 at = a.bodies[body].position;
            // Polynomials of fourth degree stand for splines: 2 mm.
            EXPECT_LT((b.bodies[same].position - Vec3(at.x(), -at.z(), at.y())).norm(),
                      more == 0.0 ? 1e-9 : 2e-3)
                << model.bodies[body].name << " " << more;
        }
    }
}

TEST(MujocoAgrees, GeneralMusclesIncludedFilesAndLocksAreRead) {
    const support::TemporaryFolder folder;
    std::ofstream(folder.path() / "part.xml")
        << "<mujocoinclude><default><default class='big'><geom density='2000'/></default></default>"
           "<compiler angle='radian'/></mujocoinclude>";
    std::ofstream(folder.path() / "model.xml")
        << "<mujoco><include file='part.xml'/><compiler meshdir='.'/><worldbody><site name='a'/>"
           "<body name='arm' pos='0 0 0.1'><joint name='q' ref='0.3'/><joint name='held' axis='1 0 "
           "0'/>"
           "<geom class='big' type='sphere' size='0.1'/><site name='b' pos='0 0 0.2'/></body>"
           "</worldbody><equality><joint joint1='held' polycoef='0.1 0 0 0 0'/></equality>"
           "<tendon><spatial name='t'><site site='a'/><site site='b'/></spatial></tendon><actuator>"
           "<general name='m' tendon='t' gaintype='muscle' dynprm='0.02 0.06' lengthrange='0.2 "
           "0.5' "
           "gainprm='0.5 1.5 321 200 0.5 1.6 7 1.3 1.4'/></actuator></mujoco>";
    const MusculoskeletalModel model = read_mjcf(folder.path() / "model.xml");
    ASSERT_EQ(model.muscles.size(), 1U);
    EXPECT_DOUBLE_EQ(model.muscles[0].fmax, 321.0);
    EXPECT_DOUBLE_EQ(model.muscles[0].velocity, 7.0);
    EXPECT_DOUBLE_EQ(model.muscles[0].rise_time, 0.02);
    EXPECT_NEAR(model.muscles[0].fibre, 0.3, 1e-12);
    EXPECT_NEAR(model.muscles[0].tendon, 0.05, 1e-12);
    EXPECT_NEAR(model.bodies[0].mass, 2000.0 * 4.0 / 3.0 * kPi * 1e-3, 1e-9);
    EXPECT_DOUBLE_EQ(model.coordinates[0].rest, 0.3);  // radians, though a second compiler came
    EXPECT_TRUE(model.coordinates[1].is_locked);
    EXPECT_DOUBLE_EQ(model.coordinates[1].rest, 0.1);
    // At the references the body stands as the file has it.
    std::vector<double> q = {0.3, 0.0};
    EXPECT_LT((KinematicTree(model).place(q).bodies[0].rotation - Mat3::Identity()).norm(), 1e-12);
}

// A knee's patella point that moves with the angle, as gait models have it: MuJoCo's tendon is as
// long and has the same moment arm, because the point rides on slides that follow the joint.
TEST(MujocoAgrees, OnPointsThatMoveWithACoordinate) {
    MusculoskeletalModel model;
    model.name = "knee";
    for (const char* name : {"femur", "tibia"}) {
        RigidBody body{.name = name, .mass = 3.0, .com = Vec3(0.0, -0.2, 0.0)};
        body.inertia = Vec3(0.05, 0.01, 0.05).asDiagonal();
        model.bodies.push_back(body);
    }
    ModelJoint hip{.name = "hip", .kind = JointKind::Weld, .parent = -1, .child = 0};
    hip.axes = standard_axes(JointKind::Weld, 0);
    ModelJoint knee{.name = "knee", .kind = JointKind::Hinge, .parent = 0, .child = 1};
    knee.parent_frame.position = Vec3(0.0, -0.4, 0.0);
    knee.axes = standard_axes(JointKind::Hinge, 0);
    model.joints = {hip, knee};
    model.coordinates = {{.name = "angle", .joint = 1, .low = -2.0, .high = 0.0}};
    MuscleUnit unit{.name = "vasti", .fmax = 1000.0, .fibre = 0.1, .tendon = 0.2};
    PathPoint end{.name = "end", .anchors = {{1, Vec3(0.04, 0.0, 0.01)}}};
    end.moving[0] = {
        0, {.kind = ScalarFunction::Kind::Polynomial, .coefficients = {0.004, 0.012, 0.045}}};
    end.moving[1] = {
        0,
        {.kind = ScalarFunction::Kind::Polynomial, .coefficients = {0.002, 0.006, -0.01, -0.02}}};
    unit.points = {{.name = "a", .anchors = {{0, Vec3(0.03, -0.1, 0.0)}}}, end};
    model.muscles = {unit};
    const support::TemporaryFolder folder;
    write_any_model(folder.path() / "knee.xml", model);
    const MujocoCheck check = check_in_mujoco(folder.path() / "knee.xml", model);
    ASSERT_TRUE(check.refusal.empty()) << check.refusal;
    ASSERT_EQ(check.expressible, 1U);
    EXPECT_LT(check.expressible_most, 1e-6);
    EXPECT_LT(check.arm_rms, 1e-6);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(check.ran[k], 2.0, 1e-9);
        EXPECT_LT(check.strayed[k], 2e-3);
    }
    // A conditional point is something MJCF has no word for.
    model.muscles[0].points.insert(model.muscles[0].points.begin() + 1,
                                   {.name = "c",
                                    .anchors = {{0, Vec3(0.06, -0.3, 0.0)}},
                                    .condition = 0,
                                    .low = -3.0,
                                    .high = -1.0});
    EXPECT_EQ(inexpressible(model, model.muscles[0]), "a conditional point");
}

TEST(MujocoAgrees, OnPulleys) {
    const std::string text =
        "<mujoco><worldbody><site name='a' pos='0 0 1'/><site name='b' pos='0.3 0 1'/><body "
        "name='arm' pos='0 0 0.5'><joint name='q' axis='0 1 0' range='-1 1' limited='true'/><geom "
        "type='capsule' fromto='0 0 0 0.4 0 0' size='0.02'/><site name='c' pos='0.1 0 0'/><site "
        "name='d' pos='0.35 0 0.05'/><site name='e' pos='0.2 0.1 0'/></body></worldbody><tendon>"
        "<spatial name='t'><site site='a'/><site site='c'/><pulley divisor='2'/><site site='b'/>"
        "<site site='d'/><pulley divisor='4'/><site site='b'/><site site='e'/></spatial></tendon>"
        "<actuator><muscle name='m' tendon='t' lengthrange='0.3 1' "
        "force='100'/></actuator></mujoco>";
    const support::TemporaryFolder folder;
    std::ofstream(folder.path() / "p.xml") << text;
    const MusculoskeletalModel model = read_mjcf(folder.path() / "p.xml");
    ASSERT_EQ(model.muscles.size(), 1U);
    EXPECT_EQ(model.muscles[0].points[2].divisor, 2.0);
    const MujocoCheck read = check_in_mujoco(folder.path() / "p.xml", model, {.simulates = false});
    EXPECT_LT(read.length_most, 1e-9);
    EXPECT_LT(read.arm_rms, 1e-9);
    // By hand in the pose of the file.
    const KinematicTree tree(model);
    const double length =
        MusclePaths(model, tree).evaluate(tree.place(rest_coordinates(model))).length[0];
    EXPECT_NEAR(
        length,
        std::hypot(0.1, 0.5) + std::hypot(0.05, 0.45) / 2.0 + Vec3(0.1, -0.1, 0.5).norm() / 4.0,
        1e-9);
    // Written and read again.
    write_mjcf(folder.path() / "again.xml", model);
    const MujocoCheck written =
        check_in_mujoco(folder.path() / "again.xml", model, {.simulates = false});
    EXPECT_TRUE(written.refusal.empty()) << written.refusal;
    EXPECT_LT(written.length_most, 1e-9);
    EXPECT_EQ(read_mjcf(folder.path() / "again.xml").muscles[0].points[4].divisor, 4.0);
}

TEST(MujocoAgrees, OnTheFingerThatHasPulleys) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/myo_sim/finger");
    const std::filesystem::path file = folder / "myofinger_v0.xml";
    const MujocoCheck check = check_in_mujoco(file, read_mjcf(file), {.simulates = false});
    ASSERT_TRUE(check.refusal.empty()) << check.refusal;
    EXPECT_GT(check.muscles.size(), 1U);
    EXPECT_LT(check.length_most, 1e-3);
}

// An ellipsoid becomes a sphere or a cylinder with the side site that keeps lengths: without one
// the path flips to the other side within the range of the shoulder (7 cm).
TEST(MujocoAgrees, WithinMillimetresOnTheEllipsoidsOfArm26) {
    SINEW_NEEDS_SHARED(folder, "musculoskeletal/arm26");
    const MujocoCheck check = written_and_tried(folder / "arm26.osim", 100, false);
    ASSERT_FALSE(check.version.empty()) << "libmujoco, which this program links, was not loaded";
    EXPECT_LT(check.length_most, 0.012);
    EXPECT_LT(check.length_rms, 0.002);
}

// An elbow's extensor as in the figure, whose two points lie close to the cylinder: MuJoCo took the
// way through the crook of the arm within 4 % of the range, because the tangent points of that way
// have their middle on the side site's side as soon as it goes more than half round.
MusculoskeletalModel grazing_extensor() {
    MusculoskeletalModel model;
    model.name = "elbow";
    for (const char* name : {"humerus", "ulna"}) {
        RigidBody body{.name = name, .mass = 2.0, .com = Vec3(0.0, -0.1, 0.0)};
        body.inertia = Vec3(0.02, 0.01, 0.02).asDiagonal();
        model.bodies.push_back(body);
    }
    ModelJoint shoulder{.name = "shoulder", .kind = JointKind::Weld, .parent = -1, .child = 0};
    shoulder.axes = standard_axes(JointKind::Weld, 0);
    ModelJoint elbow{.name = "elbow", .kind = JointKind::Hinge, .parent = 0, .child = 1};
    elbow.axes = standard_axes(JointKind::Hinge, 0);
    model.joints = {shoulder, elbow};
    model.coordinates = {{.name = "angle", .joint = 1, .low = -0.15, .high = 1.2}};
    WrapObject wrap{.name = "extensor_at_elbow", .body = 0, .kind = WrapKind::Cylinder};
    wrap.size = Vec3(0.0165, 0.3, 1.0);
    wrap.side_axis = 0;
    wrap.side_sign = 1;
    model.wraps = {wrap};
    MuscleUnit unit{.name = "extensor", .fmax = 500.0, .fibre = 0.02, .tendon = 0.01};
    unit.points = {{.name = "a", .anchors = {{0, Vec3(0.018, -0.0171, -0.0097)}}},
                   {.name = "b", .anchors = {{1, Vec3(0.0148, 0.0158, -0.0062)}}}};
    unit.wraps = {{.object = 0, .first = 0, .last = 1}};
    model.muscles = {unit};
    return model;
}

TEST(MujocoAgrees, OnPathsThatGrazeTheirCylinder) {
    const support::TemporaryFolder folder;
    MusculoskeletalModel model = grazing_extensor();
    const KinematicTree tree(model);
    // What the writer took before: a side site straight out.
    MusculoskeletalModel straight = model;
    straight.wraps[0].side_sign = 0;
    straight.wraps[0].has_side_point = true;
    straight.wraps[0].side_point = Vec3(0.033, 0.0, 0.0);
    const ModelPlacement place = tree.place(rest_coordinates(model));
    EXPECT_GT(MusclePaths(straight, tree).evaluate(place).length[0],
              MusclePaths(model, tree).evaluate(place).length[0] + 0.03);
    write_any_model(folder.path() / "elbow.xml", model);
    const MujocoCheck check =
        check_in_mujoco(folder.path() / "elbow.xml", model, {.poses = 1000, .simulates = false});
    ASSERT_TRUE(check.refusal.empty()) << check.refusal;
    EXPECT_LT(check.length_most, 1e-6);
}

// A point that the joint carries past the edge of the half that counts: the path then went all the
// way round (obturator externus of the figure, by 0.16 m). Turned and a little thinner, the
// cylinder keeps both rules together, and lengths do not jump.
TEST(WrapAgreement, APointThatPassesTheEdgeDoesNotWindThePathUp) {
    MusculoskeletalModel model = grazing_extensor();
    model.wraps[0].size[0] = 0.0284;
    model.muscles[0].points[0].anchors[0].position = Vec3(0.007, -0.0605, -0.0129);
    model.muscles[0].points[1].anchors[0].position = Vec3(0.0286, 0.0, -0.0295);
    model.coordinates[0].low = -1.75;
    model.coordinates[0].high = 0.5;
    const auto greatest_jump = [](const MusculoskeletalModel& m) {
        const KinematicTree tree(m);
        const MusclePaths paths(m, tree);
        double most = 0.0;
        double last = 0.0;
        for (int k = 0; k <= 2250; ++k) {
            const ModelPlacement place = tree.place(std::vector<double>{-1.75 + 1e-3 * k});
            const double length = paths.evaluate(place).length[0];
            most = k > 0 ? std::max(most, std::abs(length - last)) : most;
            last = length;
        }
        return most;
    };
    EXPECT_GT(greatest_jump(model), 0.05);
    EXPECT_EQ(make_sides_agree(model), 1);
    EXPECT_LT(greatest_jump(model), 1e-3);
    EXPECT_LT(greatest_jump(with_side_points(model)), 1e-3);
    EXPECT_GT(model.wraps[0].size[0], 0.5 * 0.0284);
    // Points further away leave no doubt: nothing changes.
    MusculoskeletalModel clear = grazing_extensor();
    clear.muscles[0].points[0].anchors[0].position = Vec3(0.02, -0.1, 0.0);
    clear.muscles[0].points[1].anchors[0].position = Vec3(0.02, 0.08, 0.0);
    clear.coordinates[0].low = -0.5;
    clear.coordinates[0].high = 0.5;
    EXPECT_EQ(make_sides_agree(clear), 0);
    EXPECT_EQ(clear.wraps[0].size[0], 0.0165);
}

// Whatever the geometry, no angle is left at which the rules part.
TEST(WrapAgreement, HoldsAtAnglesBetweenThoseThatWereDrawn) {
    Random random(Seed{41});
    for (int k = 0; k < 20; ++k) {
        MusculoskeletalModel model = grazing_extensor();
        for (PathPoint& point : model.muscles[0].points) {
            const double angle = random.uniform(-2.5, 2.5);
            const double far = random.uniform(0.02, 0.07);
            point.anchors[0].position =
                Vec3(far * std::cos(angle), far * std::sin(angle), random.uniform(-0.02, 0.02));
        }
        model.coordinates[0].low = -1.5;
        model.coordinates[0].high = 1.5;
        make_sides_agree(model);
        const MusculoskeletalModel sided = with_side_points(model);
        const KinematicTree tree(model);
        const MusclePaths halves(model, tree);
        const MusclePaths sides(sided, tree);
        double most = 0.0;
        for (int j = 0; j <= 20000; ++j) {
            const ModelPlacement place = tree.place(std::vector<double>{-1.5 + 1.5e-4 * j});
            most = std::max(
                most, std::abs(halves.evaluate(place).length[0] - sides.evaluate(place).length[0]));
        }
        EXPECT_LT(most, 1e-3) << k;
    }
}

// A point on the front of the femur that counts from where the straight line would cut through the
// bone: MuJoCo's path leaves a small sphere there by itself.
TEST(MujocoAgrees, OnAConditionalPointThatStandsForABone) {
    MusculoskeletalModel model = support::leg_model();
    MuscleUnit& extensor = model.muscles[0];
    extensor.points.insert(
        extensor.points.begin() + 1,
        {.name = "via", .anchors = {{.body = 1, .position = Vec3(0.035, -0.4, 0.0)}}});
    extensor.points[1].condition = 4;  // the knee
    extensor.points[1].low = -2.1;
    extensor.points[1].high = -0.09;
    const OneSidedPoints ready = with_one_sided_points(model);
    EXPECT_EQ(ready.one_sided, 1);
    EXPECT_EQ(ready.kept + ready.left_out, 0);
    const support::TemporaryFolder folder;
    write_any_model(folder.path() / "model.xml", model);
    const MujocoCheck check =
        check_in_mujoco(folder.path() / "model.xml", model, {.poses = 100, .simulates = false});
    ASSERT_FALSE(check.version.empty()) << "libmujoco, which this program links, was not loaded";
    EXPECT_LT(check.length_most, 5e-4);
    // A point that counts in the middle of the range only is no bone's: it is not worth a sphere.
    model.muscles[0].points[1].low = -0.3;
    EXPECT_EQ(with_one_sided_points(model).left_out, 1);
}

TEST(MujocoAgrees, ThatAttributesNeedNoBlanksBetweenThem) {
    const std::string text =
        "<mujoco><!-- it's \"a\"b --><worldbody><body name=\"a\"pos='1 2 3'quat='1 0 0 0'>"
        "<inertial pos='0 0 0'mass='2'diaginertia='1 1 1'/></body></worldbody></mujoco>";
    const MusculoskeletalModel model = parse_mjcf(text, "a");
    ASSERT_EQ(model.bodies.size(), 1U);
    EXPECT_DOUBLE_EQ(model.bodies[0].mass, 2.0);
    const support::TemporaryFolder folder;
    std::ofstream(folder.path() / "a.xml") << text;
    std::array<char, 500> error{};
    mjModel* theirs = mj_loadXML((folder.path() / "a.xml").c_str(), nullptr, error.data(), 500);
    ASSERT_NE(theirs, nullptr) << error.data();
    mj_deleteModel(theirs);
    EXPECT_THROW(parse_mjcf("<mujoco model=\"a", "a"), InputError);
}

}  // namespace
}  // namespace sinew
