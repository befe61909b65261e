#include "sinew/base/error.h"
#include "sinew/body/body_surfaces.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"
#include "sinew/mesh/validity.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <filesystem>
#include <numbers>

#include "tests/support/mutate.h"
#include "tests/support/shapes.h"
#include "tests/support/shared_data.h"
#include "tests/support/small_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

namespace {

constexpr double kSinglePrecision = 1e-7;

MeshPart coloured_sphere() {
    MeshPart part{.name = "biceps_brachii_long_head_l",
                  .mesh = support::sphere(1, 0.1, {0.2, 1.3, 0}),
                  .kind = "muscle",
                  .colour = {0.6f, 0.1f, 0.1f, 0.5f}};
    Attribute colour{.name = "colour", .components = 4, .values = {}};
    for (Eigen::Index i = 0; i < part.mesh.points.rows(); ++i) {
        const double x = static_cast<double>(i) / 64;
        colour.values.insert(colour.values.end(), {x, 1 - x, 0.25, 1});
    }
    part.mesh.point_data = {colour};
    return part;
}

/// A cylinder bent by two joints, with two morphs, a motion and a vertex animation beside it.
GltfScene full_scene() {
    GltfScene scene = scene_of(std::vector<MeshPart>{coloured_sphere()});
    GltfPart arm;
    arm.part = {.name = "arm", .mesh = support::cylinder(0.1, 1.0, 8, 6)};
    const Eigen::Index n = arm.part.mesh.points.rows();
    arm.morphs = {{.name = "swell", .displacement = 0.1 * arm.part.mesh.points, .weight = 0.5},
                  {.name = "shift", .displacement = Points::Ones(n, 3)}};
    scene.nodes = {
        {.name = "shoulder"},
        {.name = "elbow",
         .parent = 0,
         .translation = {0, 0.5, 0},
         .rotation = Eigen::Quaterniond(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()))}};
    GltfSkin skin{.name = "arm", .joints = {0, 1}};
    Eigen::Matrix4d elbow = Eigen::Matrix4d::Identity();
    elbow(1, 3) = -0.5;
    skin.inverse_bind = {Eigen::Matrix4d::Identity(), elbow};
    scene.skins = {skin};
    arm.skin = 0;
    arm.joints = Joints4::Zero(n, 4);
    arm.weights = Weights4::Zero(n, 4);
    for (Eigen::Index i = 0; i < n; ++i) {
        arm.joints(i, 1) = 1;
        const double w = std::clamp(arm.part.mesh.points(i, 1) * 2 - 0.5, 0.0, 1.0);
        arm.weights.row(i) << 1 - w, w, 0, 0;
    }
    scene.parts.push_back(arm);
    GltfTrack bend{.path = GltfPath::Rotation, .node = 1, .times = {0, 0.5, 1}};
    bend.values = {0, 0, 0, 1, 0, 0, 0.6, 0.8, 0, 0, 1, 0};
    scene.animations = {{.name = "bend", .tracks = {bend}}};
    const Points& rest = scene.parts[0].part.mesh.points;
    const std::vector<Points> frames = {rest, 1.1 * rest, rest};
    const std::vector<double> times = {0, 0.1, 0.2};
    add_vertex_animation(scene, 0, times, frames);
    add_motion(scene, support::small_motion());
    return scene;
}

/// A .gltf document with its buffer inside, written by hand: one triangle strip of four points.
std::string strip_document(std::string_view mode, std::string_view extra_node = "") {
    return fmt::format(
        R"({{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"mesh":0,"name":"strip"{}}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"mode":{}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3",
                       "min":[0,0,0],"max":[1,1,0]}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}}],
        "buffers":[{{"byteLength":48,"uri":"data:application/octet-stream;base64,{}"}}]}})",
        extra_node, mode,
        // (0,0,0) (1,0,0) (0,1,0) (1,1,0)
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAACAPwAAgD8AAAAA");
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

void parse_and_check(std::string_view bytes) {
    for (const MeshPart& part : rest_parts(parse_gltf(bytes, "x.glb"), "x.glb")) {
        require_valid(part.mesh, "part");
    }
}

}  // namespace

