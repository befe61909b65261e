// Files of measured trials: units of motions, .trc, .c3d, set-ups.

#include "sinew/base/error.h"
#include "sinew/body/motion_units.h"
#include "sinew/io/c3d.h"
#include "sinew/io/external_loads_file.h"
#include "sinew/io/ik_setup_file.h"
#include "sinew/io/motion_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/osim.h"
#include "sinew/io/trc.h"

#include "tests/motion/leg_model.h"
#include "tests/support/c3d_file.h"
#include "tests/support/shared_data.h"

namespace sinew {
namespace {

using support::C3dMaker;
using support::leg_model;

std::string mot(const std::string& header, const std::string& knee) {
    return "motion\n" + header + "endheader\ntime\tknee_angle\ttx\n0\t" + knee + "\t0\n0.1\t" +
           knee + "\t0\n";
}

template <class Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(AngleUnits, TheHeadersWordsDecide) {
    EXPECT_TRUE(parse_motion_table(mot("inDegrees=yes\n", "-60"), "a").in_degrees);
    EXPECT_TRUE(parse_motion_table(mot("Angles are in degrees.\n", "-60"), "a").in_degrees);
    const MotionTable radians = parse_motion_table(mot("Angles are in radians.\n", "-1"), "a");
    EXPECT_FALSE(radians.in_degrees);
    EXPECT_TRUE(radians.is_unit_known);
    EXPECT_FALSE(parse_motion_table(mot("", "-60"), "a").is_unit_known);
}

TEST(AngleUnits, WithoutWordsTheRangesDecideAndItIsSaid) {
    const MusculoskeletalModel model = leg_model();
    MotionTable degrees = parse_motion_table(mot("", "-60"), "a");
    settle_angles(degrees, model);
    EXPECT_TRUE(degrees.in_degrees);
    ASSERT_EQ(degrees.notes.size(), 1U);
    EXPECT_NE(degrees.notes[0].find("degrees"), std::string::npos);
    MotionTable radians = parse_motion_table(mot("", "-1.2"), "a");
    settle_angles(radians, model);
    EXPECT_FALSE(radians.in_degrees);
    EXPECT_EQ(radians.notes.size(), 1U);
    MotionTable nonsense = parse_motion_table(mot("", "-1000"), "a");
    EXPECT_THROW(settle_angles(nonsense, model), InputError);
}

TEST(AngleUnits, AKneeAtMinus18RadiansIsRefused) {
    const MusculoskeletalModel model = leg_model();
    MotionTable table = parse_motion_table(mot("inDegrees=no\n", "-17.9"), "walk.mot");
    const std::string message = message_of([&] { settle_angles(table, model); });
    EXPECT_NE(message.find("knee_angle"), std::string::npos) << message;
    EXPECT_NE(message.find("-17.9 rad"), std::string::npos) << message;
    EXPECT_NE(message.find("inDegrees=yes"), std::string::npos) << message;
}

TEST(AngleUnits, ARootMayTurnRoundSeveralTimes) {
    const MusculoskeletalModel model = leg_model();
    MotionTable table{
        .name = "dance", .columns = {"tilt"}, .times = {0.0, 1.0}, .values = {0.0, 25.0}};
    EXPECT_NO_THROW(settle_angles(table, model));
}

TEST(Trc, WhatIsWrittenIsReadWithItsGaps) {
    MarkerData data{.names = {"R ASIS", "knee"}, .times = {0.0, 0.01, 0.02}, .rate = 100.0};
    data.positions.assign(6, Vec3(0.1, 1.25, -0.3));
    data.at(1, 1) = Vec3::Constant(std::nan(""));
    const MarkerData again = parse_trc(format_trc(data, "a.trc"), "a.trc");
    EXPECT_EQ(again.names, data.names);
    EXPECT_EQ(again.times, data.times);
    EXPECT_FALSE(again.at(1, 1).allFinite());
    EXPECT_LT((again.at(2, 1) - data.at(2, 1)).norm(), 1e-15);
}

TEST(Trc, DamagedFilesNameTheLine) {
    const std::string head =
        "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tUnits\n60\tmm\nFrame#\tTime\tA\t\t\tB\n"
        "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n";
    EXPECT_EQ(parse_trc(head + "1\t0\t1\t2\t3\t4\t5\t6\n", "a").names.size(), 2U);
    EXPECT_NE(message_of([&] { parse_trc(head + "1\t0\t1\tx\t3\n", "a"); }).find("line 7"),
              std::string::npos);
    EXPECT_NE(message_of([&] { parse_trc(head, "a"); }), "");
    EXPECT_NE(message_of([&] { parse_trc("hello", "a"); }), "");
    EXPECT_NE(message_of([&] { parse_trc(head + "1\t1\t1\n2\t0.5\t1\n", "a"); }).find("rise"),
              std::string::npos);
}

TEST(Trc, TimesRoundedToDigitsAreThoseOfTheRate) {
    const std::string head =
        "PathFileType\t4\t(X/Y/Z)\ta\nDataRate\tUnits\n60\tm\nFrame#\tTime\tA\n\t\tX1\tY1\tZ1\n";
    const MarkerData rounded =
        parse_trc(head + "1\t0.400\t1\t2\t3\n2\t0.417\t1\t2\t3\n3\t0.433\t1\t2\t3\n", "a");
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_DOUBLE_EQ(rounded.times[k], (24.0 + static_cast<double>(k)) / 60.0);
    }
    // Frames that come at other times are left as they are.
    const MarkerData uneven =
        parse_trc(head + "1\t0.400\t1\t2\t3\n2\t0.417\t1\t2\t3\n3\t0.436\t1\t2\t3\n", "a");
    EXPECT_DOUBLE_EQ(uneven.times[2], 0.436);
    const MarkerData exact = parse_trc(head + "1\t0.40012\t1\t2\t3\n2\t0.41667\t1\t2\t3\n", "a");
    EXPECT_DOUBLE_EQ(exact.times[0], 0.40012);
}

TEST(Trc, ShortRowsOfManyMarkersAskForNoMemory) {
    std::string text = "PathFileType\t4\t(X/Y/Z)\ta\nDataRate\tUnits\n60\tmm\nFrame#\tTime";
    for (int m = 0; m < 20000; ++m) {
        text += "\tm" + std::to_string(m);
    }
    text += "\n\n";
    for (int k = 0; k < 20000; ++k) {
        text += std::to_string(k) + "\t" + std::to_string(k) + "\n";
    }
    EXPECT_NE(message_of([&] { parse_trc(text, "a"); }).find("per marker"), std::string::npos);
}

TEST(C3d, MarkersOfBothNumberFormatsComeInMetresAndYUp) {
    for (const float scale : {-1.0F, 0.1F}) {
        C3dMaker file{.markers = {"RASI", "LASI"}, .scale = scale};
        file.frames = {{Vec3(100.0, 200.0, 1000.0), Vec3(-50.0, 20.0, 900.0)},
                       {Vec3(110.0, 200.0, 1000.0), Vec3::Constant(std::nan(""))}};
        const C3dData data = parse_c3d(file.bytes(), "a.c3d");
        ASSERT_EQ(data.markers.names, (std::vector<std::string>{"RASI", "LASI"}));
        ASSERT_EQ(data.markers.times.size(), 2U);
        EXPECT_DOUBLE_EQ(data.markers.times[1], 0.01);
        EXPECT_LT((data.markers.at(0, 0) - Vec3(0.1, 1.0, -0.2)).norm(), 1e-6);
        EXPECT_FALSE(data.markers.at(1, 1).allFinite());
        const C3dData y_up = parse_c3d(file.bytes(), "a.c3d", 'y');
        EXPECT_LT((y_up.markers.at(0, 0) - Vec3(0.1, 0.2, 1.0)).norm(), 1e-6);
    }
}

TEST(C3d, APlateGivesForceCentreOfPressureAndFreeTorque) {
    // 600 N upwards at (0.25, 0.40, 0) with 30 N forward and a free torque of 5 N m about z.
    const Vec3 force(30.0, 0.0, 600.0);
    const Vec3 at(0.25, 0.40, 0.0);
    const Vec3 sensor(0.2, 0.3, -0.02);  // 20 mm below the plate's middle
    const Vec3 moment = (at - sensor).cross(force) + Vec3(0.0, 0.0, 5.0);
    // In the plate's axes: x forward, y to the other side, z down; moments in N mm.
    C3dMaker file{.markers = {"A"}, .channels = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"}};
    file.has_plate = true;
    file.per_frame = 2;
    file.frames = {{Vec3(0.0, 0.0, 0.0)}};
    const std::vector<double> row = {force.x(),        -force.y(),        -force.z(),
                                     1e3 * moment.x(), -1e3 * moment.y(), -1e3 * moment.z()};
    file.samples = {row, std::vector<double>(6, 0.0)};
    const C3dData data = parse_c3d(file.bytes(), "a.c3d");
    ASSERT_EQ(data.plates.size(), 1U);
    ASSERT_EQ(data.plate_times.size(), 2U);
    EXPECT_DOUBLE_EQ(data.plate_times[1], 0.005);
    const ForcePlate& plate = data.plates[0];
    EXPECT_LT((plate.force[0] - Vec3(30.0, 600.0, 0.0)).norm(), 1e-3);
    EXPECT_LT((plate.point[0] - Vec3(0.25, 0.0, -0.40)).norm(), 1e-5);
    EXPECT_LT((plate.torque[0] - Vec3(0.0, 5.0, 0.0)).norm(), 1e-3);
    EXPECT_LT(plate.force[1].norm(), 1e-6);
    const MotionTable table = table_of_plates(data);
    EXPECT_GE(find_column(table, "plate1_force_vy"), 0);
    EXPECT_NEAR(table.at(0, static_cast<std::size_t>(find_column(table, "plate1_force_px"))), 0.25,
                1e-5);
    EXPECT_EQ(data.analog.columns.size(), 6U);
}

TEST(C3d, UnitsOriginsAndUnsignedSamplesOfPlatesAreHeeded) {
    // 600 N upwards, 0.1 m beside the plate's middle: the same by four ways of writing.
    const std::vector<double> in_n_mm = {0.0, 0.0, -600.0, 0.0, 60e3, 0.0};
    const std::vector<double> in_n_m = {0.0, 0.0, -600.0, 0.0, 60.0, 0.0};
    for (int way = 0; way < 4; ++way) {
        C3dMaker file{.markers = {"A"}, .channels = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"}};
        file.has_plate = true;
        file.frames = {{Vec3(0.0, 0.0, 0.0)}};
        file.samples = {way == 0 ? in_n_mm : in_n_m};
        file.units = {"N", "N", "N", "N.m", "N.m", "N.m"};
        if (way == 0) {
            file.units = {"N", "N", "N", "Nmm", "Nmm", "Nmm"};
        } else if (way == 2) {
            file.origin = {0.0F, 0.0F, 20.0F};  // the depth without its sign
        } else if (way == 3) {
            file.scale = 0.1F;
            file.is_unsigned = true;
        }
        const C3dData data = parse_c3d(file.bytes(), "a.c3d");
        ASSERT_EQ(data.plates.size(), 1U) << way;
        EXPECT_LT((data.plates[0].force[0] - Vec3(0.0, 600.0, 0.0)).norm(), 1e-3) << way;
        EXPECT_LT((data.plates[0].point[0] - Vec3(0.3, 0.0, -0.3)).norm(), 1e-5) << way;
        const bool is_said = std::any_of(
            data.notes.begin(), data.notes.end(),
            [](const std::string& note) { return note.find("origin") != std::string::npos; });
        EXPECT_EQ(is_said, way == 2);
    }
    // A level force, whose moment shows where the sensors lie.
    C3dMaker file{.markers = {"A"}, .channels = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"}};
    file.has_plate = true;
    file.frames = {{Vec3(0.0, 0.0, 0.0)}};
    // At the middle, 20 mm above the sensors: M = (0, 0, -20) x (100, 0, -600) N mm.
    file.samples = {{100.0, 0.0, -600.0, 0.0, -2000.0, 0.0}};
    for (const float depth : {-20.0F, 20.0F}) {
        file.origin = {0.0F, 0.0F, depth};
        const C3dData data = parse_c3d(file.bytes(), "a.c3d");
        EXPECT_LT((data.plates.at(0).point[0] - Vec3(0.2, 0.0, -0.3)).norm(), 1e-5) << depth;
    }
}

TEST(C3d, FilesCutAnywhereAreRefusedOrRead) {
    C3dMaker file{.markers = {"A", "B"}, .channels = {"Fx"}};
    file.frames.assign(5, {Vec3(1.0, 2.0, 3.0), Vec3(4.0, 5.0, 6.0)});
    file.samples.assign(5, {1.0});
    const std::string bytes = file.bytes();
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
        EXPECT_THROW(parse_c3d(std::string_view(bytes).substr(0, size), "cut.c3d"), InputError)
            << size;
    }
    EXPECT_NO_THROW(parse_c3d(bytes, "whole.c3d"));
}

// Numbers of a file are no numbers of plates and channels until they are seen to be.
TEST(C3d, PlatesAndChannelsBeyondAllNumbersAreLeftOut) {
    C3dMaker file{.markers = {"A"}, .channels = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"}};
    file.has_plate = true;
    file.frames = {{Vec3(0.0, 0.0, 0.0)}};
    file.samples = {std::vector<double>(6, 1.0)};
    const float nan = std::numeric_limits<float>::quiet_NaN();
    file.plate_channels = {1e30F, -1e30F, nan, 7.0F, 0.0F, 6.0F};
    const C3dData data = parse_c3d(file.bytes(), "a.c3d");
    ASSERT_EQ(data.plates.size(), 1U);
    EXPECT_EQ(data.plates[0].force[0], Vec3(0.0, 0.0, 0.0));
    for (const float type : {1e30F, -1e30F, nan, 5.0F}) {
        file.plate_type = type;
        EXPECT_TRUE(parse_c3d(file.bytes(), "a.c3d").plates.empty()) << type;
    }
}

TEST(C3d, SamplesWithoutChannelsAreNotCounted) {
    C3dMaker file{.markers = {"A"}, .channels = {"Fx"}};
    file.frames = {{Vec3(0.0, 0.0, 0.0)}};
    file.samples = {{1.0}};
    std::string bytes = file.bytes();
    bytes[18] = bytes[19] = '\xff';  // word 10 of the header: 65535 analog values per frame
    const C3dData data = parse_c3d(bytes, "a.c3d");
    EXPECT_TRUE(data.analog.times.empty());
    EXPECT_TRUE(data.analog.columns.empty());
}

TEST(LoadsSetup, XmlAndJsonSayTheSame) {
    const std::string xml = R"(<OpenSimDocument Version="30000"><ExternalLoads><objects>
        <ExternalForce name="right"><applied_to_body>foot</applied_to_body>
        <force_expressed_in_body>ground</force_expressed_in_body>
        <point_expressed_in_body>ground</point_expressed_in_body>
        <force_identifier>f_v</force_identifier><point_identifier>f_p</point_identifier>
        <torque_identifier>Unassigned</torque_identifier></ExternalForce>
        <ExternalForce name="off"><isDisabled>true</isDisabled></ExternalForce>
        </objects><datafile>grf.mot</datafile></ExternalLoads></OpenSimDocument>)";
    const std::string json = R"({"version": 1, "data": "grf.mot", "loads": [
        {"name": "right", "body": "foot", "force": "f_v", "point": "f_p"}]})";
    const MusculoskeletalModel model = leg_model();
    MotionTable table{.name = "grf",
                      .columns = {"f_vx", "f_vy", "f_vz", "f_px", "f_py", "f_pz"},
                      .times = {0.0, 1.0},
                      .values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
    for (const std::string& text : {xml, json}) {
        const LoadsSetup setup = parse_loads_setup(text, "loads");
        EXPECT_EQ(setup.data, "grf.mot");
        const ExternalLoads loads = loads_from_table(model, setup, table);
        ASSERT_EQ(loads.loads.size(), 1U);
        EXPECT_EQ(loads.loads[0].body, 2);
        EXPECT_EQ(loads.loads[0].force[1], Vec3(7.0, 8.0, 9.0));
        EXPECT_EQ(loads.loads[0].point[0], Vec3(4.0, 5.0, 6.0));
        EXPECT_TRUE(loads.loads[0].torque.empty());
        EXPECT_EQ(loads.notes.size(), text == xml ? 1U : 0U);
    }
    LoadsSetup wrong = parse_loads_setup(json, "loads");
    wrong.loads[0].body = "foott";
    EXPECT_NE(message_of([&] { loads_from_table(model, wrong, table); }).find("did you mean"),
              std::string::npos);
    wrong = parse_loads_setup(json, "loads");
    wrong.loads[0].force = "g_v";
    EXPECT_NE(message_of([&] { loads_from_table(model, wrong, table); }).find("g_v"),
              std::string::npos);
}

TEST(ReserveActuators, CoordinatesGetTheirForcesAndTheRootIsCounted) {
    const ReserveActuators read = parse_reserve_actuators(
        R"(<OpenSimDocument><ForceSet><objects>
        <PointActuator name="FX"><optimal_force>1</optimal_force></PointActuator>
        <CoordinateActuator name="r"><coordinate>knee_angle</coordinate>
        <optimal_force>7</optimal_force></CoordinateActuator>
        </objects></ForceSet></OpenSimDocument>)",
        "a.xml");
    ASSERT_EQ(read.coordinates.size(), 1U);
    EXPECT_EQ(read.coordinates[0].first, "knee_angle");
    EXPECT_DOUBLE_EQ(read.coordinates[0].second, 7.0);
    EXPECT_EQ(read.root.size(), 1U);
    EXPECT_THROW(parse_reserve_actuators("<a/>", "a.xml"), InputError);
}

