#include "sinew/base/error.h"
#include "sinew/body/retarget.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/bind_pose.h"
#include "sinew/io/character_scene.h"
#include "sinew/io/fbx.h"
#include "sinew/io/fbx_points.h"
#include "sinew/io/joint_names_file.h"
#include "sinew/io/mesh_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/binary_fbx.h"
#include "tests/support/mutate.h"
#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

using support::FbxNode;

constexpr double kLean = 20.0;     // degrees, of the upper arm in the file's pose
constexpr double kBent = 50.0;     // degrees, of the elbow in the file's pose
constexpr double kBentAt1 = 90.0;  // after a second
constexpr std::int64_t kTick = 46186158000;

Eigen::Affine3d shifted(double x, double y, double z) {
    return Eigen::Affine3d(Eigen::Translation3d(x, y, z));
}
Eigen::Affine3d turned_z(double degrees) {
    return Eigen::Affine3d(Eigen::AngleAxisd(degrees * M_PI / 180.0, Vec3::UnitZ()));
}

// How a file counts.
struct Conventions {
    double unit = 1.0;  // cm
    bool is_z_up = false;
    bool is_faceted = false;  // packed points, a normal per corner of a face, two materials
};

// An arm along Y as animation programs write it: bones along their own X, which a pre-rotation
// turns up; saved in another pose than it was bound in; a tube on all three joints, a glove on the
// hand, and a watch that hangs on the forearm's node without a skin.
class ArmFile {
public:
    explicit ArmFile(const Conventions& conventions) : conventions_(conventions) {}
    std::string bytes();

private:
    FbxNode property(const char* name, const char* type, const Vec3& value) const {
        return FbxNode("P")
            .text(name)
            .text(type)
            .text("")
            .text("A")
            .number(value.x())
            .number(value.y())
            .number(value.z());
    }
    FbxNode setting(const char* name, int value) const {
        return FbxNode("P").text(name).text("int").text("Integer").text("").whole(value);
    }
    // Values of a column-major matrix with lengths in the file's unit.
    std::vector<double> matrix(Eigen::Affine3d T) const {
        T.translation() /= conventions_.unit;
        return {T.data(), T.data() + 16};
    }
    void connect(std::int64_t child, std::int64_t parent, const char* property = nullptr) {
        FbxNode c = FbxNode("C").text(property == nullptr ? "OO" : "OP").id(child).id(parent);
        connections_.children.push_back(property == nullptr ? std::move(c)
                                                            : std::move(c).text(property));
    }
    void add_model(std::int64_t id, std::int64_t parent, const std::string& name, const char* kind,
                   const Vec3& shift, double pre, double turn);
    void add_geometry(std::int64_t id, std::int64_t model, const TriangleMesh& mesh);
    void add_cluster(std::int64_t id, std::int64_t skin, std::int64_t joint,
                     const Eigen::Affine3d& bound, const Eigen::Affine3d& mesh,
                     const std::vector<std::int32_t>& held);
    void add_skin(std::int64_t id, std::int64_t geometry);
    void add_curve(std::int64_t id, std::int64_t model, const char* property, const char* axis,
                   std::vector<float> values, const Vec3& still);

    Conventions conventions_;
    Eigen::Affine3d axes_ = Eigen::Affine3d::Identity();
    FbxNode objects_{"Objects"};
    FbxNode connections_{"Connections"};
};