TEST(Gltf, PartsComeBackWithNamesKindsAndColours) {
    const support::TemporaryFolder folder;
    const std::vector<MeshPart> parts = {
        coloured_sphere(), {.name = "femur_r", .mesh = support::box({0, 0, 0}, {1, 2, 3})}};
    write_surface(folder / "x.glb", parts);
    const std::vector<MeshPart> back = read_surface(folder / "x.glb");
    ASSERT_EQ(back.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(back[i].name, parts[i].name);
        EXPECT_EQ(back[i].kind, parts[i].kind);
        EXPECT_EQ(back[i].colour, parts[i].colour);
        EXPECT_EQ(back[i].mesh.triangles, parts[i].mesh.triangles);
        EXPECT_LT((back[i].mesh.points - parts[i].mesh.points).cwiseAbs().maxCoeff(),
                  4 * kSinglePrecision);
    }
    ASSERT_EQ(back[0].mesh.point_data.size(), 1u);
    EXPECT_EQ(back[0].mesh.point_data[0].values, parts[0].mesh.point_data[0].values);
}

TEST(Gltf, PartsOfOneKindAreAGroupWithAMaterialOfThatName) {
    MeshPart biceps{.name = "biceps_l",
                    .mesh = support::box({0, 0, 0}, {1, 1, 1}),
                    .kind = "muscle",
                    .colour = colour_of_kind("muscle")};
    biceps.mesh.point_data = {
        {.name = "tendon", .components = 1, .values = {0, 0, 0, 0, 1, 1, 1, 1}}};
    MeshPart triceps = biceps;
    triceps.name = "triceps_l";
    const MeshPart skin{.name = "skin",
                        .mesh = support::box({0, 0, 0}, {2, 2, 2}),
                        .kind = "skin",
                        .colour = colour_of_kind("skin")};
    const std::vector<MeshPart> parts = {skin, biceps, triceps};
    const std::string bytes = glb_bytes(scene_of(parts));
    // The JSON chunk's length stands before it.
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 12, 4);
    const auto root = nlohmann::json::parse(bytes.substr(20, length));
    ASSERT_EQ(root["materials"].size(), 2u);
    EXPECT_EQ(root["materials"][0]["name"], "skin");
    EXPECT_EQ(root["materials"][1]["name"], "muscle");
    EXPECT_NE(root["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"],
              root["materials"][1]["pbrMetallicRoughness"]["baseColorFactor"]);
    const auto& roots = root["scenes"][0]["nodes"];
    ASSERT_EQ(roots.size(), 2u);
    EXPECT_EQ(root["nodes"][roots[0].get<std::size_t>()]["name"], "skin");
    const auto& group = root["nodes"][roots[1].get<std::size_t>()];
    EXPECT_EQ(group["name"], "muscles");
    EXPECT_EQ(group["children"].size(), 2u);
    // Belly and tendon differ in colour, and all parts come back.
    EXPECT_TRUE(root["meshes"][1]["primitives"][0]["attributes"].contains("COLOR_0"));
    const std::vector<MeshPart> back = rest_parts(parse_gltf(bytes, "x.glb"), "x.glb");
    ASSERT_EQ(back.size(), 3u);
    EXPECT_EQ(back[2].name, "triceps_l");
    EXPECT_EQ(back[2].kind, "muscle");
}

TEST(Gltf, PartsThatPlayShapesShareOneAnimation) {
    const std::vector<MeshPart> parts = {{.name = "a", .mesh = support::box({0, 0, 0}, {1, 1, 1})},
                                         {.name = "b", .mesh = support::box({0, 0, 0}, {1, 1, 1})}};
    GltfScene scene = scene_of(parts);
    const std::vector<double> times = {0.0, 1.0};
    for (Index p = 0; p < 2; ++p) {
        const Points rest = parts[0].mesh.points;
        add_vertex_animation(scene, p, times, {rest, 2.0 * rest});
    }
    const GltfScene back = parse_gltf(glb_bytes(scene), "x.glb");
    ASSERT_EQ(back.animations.size(), 1u);
    EXPECT_EQ(back.animations[0].tracks.size(), 2u);
}

