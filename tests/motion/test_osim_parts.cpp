// What `.osim` files hold beside muscles: passive forces, meshes, parts that are carried along, old
// layouts and joints the other way round. Files are written here by hand.

#include "sinew/base/error.h"
#include "sinew/body/kinematics.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/model_meshes.h"
#include "sinew/io/osim.h"
#include "sinew/io/vtu.h"
#include "sinew/motion/model_shapes.h"
#include "sinew/motion/muscle_paths.h"
#include "sinew/motion/passive_forces.h"
#include "sinew/pipeline/any_model.h"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <fstream>
#include <numbers>

#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

std::string osim(const std::string& inside, int version = 40000) {
    return fmt::format(
        "<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"{}\">\n<Model name=\"m\">\n{}\n"
        "</Model>\n</OpenSimDocument>",
        version, inside);
}

std::string set_of(const std::string& name, const std::string& inside) {
    return fmt::format("<{}><objects>{}</objects></{}>\n", name, inside, name);
}

std::string body(const std::string& name, const std::string& extra = "") {
    return fmt::format(
        "<Body name=\"{}\"><mass>2</mass><mass_center>0 -0.1 0</mass_center><inertia>0.01 0.01 "
        "0.01 0 0 0</inertia>{}</Body>",
        name, extra);
}

std::string joint(const std::string& type, const std::string& name, const std::string& parent,
                  const std::string& child, const std::string& coordinates,
                  const std::string& extra = "") {
    return fmt::format(
        "<{} name=\"{}\"><socket_parent_frame>{}_in</socket_parent_frame><socket_child_frame>{}_out"
        "</socket_child_frame><coordinates>{}</coordinates><frames><PhysicalOffsetFrame "
        "name=\"{}_in\"><socket_parent>{}</socket_parent><translation>0.1 0.2 0.3</translation>"
        "<orientation>0.1 0.2 0.3</orientation></PhysicalOffsetFrame><PhysicalOffsetFrame "
        "name=\"{}_out\"><socket_parent>{}</socket_parent><translation>-0.1 0.05 0.02</translation>"
        "<orientation>0.3 -0.1 0.2</orientation></PhysicalOffsetFrame></frames>{}</{}>",
        type, name, name, name, coordinates, name, parent, name, child, extra, type);
}

std::string coordinate(const std::string& name) {
    return fmt::format("<Coordinate name=\"{}\"><range>-2 2</range></Coordinate>", name);
}

std::string path_of(const std::string& from, const std::string& to) {
    return fmt::format(
        "<GeometryPath name=\"p\"><PathPointSet><objects><PathPoint name=\"a\">"
        "<socket_parent_frame>{}</socket_parent_frame><location>0.1 0.2 0</location></PathPoint>"
        "<PathPoint name=\"b\"><socket_parent_frame>{}</socket_parent_frame><location>0 -0.1 0"
        "</location></PathPoint></objects></PathPointSet></GeometryPath>",
        from, to);
}

const std::string kPassive =
    "<Ligament name=\"acl\">" + path_of("/ground", "/bodyset/arm") +
    "<resting_length>0.25</resting_length><pcsa_force>300</pcsa_force></Ligament>"
    "<Blankevoort1991Ligament name=\"mcl\">" +
    path_of("/ground", "/bodyset/arm") +
    "<linear_stiffness>4000</linear_stiffness><transition_strain>0.05</transition_strain>"
    "<damping_coefficient>1.5</damping_coefficient><slack_length>0.28</slack_length>"
    "</Blankevoort1991Ligament><PathSpring name=\"spring\">" +
    path_of("/ground", "/bodyset/arm") +
    "<resting_length>0.27</resting_length><stiffness>900</stiffness><dissipation>0.2</dissipation>"
    "</PathSpring><CoordinateLimitForce name=\"stop\"><coordinate>angle</coordinate>"
    "<upper_stiffness>20</upper_stiffness><upper_limit>10</upper_limit><lower_stiffness>30"
    "</lower_stiffness><lower_limit>-15</lower_limit><damping>0.5</damping><transition>5"
    "</transition></CoordinateLimitForce><SpringGeneralizedForce name=\"gen\"><coordinate>angle"
    "</coordinate><stiffness>3</stiffness><rest_length>0.2</rest_length><viscosity>0.4</viscosity>"
    "</SpringGeneralizedForce><BushingForce name=\"bush\"><socket_frame1>f1</socket_frame1>"
    "<socket_frame2>/bodyset/arm</socket_frame2><frames><PhysicalOffsetFrame name=\"f1\">"
    "<socket_parent>/ground</socket_parent><translation>0.01 0.02 0.03</translation><orientation>"
    "0.1 0 0</orientation></PhysicalOffsetFrame></frames><rotational_stiffness>1 2 3"
    "</rotational_stiffness><translational_stiffness>10 20 30</translational_stiffness>"
    "<rotational_damping>0.1 0.2 0.3</rotational_damping><translational_damping>1 2 3"
    "</translational_damping></BushingForce>";