void ArmFile::add_model(std::int64_t id, std::int64_t parent, const std::string& name,
                        const char* kind, const Vec3& shift, double pre, double turn) {
    Vec3 place = shift / conventions_.unit;
    Vec3 before(0, 0, pre);
    if (parent == 0 && conventions_.is_z_up) {
        place = axes_ * place;
        // The format turns about X first, then Y, then Z.
        const Vec3 angles =
            (axes_.linear() * turned_z(pre).linear()).eulerAngles(2, 1, 0) * 180.0 / M_PI;
        before = Vec3(angles[2], angles[1], angles[0]);
    }
    objects_.children.push_back(
        FbxNode("Model")
            .id(id)
            .text(name + std::string("\0\1Model", 7))
            .text(kind)
            .with(FbxNode("Version").whole(232))
            .with(
                FbxNode("Properties70")
                    .with(
                        FbxNode("P").text("RotationActive").text("bool").text("").text("").whole(1))
                    .with(property("PreRotation", "Vector3D", before))
                    .with(property("Lcl Translation", "Lcl Translation", place))
                    .with(property("Lcl Rotation", "Lcl Rotation", Vec3(0, 0, turn)))
                    .with(property("Lcl Scaling", "Lcl Scaling", Vec3(1, 1, 1)))));
    connect(id, parent);
}

void ArmFile::add_geometry(std::int64_t id, std::int64_t model, const TriangleMesh& mesh) {
    const Points points = mesh.points / conventions_.unit;
    std::vector<std::int32_t> corners;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        corners.insert(corners.end(),
                       {mesh.triangles(t, 0), mesh.triangles(t, 1), -1 - mesh.triangles(t, 2)});
    }
    const std::vector<double> numbers(points.data(), points.data() + points.size());
    FbxNode geometry =
        FbxNode("Geometry")
            .id(id)
            .text(std::string("\0\1Geometry", 10))
            .text("Mesh")
            .with(conventions_.is_faceted ? FbxNode("Vertices").packed_numbers(numbers)
                                          : FbxNode("Vertices").numbers(numbers))
            .with(FbxNode("PolygonVertexIndex").wholes(corners));
    if (conventions_.is_faceted) {
        std::vector<double> normals;
        std::vector<std::int32_t> materials;
        for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
            const Vec3 a = mesh.points.row(mesh.triangles(t, 0)).transpose();
            const Vec3 b = mesh.points.row(mesh.triangles(t, 1)).transpose();
            const Vec3 c = mesh.points.row(mesh.triangles(t, 2)).transpose();
            const Vec3 n = (b - a).cross(c - a).normalized();
            for (int k = 0; k < 3; ++k) {
                normals.insert(normals.end(), {n.x(), n.y(), n.z()});
            }
            materials.push_back(static_cast<std::int32_t>(t % 2));
        }
        for (const FbxNode& layer : std::vector<FbxNode>{
                 FbxNode("LayerElementNormal")
                     .whole(0)
                     .with(FbxNode("MappingInformationType").text("ByPolygonVertex"))
                     .with(FbxNode("ReferenceInformationType").text("Direct"))
                     .with(FbxNode("Normals").numbers(normals)),
                 FbxNode("LayerElementMaterial")
                     .whole(0)
                     .with(FbxNode("MappingInformationType").text("ByPolygon"))
                     .with(FbxNode("ReferenceInformationType").text("IndexToDirect"))
                     .with(FbxNode("Materials").wholes(materials)),
                 FbxNode("Layer")
                     .whole(0)
                     .with(FbxNode("LayerElement")
                               .with(FbxNode("Type").text("LayerElementNormal"))
                               .with(FbxNode("TypedIndex").whole(0)))
                     .with(FbxNode("LayerElement")
                               .with(FbxNode("Type").text("LayerElementMaterial"))
                               .with(FbxNode("TypedIndex").whole(0)))}) {
            geometry.children.push_back(layer);
        }
    }
    objects_.children.push_back(std::move(geometry));
    connect(id, model);
    for (std::int64_t m = 0; conventions_.is_faceted && m < 2; ++m) {
        const std::int64_t material = 1000 + 2 * id + m;
        objects_.children.push_back(FbxNode("Material")
                                        .id(material)
                                        .text(std::string("paint\0\1Material", 15))
                                        .text("")
                                        .with(FbxNode("Version").whole(102)));
        connect(material, model);
    }
}

void ArmFile::add_skin(std::int64_t id, std::int64_t geometry) {
    objects_.children.push_back(FbxNode("Deformer")
                                    .id(id)
                                    .text(std::string("\0\1Deformer", 10))
                                    .text("Skin")
                                    .with(FbxNode("Version").whole(101)));
    connect(id, geometry);
}