TEST(Gltf, SkinsMorphsAndAnimationsComeBack) {
    const GltfScene scene = full_scene();
    const std::string bytes = glb_bytes(scene);
    EXPECT_EQ(bytes, glb_bytes(scene));
    const GltfScene back = parse_gltf(bytes, "x.glb");
    // Nodes: two joints and the motion's three, and one per part.
    ASSERT_EQ(back.nodes.size(), scene.nodes.size() + scene.parts.size());
    ASSERT_EQ(back.parts.size(), 2u);
    const auto arm = std::find_if(back.parts.begin(), back.parts.end(),
                                  [](const GltfPart& p) { return p.part.name == "arm"; });
    ASSERT_NE(arm, back.parts.end());
    const GltfPart& sent = scene.parts[1];
    ASSERT_EQ(arm->morphs.size(), 2u);
    EXPECT_EQ(arm->morphs[0].name, "swell");
    EXPECT_EQ(arm->morphs[0].weight, 0.5);
    EXPECT_LT((arm->morphs[0].displacement - sent.morphs[0].displacement).norm(), 1e-6);
    EXPECT_LT((arm->weights - sent.weights).cwiseAbs().maxCoeff(), kSinglePrecision);
    ASSERT_EQ(arm->skin, 0);
    EXPECT_LT((posed_points(back, *arm) - posed_points(scene, sent)).cwiseAbs().maxCoeff(), 1e-6);
    ASSERT_EQ(back.animations.size(), 3u);
    EXPECT_EQ(back.animations[0].name, "bend");
    EXPECT_EQ(back.nodes[static_cast<std::size_t>(back.animations[0].tracks[0].node)].name,
              "elbow");
    EXPECT_NEAR(back.animations[0].tracks[0].values[6], 0.6, kSinglePrecision);
    const GltfTrack& frames = back.animations[1].tracks[0];
    EXPECT_EQ(frames.path, GltfPath::MorphWeights);
    EXPECT_EQ(frames.values, (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

// The tip of the cylinder (0, 1, 0) hangs on the elbow at (0, 0.5, 0), turned by 90 degrees about
// Z: (0, 0.5, 0) above it goes to (-0.5, 0, 0).
TEST(Gltf, LinearBlendSkinningBendsTheArm) {
    GltfScene scene = full_scene();
    scene.parts[1].morphs[0].weight = 0.0;
    const Points posed = posed_points(scene, scene.parts[1]);
    const Points& rest = scene.parts[1].part.mesh.points;
    const Eigen::Index top = rest.rows() - 1;
    ASSERT_EQ(point(rest, top), Vec3(0, 1, 0));
    EXPECT_LT((point(posed, top) - Vec3(-0.5, 0.5, 0)).norm(), 1e-14);
    EXPECT_EQ(point(posed, top - 1), Vec3(0, 0, 0));
}

TEST(Gltf, JointsThatThrowPointsOutOfAllBoundsAreRefused) {
    GltfScene scene = full_scene();
    scene.nodes[0].scale = Vec3::Constant(1e200);
    scene.skins[0].inverse_bind[0] *= 1e200;
    try {
        rest_parts(scene, "far.glb");
        FAIL() << "points at infinity were accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("far.glb, part 'arm' at rest"), std::string::npos)
            << error.what();
    }
}

// The local rotations and shifts of the tracks rebuild the motion's world places.
TEST(Gltf, AMotionPlaysTheSamePoses) {
    const MotionClip clip = support::small_motion();
    GltfScene scene;
    EXPECT_EQ(add_motion(scene, clip), 0);
    for (const GltfTrack& track : scene.animations[0].tracks) {
        GltfNode& node = scene.nodes[static_cast<std::size_t>(track.node)];
        const double* v =
            track.values.data() + 2 * (track.path == GltfPath::Rotation ? 4 : 3);  // frame 2
        if (track.path == GltfPath::Rotation) {
            node.rotation = Eigen::Quaterniond(v[3], v[0], v[1], v[2]);
        } else {
            node.translation = Vec3(v[0], v[1], v[2]);
        }
    }
    const auto expected = forward_kinematics(clip, 2);
    const auto world = world_transforms(scene);
    for (std::size_t j = 0; j < expected.size(); ++j) {
        EXPECT_LT((world[j].matrix() - expected[j].matrix()).norm(), 1e-12);
    }
}

TEST(Gltf, StripsAndFansBecomeTriangles) {
    Triangles strip(2, 3), fan(2, 3);
    strip << 0, 1, 2, 1, 3, 2;
    fan << 1, 2, 0, 2, 3, 0;
    EXPECT_EQ(parse_gltf(strip_document("5"), "s").parts[0].part.mesh.triangles, strip);
    EXPECT_EQ(parse_gltf(strip_document("6"), "s").parts[0].part.mesh.triangles, fan);
    const GltfScene cloud = parse_gltf(strip_document("0"), "s");
    EXPECT_EQ(cloud.parts[0].part.mesh.points.rows(), 4);
    EXPECT_EQ(cloud.parts[0].part.mesh.triangles.rows(), 0);
    EXPECT_EQ(parse_gltf(strip_document("1"), "s").notes.size(), 1u);
    EXPECT_THROW(parse_gltf(strip_document("4"), "s"), InputError);  // 4 is no multiple of 3
    EXPECT_THROW(parse_gltf(strip_document("7"), "s"), InputError);
}

TEST(Gltf, NodesPlaceTheirMeshesAndMirrorsTurnTrianglesOver) {
    const GltfScene scene =
        parse_gltf(strip_document("5", R"(,"translation":[0,0,5],"scale":[-2,1,1])"), "s");
    const TriangleMesh& mesh = scene.parts[0].part.mesh;
    EXPECT_EQ(point(mesh.points, 1), Vec3(-2, 0, 5));
    EXPECT_EQ(mesh.triangles(0, 1), 2);
    const GltfScene by_matrix =
        parse_gltf(strip_document("5", R"(,"matrix":[0,1,0,0,-1,0,0,0,0,0,1,0,7,0,0,1])"), "s");
    EXPECT_LT((point(by_matrix.parts[0].part.mesh.points, 1) - Vec3(7, 1, 0)).norm(), 1e-14);
}

TEST(Gltf, SparseAccessorsReplaceSomeElements) {
    // Index 3 as one byte, and the value (9, 9, 9).
    const std::string text = replaced(
        replaced(
            strip_document("5"), R"("type":"VEC3",)",
            R"("type":"VEC3","sparse":{"count":1,"indices":{"bufferView":1,"componentType":5121},
                 "values":{"bufferView":2}},)"),
        R"("buffers":[)", R"("unused":[)");
    std::string data(13, '\0');
    data[0] = 3;
    const float nine = 9.0f;
    for (std::size_t k = 0; k < 3; ++k) {
        std::memcpy(data.data() + 1 + 4 * k, &nine, 4);
    }
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "a b.bin", std::string(48, '\0') + data);
    const std::string with_file =
        replaced(replaced(text, R"("byteLength":48}],)",
                          R"("byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":1},
                    {"buffer":0,"byteOffset":49,"byteLength":12}],
                    "buffers":[{"byteLength":61,"uri":"a%20b.bin"}],)"),
                 "unused", "extras");
    write_file_bytes(folder / "x.gltf", with_file);
    const GltfScene scene = read_gltf(folder / "x.gltf");
    EXPECT_EQ(point(scene.parts[0].part.mesh.points, 3), Vec3(9, 9, 9));
    EXPECT_EQ(point(scene.parts[0].part.mesh.points, 2), Vec3(0, 0, 0));
    // From memory there is no folder to look in.
    EXPECT_THROW(parse_gltf(with_file, "x"), InputError);
}