TEST(IkSetup, TasksThatDoNotApplyWeighNothing) {
    const IkSetup setup = parse_ik_setup(
        R"(<OpenSimDocument><InverseKinematicsTool><IKTaskSet><objects>
        <IKMarkerTask name="A"><apply>true</apply><weight>3</weight></IKMarkerTask>
        <IKMarkerTask name="B"><apply>false</apply><weight>9</weight></IKMarkerTask>
        <IKCoordinateTask name="tilt"><apply>true</apply><weight>2</weight></IKCoordinateTask>
        </objects></IKTaskSet></InverseKinematicsTool></OpenSimDocument>)",
        "a.xml");
    ASSERT_EQ(setup.markers.size(), 2U);
    EXPECT_DOUBLE_EQ(setup.markers[0].second, 3.0);
    EXPECT_DOUBLE_EQ(setup.markers[1].second, 0.0);
    EXPECT_DOUBLE_EQ(setup.weight, 0.0);
    ASSERT_EQ(setup.coordinates.size(), 1U);
    const IkSetup json = parse_ik_setup(R"({"version": 1, "markers": {"A": 3}})", "a.json");
    EXPECT_DOUBLE_EQ(json.weight, 1.0);
}

TEST(ScaleSetup, MeasurementsNamePairsBodiesAndAxes) {
    const ScaleSetup setup = parse_scale_setup(
        R"(<OpenSimDocument><ScaleTool><mass>72.6</mass><ModelScaler><MeasurementSet><objects>
        <Measurement name="thigh"><apply>true</apply><MarkerPairSet><objects><MarkerPair>
        <markers> HIP KNE</markers></MarkerPair></objects></MarkerPairSet><BodyScaleSet><objects>
        <BodyScale name="femur"><axes> Y</axes></BodyScale></objects></BodyScaleSet></Measurement>
        </objects></MeasurementSet></ModelScaler></ScaleTool></OpenSimDocument>)",
        "a.xml");
    EXPECT_DOUBLE_EQ(setup.mass, 72.6);
    ASSERT_EQ(setup.measurements.size(), 1U);
    EXPECT_EQ(setup.measurements[0].axes, "y");
    EXPECT_EQ(setup.measurements[0].pairs[0][1], "KNE");
}

}  // namespace
}  // namespace sinew