void ArmFile::add_cluster(std::int64_t id, std::int64_t skin, std::int64_t joint,
                          const Eigen::Affine3d& bound, const Eigen::Affine3d& mesh,
                          const std::vector<std::int32_t>& held) {
    objects_.children.push_back(
        FbxNode("Deformer")
            .id(id)
            .text(std::string("\0\1SubDeformer", 13))
            .text("Cluster")
            .with(FbxNode("Indexes").wholes(held))
            .with(FbxNode("Weights").numbers(std::vector<double>(held.size(), 1.0)))
            .with(FbxNode("Transform").numbers(matrix(bound.inverse() * mesh)))
            .with(FbxNode("TransformLink").numbers(matrix(axes_ * bound))));
    connect(id, skin);
    connect(joint, id);
}

// From its first to its last value within a second, along one axis.
void ArmFile::add_curve(std::int64_t id, std::int64_t model, const char* property, const char* axis,
                        std::vector<float> values, const Vec3& still) {
    FbxNode rest("Properties70");
    for (const auto& [name, value] :
         {std::pair("d|X", still.x()), std::pair("d|Y", still.y()), std::pair("d|Z", still.z())}) {
        rest.children.push_back(
            FbxNode("P").text(name).text("Number").text("").text("A").number(value));
    }
    objects_.children.push_back(FbxNode("AnimationCurveNode")
                                    .id(id)
                                    .text(std::string("\0\1AnimCurveNode", 15))
                                    .text("")
                                    .with(std::move(rest)));
    objects_.children.push_back(FbxNode("AnimationCurve")
                                    .id(id + 1)
                                    .text(std::string("\0\1AnimCurve", 11))
                                    .text("")
                                    .with(FbxNode("Default").number(0.0))
                                    .with(FbxNode("KeyVer").whole(4008))
                                    .with(FbxNode("KeyTime").ids({0, kTick}))
                                    .with(FbxNode("KeyValueFloat").floats(values)));
    connect(id, 901);
    connect(id, model, property);
    connect(id + 1, id, axis);
}