TEST(Gltf, BuffersOutsideTheFolderAreRefused) {
    const support::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "in");
    write_file_bytes(folder / "secret.bin", std::string(48, 'x'));
    std::filesystem::create_symlink(folder / "secret.bin", folder / "in" / "link.bin");
    const std::string document = strip_document("5");
    const std::size_t begin = document.find("data:");
    const std::size_t end = document.find('"', begin);
    const std::string absolute = folder / "secret.bin";
    const std::vector<std::string> outside = {"../secret.bin",     "a/../../secret.bin",
                                              "%2e%2e/secret.bin", "link.bin",
                                              "file:///etc/x",     absolute,
                                              "..\\\\secret.bin",  ""};
    for (const std::string& uri : outside) {
        std::string text = document;
        write_file_bytes(folder / "in" / "x.gltf", text.replace(begin, end - begin, uri));
        EXPECT_THROW(read_gltf(folder / "in" / "x.gltf"), InputError) << uri;
    }
}

namespace {

/// The strip with texture coordinates, a material, a texture of it and an image (the head of one).
std::string textured_document() {
    std::string text = replaced(strip_document("5"), R"("POSITION":0})",
                                R"("POSITION":0,"TEXCOORD_0":1},"material":0)");
    text = replaced(text, R"("max":[1,1,0]}],)",
                    R"("max":[1,1,0]},
        {"bufferView":0,"componentType":5126,"count":4,"type":"VEC2"}],)");
    return replaced(text, R"("asset")", R"("materials":[{"name":"cloth",
        "pbrMetallicRoughness":{"baseColorTexture":{"index":0}},"emissiveFactor":[0.5,0,0],
        "extensions":{"VENDOR_x":{},"KHR_materials_ior":{"ior":1.3}}}],
        "textures":[{"source":0,"sampler":0}],"samplers":[{"wrapS":33071}],
        "images":[{"uri":"data:image/png;base64,iVBORw0KGgo="}],
        "extensionsUsed":["VENDOR_x","KHR_materials_ior"],"asset")");
}

}  // namespace