MusculoskeletalModel passive_model() {
    return parse_osim(osim(set_of("BodySet", body("arm")) +
                           set_of("JointSet", joint("PinJoint", "pin", "/ground", "/bodyset/arm",
                                                    coordinate("angle"))) +
                           set_of("ForceSet", kPassive)),
                      "passive.osim");
}

std::vector<double> moments(const MusculoskeletalModel& model, double angle, double speed) {
    const KinematicTree tree(model);
    std::vector<double> out(1, 0.0);
    const std::vector<double> q = {angle};
    const std::vector<double> u = {speed};
    PassiveForces(model, tree).add_moments(tree.place(q), u, out);
    return out;
}

bool is_noted(const MusculoskeletalModel& model, const std::string& words) {
    return std::any_of(model.notes.begin(), model.notes.end(), [&](const std::string& note) {
        return note.find(words) != std::string::npos;
    });
}

TEST(OsimParts, PassiveForcesAreReadInSiUnits) {
    const MusculoskeletalModel model = passive_model();
    ASSERT_EQ(model.ligaments.size(), 3U);
    EXPECT_EQ(model.ligaments[1].law, Ligament::Law::Toe);
    EXPECT_EQ(model.ligaments[1].slack, 0.28);
    // OpenSim's own curve at a stretch of 1.2 is 0.12.
    EXPECT_NEAR(ligament_tension(model.ligaments[0], 0.3, 0.0), 0.12 * 300.0, 1e-9);
    ASSERT_EQ(model.limits.size(), 1U);
    const double deg = std::numbers::pi / 180.0;
    EXPECT_NEAR(model.limits[0].high, 10.0 * deg, 1e-12);
    EXPECT_NEAR(model.limits[0].high_stiffness, 20.0 / deg, 1e-9);
    ASSERT_EQ(model.springs.size(), 1U);
    ASSERT_EQ(model.bushings.size(), 1U);
    EXPECT_EQ(model.bushings[0].first, -1);
    EXPECT_NEAR(model.bushings[0].first_frame.position.z(), 0.03, 1e-12);
    EXPECT_FALSE(is_noted(model, "left out"));
}

TEST(OsimParts, PassiveForcesActTheSameAfterARoundTrip) {
    const MusculoskeletalModel model = passive_model();
    const MusculoskeletalModel back = parse_osim(format_osim(model), "back.osim");
    EXPECT_EQ(back.ligaments.size(), 3U);
    EXPECT_EQ(back.bushings.size(), 1U);
    for (const double angle : {-1.0, -0.3, 0.0, 0.25, 0.9}) {
        EXPECT_NEAR(moments(back, angle, 0.7)[0], moments(model, angle, 0.7)[0], 1e-9);
    }
    EXPECT_GT(std::abs(moments(model, 0.9, 0.0)[0]), 10.0);
}

TEST(OsimParts, BushingsOfFormat3NameBodies) {
    const std::string bodies =
        body("ground") +
        body("arm",
             "<Joint><PinJoint "
             "name=\"pin\"><parent_body>ground</parent_body><CoordinateSet><objects>" +
                 coordinate("angle") + "</objects></CoordinateSet></PinJoint></Joint>");
    const MusculoskeletalModel model = parse_osim(
        osim(set_of("BodySet", bodies) +
                 set_of("ForceSet",
                        "<BushingForce name=\"b\"><body_1>ground</body_1><body_2>arm</body_2>"
                        "<location_body_1>0.1 0 0</location_body_1><orientation_body_2>0 0 0.5"
                        "</orientation_body_2><rotational_stiffness>1 2 3</rotational_stiffness>"
                        "</BushingForce>"),
             30000),
        "old.osim");
    ASSERT_EQ(model.bushings.size(), 1U);
    EXPECT_EQ(model.bushings[0].second, 0);
    EXPECT_NEAR(model.bushings[0].first_frame.position.x(), 0.1, 1e-12);
    // Only the turn about z matters: 3 N m/rad about the frame's 0.5 rad.
    EXPECT_NEAR(moments(model, 0.2, 0.0)[0], -3.0 * 0.7, 1e-9);
}