std::string ArmFile::bytes() {
    if (conventions_.is_z_up) {
        axes_.linear() << 1, 0, 0, 0, 0, -1, 0, 1, 0;  // (x, y, z) -> (x, -z, y)
    }
    const double unit = conventions_.unit;
    add_model(1, 0, "skin", "Mesh", Vec3(0, 10, 0), 0.0, 0.0);
    add_model(2, 0, "glove", "Mesh", Vec3::Zero(), 0.0, 0.0);
    add_model(11, 0, "rig:UpperArm", "LimbNode", Vec3(0, 5, 0), 90.0, kLean);
    add_model(12, 11, "rig:ForeArm", "LimbNode", Vec3(25, 0, 0), 0.0, kBent);
    add_model(13, 12, "rig:Hand", "LimbNode", Vec3(25, 0, 0), 0.0, 0.0);
    add_model(3, 12, "watch", "Mesh", Vec3(10, 0, 0), 0.0, 0.0);

    TriangleMesh tube = support::cylinder(5.0, 60.0, 8, 12);
    tube.points.col(1).array() -= 10.0;
    add_geometry(101, 1, tube);
    const TriangleMesh glove = support::box({-6, 52, -6}, {6, 62, 6});
    add_geometry(102, 2, glove);
    add_geometry(103, 3, support::box({-1, -6, -1}, {1, 6, 1}));
    const std::vector<Eigen::Affine3d> bound = {shifted(0, 5, 0) * turned_z(90),
                                                shifted(0, 30, 0) * turned_z(90),
                                                shifted(0, 55, 0) * turned_z(90)};
    std::vector<std::vector<std::int32_t>> held(3);
    for (Eigen::Index i = 0; i < tube.points.rows(); ++i) {
        const double y = tube.points(i, 1) + 10.0;
        held[y > 54.0 ? 2 : y > 30.0 ? 1 : 0].push_back(static_cast<std::int32_t>(i));
    }
    add_skin(201, 101);
    for (std::int64_t j = 0; j < 3; ++j) {
        add_cluster(211 + j, 201, 11 + j, bound[static_cast<std::size_t>(j)], shifted(0, 10, 0),
                    held[static_cast<std::size_t>(j)]);
    }
    add_skin(202, 102);
    add_cluster(221, 202, 13, bound[2], shifted(0, 0, 0), {0, 1, 2, 3, 4, 5, 6, 7});

    objects_.children.push_back(FbxNode("AnimationStack")
                                    .id(900)
                                    .text(std::string("bend\0\1AnimStack", 15))
                                    .text("")
                                    .with(FbxNode("Version").whole(100)));
    objects_.children.push_back(FbxNode("AnimationLayer")
                                    .id(901)
                                    .text(std::string("base\0\1AnimLayer", 15))
                                    .text("")
                                    .with(FbxNode("Version").whole(100)));
    connect(901, 900);
    add_curve(910, 12, "Lcl Rotation", "d|Z",
              {static_cast<float>(kBent), static_cast<float>(kBentAt1)}, Vec3(0, 0, kBent));
    add_curve(920, 11, "Lcl Translation", "d|X", {0.0f, static_cast<float>(40.0 / unit)},
              axes_ * Vec3(0, 5.0 / unit, 0));

    const bool z = conventions_.is_z_up;
    FbxNode settings = FbxNode("GlobalSettings")
                           .with(FbxNode("Version").whole(1000))
                           .with(FbxNode("Properties70")
                                     .with(setting("UpAxis", z ? 2 : 1))
                                     .with(setting("UpAxisSign", 1))
                                     .with(setting("FrontAxis", z ? 1 : 2))
                                     .with(setting("FrontAxisSign", z ? -1 : 1))
                                     .with(setting("CoordAxis", 0))
                                     .with(setting("CoordAxisSign", 1))
                                     .with(FbxNode("P")
                                               .text("UnitScaleFactor")
                                               .text("double")
                                               .text("Number")
                                               .text("")
                                               .number(unit)));
    return support::binary_fbx({FbxNode("FBXHeaderExtension")
                                    .with(FbxNode("FBXHeaderVersion").whole(1003))
                                    .with(FbxNode("FBXVersion").whole(7400)),
                                std::move(settings), std::move(objects_), std::move(connections_)});
}

std::string listed(const CharacterSkeleton& skeleton) {
    std::string all;
    for (const CharacterJoint& joint : skeleton.joints) {
        all += fmt::format("{} <- {} at {:.3f} {:.3f} {:.3f}\n", joint.name, joint.parent,
                           joint.position.x(), joint.position.y(), joint.position.z());
    }
    return all;
}

const CharacterJoint* find(const CharacterSkeleton& skeleton, std::string_view name) {
    for (const CharacterJoint& joint : skeleton.joints) {
        if (joint.name == name) {
            return &joint;
        }
    }
    return nullptr;
}

// The arm as bound: straight along Y, in metres.
void expect_bound_arm(const std::vector<MeshPart>& parts, const CharacterSkeleton& skeleton) {
    ASSERT_EQ(parts.size(), 3u);
    for (const MeshPart& part : parts) {
        const Eigen::RowVector3d low = part.mesh.points.colwise().minCoeff();
        const Eigen::RowVector3d high = part.mesh.points.colwise().maxCoeff();
        const Eigen::RowVector3d sum = part.name == "skin"    ? Eigen::RowVector3d(0, 0.6, 0)
                                       : part.name == "glove" ? Eigen::RowVector3d(0, 1.14, 0)
                                                              : Eigen::RowVector3d(0, 0.8, 0);
        const Eigen::RowVector3d size = part.name == "skin"    ? Eigen::RowVector3d(.1, .6, .1)
                                        : part.name == "glove" ? Eigen::RowVector3d(.12, .1, .12)
                                                               : Eigen::RowVector3d(.12, .02, .02);
        EXPECT_LT((low + high - sum).norm(), 1e-5) << part.name << ": " << low << ", " << high;
        EXPECT_LT((high - low - size).norm(), 1e-5) << part.name << ": " << low << ", " << high;
    }
    const std::pair<const char*, double> joints[] = {
        {"rig:UpperArm", 0.05}, {"rig:ForeArm", 0.30}, {"rig:Hand", 0.55}};
    for (const auto& [name, y] : joints) {
        const CharacterJoint* joint = find(skeleton, name);
        ASSERT_NE(joint, nullptr) << name << "\n" << listed(skeleton);
        EXPECT_LT((joint->position - Vec3(0, y, 0)).norm(), 1e-5) << listed(skeleton);
    }
}