TEST(Gltf, MaterialsImagesAndTextureCoordinatesComeBack) {
    const GltfScene scene = parse_gltf(textured_document(), "s");
    const GltfScene again = parse_gltf(glb_bytes(scene), "again");
    for (const GltfScene* s : {&scene, &again}) {
        EXPECT_EQ(s->parts.at(0).material, 0);
        const Attribute* uv = find_attribute(s->parts[0].part.mesh.point_data, "uv");
        ASSERT_NE(uv, nullptr);
        EXPECT_EQ(uv->values, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1}));
        EXPECT_EQ(s->looks.images, std::vector<std::string>{"\x89PNG\r\n\x1a\n"});
        const nlohmann::json looks = nlohmann::json::parse(s->looks.json);
        const nlohmann::json& cloth = looks["materials"][0];
        EXPECT_EQ(cloth["name"], "cloth");
        EXPECT_EQ(cloth["emissiveFactor"][0], 0.5);
        EXPECT_EQ(cloth["pbrMetallicRoughness"]["baseColorTexture"]["index"], 0);
        EXPECT_EQ(cloth["extensions"], nlohmann::json({{"KHR_materials_ior", {{"ior", 1.3}}}}));
        EXPECT_EQ(looks["extensionsUsed"], nlohmann::json({"KHR_materials_ior"}));
        EXPECT_EQ(looks["samplers"][0]["wrapS"], 33071);
    }
}

TEST(Gltf, ImagesThatAreNotThereAreLeftOutWithANote) {
    const std::string good = textured_document();
    for (const char* uri : {"gone.png", "../x.png", "data:image/png;base64,AAAA"}) {
        const GltfScene scene =
            parse_gltf(replaced(good, "data:image/png;base64,iVBORw0KGgo=", uri), "s");
        EXPECT_TRUE(scene.looks.images.empty());
        EXPECT_EQ(scene.notes.size(), 1u) << uri;
        EXPECT_EQ(parse_gltf(glb_bytes(scene), "again").parts.at(0).material, 0);
    }
    // Nor are textures that do not exist, which leave the colour.
    const GltfScene scene = parse_gltf(replaced(good, R"({"index":0})", R"({"index":1})"), "s");
    EXPECT_EQ(scene.parts.at(0).material, -1);
    EXPECT_EQ(scene.notes.size(), 1u);
}

TEST(Gltf, WrongDocumentsAreRefusedWithTheirPlace) {
    const std::string good = strip_document("5");
    EXPECT_NO_THROW(parse_gltf(good, "s"));
    const std::pair<const char*, const char*> changes[] = {
        {R"("version":"2.0")", R"("version":"1.0")"},
        {R"("count":4)", R"("count":5)"},
        {R"("count":4)", R"("count":-1)"},
        {R"("count":4)", R"("count":99999999999)"},
        {R"("count":4)", R"("count":"4")"},
        {R"("bufferView":0)", R"("bufferView":1)"},
        {R"("byteLength":48}])", R"("byteLength":49}])"},
        {R"("byteLength":48,)", R"("byteLength":49,)"},
        {R"("componentType":5126)", R"("componentType":5124)"},
        {R"("type":"VEC3")", R"("type":"VEC2")"},
        {R"("POSITION":0)", R"("POSITION":1)"},
        {R"("mesh":0)", R"("mesh":1)"},
        {R"("mesh":0)", R"("mesh":0,"children":[0])"},
        {R"("mesh":0)", R"("mesh":0,"children":[1])"},
        {R"("mesh":0)", R"("mesh":0,"rotation":[0,0,0,0])"},
        {R"("mesh":0)", R"("mesh":0,"scale":[1e308,1e308,1e308],"translation":[1e308,0,0])"},
        {R"("asset")", R"("extensionsRequired":["KHR_draco_mesh_compression"],"asset")"},
        {"AAAAAAAAAAAAAAAAAACAPw", "AAAAAAAAAAAAAAAAAADAfw"},  // NaN
        {"base64,A", "base64,*"},
    };
    for (const auto& [from, to] : changes) {
        const std::string message = support::input_error_of(
            [&, from = from, to = to] { parse_and_check(replaced(good, from, to)); });
        EXPECT_NE(message.find("x.glb"), std::string::npos) << from << " -> " << to;
    }
    // A small file that asks for much.
    std::string unbacked = replaced(good, R"("bufferView":0,)", "");
    EXPECT_NO_THROW(parse_gltf(unbacked, "s"));
    EXPECT_THROW(parse_gltf(replaced(unbacked, R"("count":4)", R"("count":19999999)"), "s"),
                 InputError);
}