const char* const kTriangleVtp =
    "<?xml version=\"1.0\"?><VTKFile type=\"PolyData\" version=\"0.1\"><PolyData><Piece "
    "NumberOfPoints=\"5\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
    "NumberOfPolys=\"2\"><PointData/><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" "
    "format=\"ascii\">0 0 0 1 0 0 1 1 0 0 1 0 0.5 0.5 1</DataArray></Points><Polys><DataArray "
    "type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 3 2 1 0 1 4</DataArray><DataArray "
    "type=\"Int32\" Name=\"offsets\" format=\"ascii\">4 7</DataArray></Polys></Piece></PolyData>"
    "</VTKFile>";

TEST(OsimParts, VtpSurfacesAreCutIntoTriangles) {
    const MixedMesh mesh = parse_vtu(kTriangleVtp, "a.vtp");
    EXPECT_EQ(mesh.tets.points.rows(), 5);
    EXPECT_EQ(mesh.triangles.rows(), 3);  // a square in two, and one
    std::string strip = kTriangleVtp;
    strip.replace(strip.find("NumberOfStrips=\"0\""), 18, "NumberOfStrips=\"1\"");
    strip.replace(strip.find("NumberOfPolys=\"2\""), 17, "NumberOfPolys=\"0\"");
    strip.replace(strip.find("<Polys>"), 7, "<Strips>");
    strip.replace(strip.find("</Polys>"), 8, "</Strips>");
    strip.replace(strip.find("0 3 2 1 0 1 4"), 13, "0 1 3 2");
    strip.replace(strip.find(">4 7<"), 5, ">4<");
    const MixedMesh two = parse_vtu(strip, "b.vtp");
    ASSERT_EQ(two.triangles.rows(), 2);
    // Both face the same way.
    const auto normal = [&](Eigen::Index t) {
        const auto p = [&](int k) { return Vec3(two.tets.points.row(two.triangles(t, k))); };
        return Vec3((p(1) - p(0)).cross(p(2) - p(0)));
    };
    EXPECT_GT(normal(0).dot(normal(1)), 0.0);
    std::string bad = kTriangleVtp;
    bad.replace(bad.find("0 1 4<"), 6, "0 1 9<");
    EXPECT_THROW(parse_vtu(bad, "c.vtp"), InputError);
}

const std::string kMeshes =
    "<attached_geometry><Mesh name=\"bone\"><socket_frame>..</socket_frame><scale_factors>2 1 1"
    "</scale_factors><mesh_file>bone.vtp</mesh_file></Mesh></attached_geometry><components>"
    "<PhysicalOffsetFrame name=\"off\"><attached_geometry><Mesh name=\"tip\"><mesh_file>tip.vtp"
    "</mesh_file></Mesh></attached_geometry><socket_parent>..</socket_parent><translation>0 0.5 0"
    "</translation><orientation>0 0 0</orientation></PhysicalOffsetFrame></components>";

MusculoskeletalModel meshed_model() {
    return parse_osim(osim(set_of("BodySet", body("arm", kMeshes)) +
                           set_of("JointSet", joint("PinJoint", "pin", "/ground", "/bodyset/arm",
                                                    coordinate("angle")))),
                      "meshes.osim");
}

TEST(OsimParts, MeshesAreKeptByReferenceAndShownWhereTheyAreFound) {
    const MusculoskeletalModel model =
        parse_osim(format_osim(meshed_model()), "again.osim");  // through a round trip
    ASSERT_EQ(model.shapes.size(), 2U);
    EXPECT_EQ(model.shapes[0].file, "bone.vtp");
    EXPECT_EQ(model.shapes[0].scale, Vec3(2.0, 1.0, 1.0));
    EXPECT_EQ(model.shapes[1].file, "tip.vtp");
    EXPECT_NEAR(model.shapes[1].placement.position.y(), 0.5, 1e-12);
    const support::TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "Geometry");
    std::ofstream(folder.path() / "Geometry" / "bone.vtp") << kTriangleVtp;
    MusculoskeletalModel loaded = model;
    const std::vector<std::filesystem::path> folders = {folder.path()};
    const std::vector<std::string> notes = load_shapes(loaded, folders);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("tip.vtp"), std::string::npos);
    ASSERT_TRUE(loaded.shapes[0].mesh);
    const std::vector<double> q = {0.4};
    const std::vector<MeshPart> parts = model_shapes(loaded, q);
    const Placement T = KinematicTree(loaded).place(q).bodies[0];
    bool is_shown = false;
    for (const MeshPart& part : parts) {
        if (part.mesh.points.rows() == 5) {
            is_shown = true;
            EXPECT_LT((Vec3(part.mesh.points.row(4)) - T * Vec3(1.0, 0.5, 1.0)).norm(), 1e-12);
        }
    }
    EXPECT_TRUE(is_shown);
}