// Pre-rotations, units and axes come out as the same arm; nodes may stand in another pose than the
// one of the binding, as they do in files that are saved in the middle of an animation.
TEST(RiggedFiles, ABinaryFbxStandsAsItWasBoundInEveryUnitAndAxis) {
    const support::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "arm.fbx";
    for (const Conventions& conventions :
         {Conventions{}, Conventions{.unit = 2.54}, Conventions{.unit = 100.0},
          Conventions{.is_z_up = true}, Conventions{.unit = 100.0, .is_z_up = true}}) {
        SCOPED_TRACE(fmt::format("{} cm, Z up {}", conventions.unit, conventions.is_z_up));
        write_file_bytes(file, ArmFile(conventions).bytes());
        const GltfScene scene = read_fbx(file);
        const CharacterSkeleton skeleton = skeleton_of(scene, "arm.fbx");
        expect_bound_arm(read_surface(file, {.as_bound = true}), skeleton);

        const CharacterMotion motion =
            retarget(recording_of(scene, 0, "arm.fbx"), skeleton, known_joint_names()).motion;
        for (const double t : {0.0, 0.5, 1.0}) {
            const JointRotations now = sample(motion, motion.times.front() + t);
            const double bent = kBent + t * (kBentAt1 - kBent);
            EXPECT_LT(
                now.rotations[0].angularDistance(Eigen::Quaterniond(turned_z(kLean).linear())),
                1e-3)
                << t;
            EXPECT_LT(now.rotations[1].angularDistance(Eigen::Quaterniond(turned_z(bent).linear())),
                      1e-3)
                << t;
            EXPECT_LT((now.shift - Vec3(0.4 * t, 0, 0)).norm(), 1e-4) << t;
        }
    }
}

// Programs store one normal per corner and a material per face, which split points and meshes; a
// point cache fits the program's own mesh only by its own points.
TEST(RiggedFiles, AFacetedFbxOfTwoMaterialsKeepsItsPointsAndTheirOrder) {
    const support::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "arm.fbx";
    const std::string bytes = ArmFile({.is_faceted = true}).bytes();
    write_file_bytes(file, bytes);
    const GltfScene split = read_fbx(file);
    EXPECT_EQ(split.parts.size(), 6u);
    const GltfScene whole = read_fbx(file, FbxPoints::OfFile);
    ASSERT_EQ(whole.parts.size(), 3u);
    TriangleMesh tube = support::cylinder(5.0, 60.0, 8, 12);
    EXPECT_GT(split.parts[0].part.mesh.points.rows(), tube.points.rows());
    for (const MeshPart& part : read_surface(file, {.as_bound = true})) {
        if (part.name == "skin") {
            ASSERT_EQ(part.mesh.points.rows(), tube.points.rows());
            EXPECT_LT((part.mesh.points - 0.01 * tube.points).norm(), 1e-5);
            EXPECT_EQ(part.mesh.triangles.rows(), tube.triangles.rows());
        }
    }
    expect_bound_arm(read_surface(file, {.as_bound = true}), skeleton_of(whole, "arm.fbx"));
    // The same weights in both.
    for (const GltfPart& part : whole.parts) {
        if (part.skin >= 0) {
            EXPECT_LT((part.weights.rowwise().sum().array() - 1.0).abs().maxCoeff(), 1e-6);
            EXPECT_EQ(part.joints.rows(), part.part.mesh.points.rows());
        }
    }
    for (int i = 0; i < 300; ++i) {
        Random random(Seed{8}, static_cast<std::uint64_t>(i));
        for (const Points& points : fbx_geometry_points(support::mutated(bytes, random))) {
            EXPECT_TRUE(points.allFinite());
        }
    }
    EXPECT_TRUE(fbx_geometry_points(bytes.substr(0, 20)).empty());
    EXPECT_TRUE(fbx_geometry_points("; FBX 7.4.0 project file").empty());
}