TEST(Gltf, DeepNestingIsRefusedWithoutExhaustingTheStack) {
    const std::size_t depth = 200'000;
    const std::string nest = std::string(depth, '[') + std::string(depth, ']');
    const std::string good = strip_document("5");
    for (const std::string& to : {R"("mesh":0,"children":[)" + nest + "]", R"("mesh":)" + nest}) {
        EXPECT_THROW(parse_gltf(replaced(good, R"("mesh":0)", to), "s"), InputError);
    }
}

TEST(Gltf, MirroredPointsWithoutTrianglesAreRead) {
    const std::string mirrored =
        replaced(strip_document("0"), R"("mesh":0)", R"("mesh":0,"scale":[-1,1,1])");
    EXPECT_EQ(parse_gltf(mirrored, "s").parts.at(0).part.mesh.points.rows(), 4);
}

TEST(Gltf, DamageIsSurvived) {
    GltfScene scene = full_scene();
    scene.parts[0].part.mesh = support::sphere(0, 1.0);
    scene.parts[0].morphs.clear();
    scene.animations.pop_back();
    scene.animations.pop_back();
    support::expect_damage_is_survived(glb_bytes(scene), parse_and_check);
    support::expect_damage_is_survived(strip_document("5"), parse_and_check, 1000);
}

TEST(Gltf, UnreadableFilesAreRefused) {
    const support::TemporaryFolder folder;
    EXPECT_THROW(read_gltf(folder.path()), InputError);
    EXPECT_THROW(read_gltf(folder / "absent.glb"), InputError);
    write_file_bytes(folder / "sparse.glb", "glTF");
    std::filesystem::resize_file(folder / "sparse.glb", std::uintmax_t{5} << 30);
    EXPECT_THROW(read_gltf(folder / "sparse.glb"), InputError);
    write_file_bytes(folder / "empty.glb", "");
    EXPECT_THROW(read_gltf(folder / "empty.glb"), InputError);
}

TEST(Gltf, WhatCannotBeWrittenIsRefused) {
    GltfScene scene = full_scene();
    scene.parts[1].joints(0, 0) = 2;
    EXPECT_THROW(glb_bytes(scene), InputError);
    scene = full_scene();
    scene.animations[0].tracks[0].values.pop_back();
    EXPECT_THROW(glb_bytes(scene), InputError);
    scene = full_scene();
    scene.skins[0].joints[1] = 99;
    EXPECT_THROW(glb_bytes(scene), InputError);
    scene = full_scene();
    scene.parts[0].part.mesh.points(0, 0) = 1e300;
    EXPECT_THROW(glb_bytes(scene), InputError);
    EXPECT_NO_THROW(parse_gltf(glb_bytes({}), "empty"));
}

TEST(Gltf, AnAtlasPartKeepsItsShape) {
    SINEW_NEEDS_SHARED(path, "atlas/bones/femur_l.ply");
    const support::TemporaryFolder folder;
    const std::vector<MeshPart> femur = read_surface(path);
    write_surface(folder / "femur.glb", femur);
    const std::vector<MeshPart> back = read_surface(folder / "femur.glb");
    EXPECT_EQ(back[0].mesh.triangles, femur[0].mesh.triangles);
    EXPECT_EQ(back[0].mesh.points, femur[0].mesh.points);  // both are single precision
}

}  // namespace sinew