TEST(OsimParts, DisplayGeometryOfFormat3HasItsTransformAndScale) {
    const MusculoskeletalModel model = parse_osim(
        osim(
            set_of("BodySet",
                   body("ground") +
                       body("arm",
                            "<Joint><PinJoint name=\"pin\"><parent_body>ground</parent_body>"
                            "<CoordinateSet><objects>" +
                                coordinate("angle") +
                                "</objects></CoordinateSet></PinJoint></Joint><VisibleObject>"
                                "<GeometrySet><objects><DisplayGeometry><geometry_file>ulna.vtp"
                                "</geometry_file><color>1 0 0</color><transform>0 0 0 0.1 0.2 0.3"
                                "</transform><scale_factors>1 2 1</scale_factors></DisplayGeometry>"
                                "</objects></GeometrySet><scale_factors>3 1 1</scale_factors>"
                                "</VisibleObject>")),
            30000),
        "old.osim");
    ASSERT_EQ(model.shapes.size(), 1U);
    EXPECT_EQ(model.shapes[0].scale, Vec3(3.0, 2.0, 1.0));
    EXPECT_NEAR(model.shapes[0].placement.position.z(), 0.3, 1e-12);
    EXPECT_EQ(model.shapes[0].colour[1], 0.0f);
}

TEST(OsimParts, MujocoLoadsTheMeshesBesideItsFile) {
    const support::TemporaryFolder folder;
    for (const char* name : {"bone.vtp", "tip.vtp"}) {
        std::ofstream(folder.path() / name) << kTriangleVtp;
    }
    MusculoskeletalModel model = meshed_model();
    const std::vector<std::filesystem::path> folders = {folder.path()};
    EXPECT_TRUE(load_shapes(model, folders).empty());
    write_any_model(folder.path() / "m.xml", model);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "m_meshes" / "bone.stl"));
    char error[1000] = "";
    mjModel* m = mj_loadXML((folder.path() / "m.xml").c_str(), nullptr, error, 1000);
    ASSERT_NE(m, nullptr) << error;
    EXPECT_EQ(m->nmesh, 2);
    mj_deleteModel(m);
    // Sinew reads them again, by reference.
    const MusculoskeletalModel back = read_any_model(folder.path() / "m.xml");
    ASSERT_EQ(back.shapes.size(), 2U);
    EXPECT_TRUE(std::filesystem::exists(back.shapes[0].file));
}

TEST(OsimParts, ProbesContactAndControllersAreCarriedAlong) {
    const std::string others =
        set_of("ContactGeometrySet",
               "<ContactHalfSpace name=\"floor\"><socket_frame>/ground</socket_frame>"
               "</ContactHalfSpace><ContactSphere name=\"heel\"><socket_frame>/bodyset/arm"
               "</socket_frame><radius>0.03</radius></ContactSphere><ContactSphere name=\"odd\">"
               "<socket_frame>/bodyset/arm/off</socket_frame></ContactSphere>") +
        set_of("ProbeSet",
               "<JointInternalPowerProbe name=\"power\"><joint_names>pin</joint_names>"
               "</JointInternalPowerProbe>") +
        set_of("ControllerSet", "<PrescribedController name=\"c\"/>");
    const std::string forces =
        "<HuntCrossleyForce "
        "name=\"foot\"><HuntCrossleyForce::ContactParametersSet/></HuntCrossleyForce>"
        "<CoordinateActuator name=\"motor\"><coordinate>angle</coordinate><optimal_force>5"
        "</optimal_force></CoordinateActuator>";
    const MusculoskeletalModel model = parse_osim(
        osim("<credits>A. Maker</credits><publications>A paper</publications>" +
             set_of("BodySet", body("arm")) +
             set_of("JointSet",
                    joint("PinJoint", "pin", "/ground", "/bodyset/arm", coordinate("angle"))) +
             set_of("ForceSet", forces) + others),
        "parts.osim");
    EXPECT_EQ(model.kept.size(), 6U);
    EXPECT_TRUE(is_noted(model, "left out: 1 ContactSphere"));  // its frame is not written
    EXPECT_TRUE(is_noted(model, "carried along"));
    const std::string text = format_osim(model);
    for (const char* word :
         {"ContactHalfSpace", "name=\"heel\"", "JointInternalPowerProbe", "PrescribedController",
          "HuntCrossleyForce", "CoordinateActuator", "A. Maker", "A paper"}) {
        EXPECT_NE(text.find(word), std::string::npos) << word;
    }
    EXPECT_EQ(parse_osim(text, "again.osim").kept.size(), 6U);
    EXPECT_EQ(parse_osim(text, "again.osim").credits, "A. Maker");
}