// Damaged weights and places are refused by the name of the file, or do no harm.
TEST(RiggedFiles, DamagedNumbersOfAnFbxNameTheFile) {
    const support::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "arm.fbx";
    const std::string good = ArmFile({}).bytes();
    const auto set_first = [&](const char* list, double value) {
        std::string bytes = good;
        // Behind the name: a letter, the count, the packing and the length.
        const std::size_t place = bytes.find(list) + std::string_view(list).size() + 13;
        std::memcpy(bytes.data() + place, &value, sizeof(value));
        write_file_bytes(file, bytes);
    };
    for (const double weight : {std::nan(""), -1.0, 1e300, 1e30}) {
        set_first("Weights", weight);
        expect_bound_arm(read_surface(file, {.as_bound = true}),
                         skeleton_of(read_fbx(file), "arm.fbx"));
    }
    set_first("Vertices", std::nan(""));
    try {
        read_surface(file, {.as_bound = true});
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(error.parts().where.find("arm.fbx"), std::string::npos) << error.what();
    }
}

// The same scene as .glb, and what other tools show of it: the pose of its nodes.
TEST(RiggedFiles, AGlbStandsAsItWasBoundWhereItsNodesArePosed) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder.path() / "arm.fbx", ArmFile({}).bytes());
    const GltfScene scene = read_fbx(folder.path() / "arm.fbx");
    const std::filesystem::path file = folder.path() / "arm.glb";
    write_glb(file, scene);
    expect_bound_arm(read_surface(file, {.as_bound = true}),
                     skeleton_of(read_gltf(file), "arm.glb"));
    const std::vector<MeshPart> shown = read_surface(file);
    // The hand, 25 cm beyond an elbow 25 cm beyond the shoulder, both bent.
    const double lean = (90.0 + kLean) * M_PI / 180.0;
    const double bent = lean + kBent * M_PI / 180.0;
    const Vec3 hand = Vec3(0, 0.05, 0) + 0.25 * Vec3(std::cos(lean), std::sin(lean), 0) +
                      0.25 * Vec3(std::cos(bent), std::sin(bent), 0);
    for (const MeshPart& part : shown) {
        if (part.name == "glove") {
            const Vec3 middle = part.mesh.points.colwise().mean().transpose();
            EXPECT_NEAR((middle - hand).norm(), 0.02, 1e-5);
        }
    }
}