TEST(OsimParts, AStationDefinedFrameIsNamedAsSuch) {
    const std::string text =
        osim(set_of("BodySet",
                    body("arm", "<components><StationDefinedFrame name=\"sdf\"/></components>")) +
             set_of("JointSet",
                    "<PinJoint name=\"pin\"><socket_parent_frame>/ground</socket_parent_frame>"
                    "<socket_child_frame>/bodyset/arm/sdf</socket_child_frame></PinJoint>"));
    try {
        parse_osim(text, "sdf.osim");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find("StationDefinedFrame"), std::string::npos);
        EXPECT_NE(std::string(e.what()).find("PhysicalOffsetFrame"), std::string::npos);
    }
}

// T_ground_arm of a joint given from arm to ground is the inverse of the motion it describes.
TEST(OsimParts, AJointFromChildToParentIsTurnedRound) {
    const std::string three = coordinate("a") + coordinate("b") + coordinate("c");
    const std::string six = three + coordinate("x") + coordinate("y") + coordinate("z");
    struct Case {
        std::string type;
        std::string coordinates;
        std::vector<double> q;
    };
    for (const Case& c :
         {Case{"BallJoint", three, {0.3, -0.4, 0.6}}, Case{"SliderJoint", coordinate("s"), {0.7}},
          Case{"FreeJoint", six, {0.3, -0.4, 0.6, 0.1, 0.2, -0.3}}}) {
        const auto model = [&](const std::string& parent, const std::string& child) {
            return parse_osim(
                osim(set_of("BodySet", body("arm")) +
                     set_of("JointSet", joint(c.type, "j", parent, child, c.coordinates))),
                "turned.osim");
        };
        const MusculoskeletalModel forward = model("/ground", "/bodyset/arm");
        const MusculoskeletalModel turned = model("/bodyset/arm", "/ground");
        EXPECT_TRUE(is_noted(turned, "turned round"));
        // forward: P X C^-1; turned: C X^-1 P^-1, with the same frames.
        const Placement T = KinematicTree(forward).place(c.q).bodies[0];
        const Index arm = find_body(turned, "arm");
        const Placement back =
            KinematicTree(turned).place(c.q).bodies[static_cast<std::size_t>(arm)];
        EXPECT_LT((T.rotation * back.rotation - Mat3::Identity()).norm(), 1e-12) << c.type;
        EXPECT_LT((T * back.position).norm(), 1e-12) << c.type;
        // And the file written from it says the same.
        const MusculoskeletalModel again = parse_osim(format_osim(turned), "again.osim");
        const Index same = find_body(again, "arm");
        EXPECT_LT((KinematicTree(again).place(c.q).bodies[static_cast<std::size_t>(same)].position -
                   back.position)
                      .norm(),
                  1e-12);
    }
}

TEST(OsimParts, AReversedJointOfFormat3MovesTheOtherWay) {
    const auto model = [&](const std::string& reverse) {
        return parse_osim(
            osim(set_of("BodySet",
                        body("ground") +
                            body("arm",
                                 "<Joint><PinJoint name=\"pin\"><parent_body>ground"
                                 "</parent_body><location_in_parent>0.1 0.2 0"
                                 "</location_in_parent><location>0 0.3 0</location><reverse>" +
                                     reverse + "</reverse><CoordinateSet><objects>" +
                                     coordinate("angle") +
                                     "</objects></CoordinateSet></PinJoint></Joint>")),
                 30000),
            "reverse.osim");
    };
    const std::vector<double> q = {0.4};
    const std::vector<double> minus = {-0.4};
    const Placement a = KinematicTree(model("true")).place(q).bodies[0];
    const Placement b = KinematicTree(model("false")).place(minus).bodies[0];
    EXPECT_LT((a.position - b.position).norm() + (a.rotation - b.rotation).norm(), 1e-12);
}

TEST(OsimParts, Version106KeepsEverythingInItsEngine) {
    const std::string arm = body(
        "arm",
        "<Joint><CustomJoint "
        "name=\"pin\"><parent_body>ground</parent_body><CoordinateSet><objects>" +
            coordinate("angle") +
            "</objects></CoordinateSet><TransformAxisSet><objects><TransformAxis name=\"shift\">"
            "<function><Constant><value>0.3</value></Constant></function><axis>0 1 0</axis>"
            "<is_rotation>false</is_rotation></TransformAxis><TransformAxis "
            "name=\"turn\"><function>"
            "<natCubicSpline><x>-2 0 1 2</x><y>-2 0 1 2</y></natCubicSpline></function><coordinate>"
            "angle</coordinate><axis>0 0 1</axis><is_rotation>true</is_rotation></TransformAxis>"
            "</objects></TransformAxisSet></CustomJoint></Joint>");
    const std::string muscle =
        "<Thelen2003Muscle name=\"m\"><MusclePointSet><objects><MusclePoint name=\"a\"><location>0 "
        "1 "
        "0</location><body>ground</body></MusclePoint><MuscleViaPoint name=\"v\"><location>0.1 0.5 "
        "0"
        "</location><body>ground</body><range>0 1</range><coordinate>angle</coordinate>"
        "</MuscleViaPoint><MusclePoint name=\"b\"><location>0 -0.1 0</location><body>arm</body>"
        "</MusclePoint></objects></MusclePointSet><max_isometric_force>100</max_isometric_force>"
        "<optimal_fiber_length>0.1</optimal_fiber_length><tendon_slack_length>0.1"
        "</tendon_slack_length></Thelen2003Muscle>";
    const MusculoskeletalModel model = parse_osim(
        osim(set_of("ActuatorSet", muscle) + "<DynamicsEngine><SimbodyEngine>" +
                 set_of("BodySet", body("ground") + arm) + "</SimbodyEngine></DynamicsEngine>",
             10600),
        "old.osim");
    ASSERT_EQ(model.muscles.size(), 1U);
    EXPECT_EQ(model.muscles[0].points[1].condition, 0);
    const std::vector<double> q = {0.5};
    const Placement T = KinematicTree(model).place(q).bodies[0];
    EXPECT_NEAR(T.position.y(), 0.3, 1e-12);
    EXPECT_NEAR(T.rotation(1, 0), std::sin(0.5), 1e-9);
    const std::string sdfast =
        osim("<DynamicsEngine><SdfastEngine>" + set_of("BodySet", body("ground")) +
                 set_of("JointSet", "<SimmJoint><DofSet/></SimmJoint>") +
                 "</SdfastEngine></DynamicsEngine>",
             10500);
    try {
        parse_osim(sdfast, "older.osim");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find("1.5"), std::string::npos);
    }
}

TEST(OsimParts, Version30501JoinsBodiesByConnectors) {
    const std::string pin =
        "<PinJoint name=\"pin\"><connectors><Connector_Body_ name=\"parent_body\"><connectee_name>"
        "ground</connectee_name></Connector_Body_><Connector_Body_ name=\"child_body\">"
        "<connectee_name>arm</connectee_name></Connector_Body_></"
        "connectors><location_in_parent>0.1 "
        "0.2 0</location_in_parent><orientation_in_parent>0 0 0.1</orientation_in_parent>"
        "<location_in_child>0 0.3 0</location_in_child><CoordinateSet><objects>" +
        coordinate("angle") + "</objects></CoordinateSet></PinJoint>";
    const MusculoskeletalModel model = parse_osim(
        osim(set_of("BodySet", body("arm")) + set_of("JointSet", pin), 30501), "mid.osim");
    const std::vector<double> q = {0.4};
    const Placement T = KinematicTree(model).place(q).bodies[0];
    const Vec3 centre = T * Vec3(0.0, 0.3, 0.0);
    EXPECT_LT((centre - Vec3(0.1, 0.2, 0.0)).norm(), 1e-12);
    EXPECT_NEAR(T.rotation(1, 0), std::sin(0.5), 1e-12);
}

}  // namespace
}  // namespace sinew