// A leg as rigs of animation programs have it: a root on the floor that holds nothing, hips that
// sink against it, and a pole in front of the knee.
GltfScene rigged_leg() {
    GltfScene scene;
    scene.nodes = {{.name = "rig"},
                   {.name = "root", .parent = 0},
                   {.name = "hips", .parent = 1, .translation = Vec3(0, 1, 0)},
                   {.name = "shin", .parent = 2, .translation = Vec3(0, -0.5, 0)},
                   {.name = "toe_tip", .parent = 3, .translation = Vec3(0, -0.45, 0)},
                   {.name = "pole", .parent = 1, .translation = Vec3(0, 0.5, 1)}};
    GltfSkin skin{.name = "leg", .joints = {1, 2, 3, 4, 5}};
    for (const Vec3& place :
         {Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(0, 0.5, 0), Vec3(0, 0.05, 0), Vec3(0, 0.5, 1)}) {
        skin.inverse_bind.push_back(Eigen::Affine3d(Eigen::Translation3d(Vec3(-place))).matrix());
    }
    scene.skins = {skin};
    GltfPart part;
    part.part.name = "leg";
    part.part.mesh = support::cylinder(0.08, 1.0, 8, 20);
    part.skin = 0;
    const Eigen::Index n = part.part.mesh.points.rows();
    part.joints = Joints4::Zero(n, 4);
    part.weights = Weights4::Zero(n, 4);
    part.weights.col(0).setOnes();
    for (Eigen::Index i = 0; i < n; ++i) {
        part.joints(i, 0) = part.part.mesh.points(i, 1) > 0.5 ? 1 : 2;
    }
    scene.parts = {part};
    GltfTrack morph{.path = GltfPath::MorphWeights, .part = 0, .times = {0.0}, .values = {}};
    GltfTrack sink{.path = GltfPath::Translation,
                   .node = 2,
                   .times = {0.0, 1.0},
                   .values = {0, 1, 0, 0, 0.7, 0.1}};
    GltfTrack nod{.path = GltfPath::Rotation, .node = 3, .times = {0.0}, .values = {0, 0, 0, 1}};
    scene.animations = {{.name = "smile", .tracks = {morph}},
                        {.name = "Rig|Nod", .tracks = {nod}},
                        {.name = "Rig|Sink", .tracks = {sink}}};
    return scene;
}

CharacterMotion played(const GltfScene& scene, std::size_t animation,
                       const CharacterSkeleton& skeleton) {
    return retarget(recording_of(scene, animation, "leg.glb"), skeleton, known_joint_names())
        .motion;
}

TEST(RiggedFiles, JointsThatHoldNothingAreLeftOutAndHipsCarryTheCharacter) {
    const GltfScene scene = rigged_leg();
    const CharacterSkeleton skeleton = skeleton_of(scene, "leg.glb");
    ASSERT_EQ(skeleton.size(), 3u) << listed(skeleton);
    EXPECT_EQ(skeleton.joints[0].name, "hips");
    EXPECT_EQ(skeleton.joints[2].name, "toe_tip");
    const std::size_t sink = find_animation(scene, "Sink", "leg.glb");
    EXPECT_LT((sample(played(scene, sink, skeleton), 1.0).shift - Vec3(0, -0.3, 0.1)).norm(), 1e-6);
    // The same for a skeleton that has the root: its hips are where the file has them.
    CharacterSkeleton with_root = skeleton;
    for (CharacterJoint& joint : with_root.joints) {
        ++joint.parent;
    }
    with_root.joints.insert(with_root.joints.begin(), {.name = "root"});
    const CharacterPose pose = pose_of(with_root, sample(played(scene, sink, with_root), 1.0));
    EXPECT_LT((pose[1] * with_root.joints[1].position - Vec3(0, 0.7, 0.1)).norm(), 1e-6);
    // Without weights all joints may hold something.
    GltfScene plain = scene;
    plain.parts[0].joints.setZero();
    EXPECT_EQ(skeleton_of(plain, "leg.glb").size(), 5u);
}

TEST(RiggedFiles, AnimationsAreChosenByNameAndMustMoveJoints) {
    GltfScene scene = rigged_leg();
    EXPECT_EQ(find_animation(scene, "", "leg.glb"), 1u);
    EXPECT_EQ(find_animation(scene, "Sink", "leg.glb"), 2u);
    EXPECT_EQ(find_animation(scene, "Rig|Sink", "leg.glb"), 2u);
    const std::string other =
        support::input_error_of([&] { find_animation(scene, "Jump", "leg.glb"); });
    EXPECT_NE(other.find("'Rig|Nod', 'Rig|Sink'"), std::string::npos) << other;
    scene.animations.resize(1);
    const std::string none = support::input_error_of([&] { find_animation(scene, "", "leg.glb"); });
    EXPECT_NE(none.find("no animation of joints"), std::string::npos) << none;
}

}  // namespace
}  // namespace sinew
