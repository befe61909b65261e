#include "sinew/io/gltf.h"
#include "sinew/io/obj.h"
#include "sinew/io/usda.h"
#include "sinew/io/uv_seams.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/io/mesh_samples.h"
#include "tests/support/mutate.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

/// A box whose triangles lie side by side in the texture: every vertex is on a seam.
MeshPart box_in_pieces() {
    MeshPart part = support::part_of("skin", support::box({0, 0, 0}, {1, 2, 3}));
    part.kind = "skin";
    Attribute uv{.name = std::string(kCornerUv), .components = 6, .values = {}};
    for (Eigen::Index t = 0; t < part.mesh.triangles.rows(); ++t) {
        const double left = 0.0625 * static_cast<double>(t);
        uv.values.insert(uv.values.end(), {left, 0.25, left + 0.0625, 0.25, left, 0.5});
    }
    part.mesh.triangle_data.push_back(std::move(uv));
    return part;
}

// In the file a point on a seam stands once per pair of coordinates; read again the mesh is whole
// and its corners have theirs. Morphs, joints and weights go along.
TEST(UvSeams, TextureCoordinatesOfCornersComeBackFromGltf) {
    GltfScene scene;
    scene.nodes = {{.name = "root"}};
    scene.skins = {{.name = "rig", .joints = {0}, .inverse_bind = {Eigen::Matrix4d::Identity()}}};
    GltfPart part{.part = box_in_pieces()};
    const Eigen::Index count = part.part.mesh.points.rows();
    part.morphs = {{.name = "grown", .displacement = 0.5 * part.part.mesh.points, .weight = 0.25}};
    part.skin = 0;
    part.joints = Joints4::Zero(count, 4);
    part.weights = Weights4::Zero(count, 4);
    part.weights.col(0).setOnes();
    scene.parts = {part};
    const std::string bytes = glb_bytes(scene);
    const GltfScene back = parse_gltf(bytes, "x.glb");
    ASSERT_EQ(back.parts.size(), 1u);
    const TriangleMesh& mesh = back.parts[0].part.mesh;
    EXPECT_EQ(mesh.points, part.part.mesh.points);
    EXPECT_EQ(mesh.triangles, part.part.mesh.triangles);
    const Attribute* uv = find_attribute(mesh.triangle_data, kCornerUv);
    ASSERT_NE(uv, nullptr);
    EXPECT_EQ(uv->values, part.part.mesh.triangle_data[0].values);
    EXPECT_EQ(find_attribute(mesh.point_data, kCornerUv), nullptr);
    EXPECT_EQ(back.parts[0].morphs.at(0).displacement, part.morphs[0].displacement);
    EXPECT_EQ(back.parts[0].weights, part.weights);
    // What other programs see: 12 triangles of three points each, and images from the top.
    std::string without = bytes;
    without.replace(without.find("\"seams\""), 7, "\"beams\"");
    const GltfScene seen = parse_gltf(without, "x.glb");
    const TriangleMesh& apart = seen.parts[0].part.mesh;
    EXPECT_EQ(apart.points.rows(), 36);
    const Attribute* pairs = find_attribute(apart.point_data, "uv");
    ASSERT_NE(pairs, nullptr);
    for (Eigen::Index t = 0; t < 12; ++t) {
        for (Eigen::Index k = 0; k < 3; ++k) {
            const Index v = apart.triangles(t, k);
            EXPECT_EQ(apart.points.row(v), mesh.points.row(mesh.triangles(t, k)));
            EXPECT_EQ(pairs->values[at(2 * v)], uv->values[at(6 * t + 2 * k)]);
            EXPECT_EQ(1.0 - pairs->values[at(2 * v + 1)], uv->values[at(6 * t + 2 * k + 1)]);
        }
    }
    support::expect_damage_is_survived(
        bytes, [](std::string_view damaged) { parse_gltf(damaged, "x.glb"); });
}

TEST(UvSeams, ObjAndUsdaHaveThemPerCorner) {
    const std::vector<MeshPart> parts = {box_in_pieces(), box_in_pieces()};
    const std::string obj = format_obj(parts);
    std::vector<std::array<double, 2>> pairs;
    std::vector<double> corners;
    std::istringstream lines(obj);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "vt") {
            auto& pair = pairs.emplace_back();
            words >> pair[0] >> pair[1];
        }
        while (word == "f" && words >> word) {
            const std::size_t number = std::stoul(word.substr(word.find('/') + 1));
            corners.insert(corners.end(), pairs.at(number - 1).begin(), pairs.at(number - 1).end());
            word = "f";
        }
    }
    std::vector<double> expected = parts[0].mesh.triangle_data[0].values;
    expected.insert(expected.end(), expected.begin(), expected.end());
    EXPECT_EQ(corners, expected);
    EXPECT_EQ(parse_obj(obj, "x.obj")[1].mesh.points, parts[1].mesh.points);

    const support::TemporaryFolder folder;
    write_usda(folder / "x.usda", std::span(parts.data(), 1));
    std::ifstream file(folder / "x.usda");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_NE(text.find("texCoord2f[] primvars:st = [(0, 0.25), (0.0625, 0.25), (0, 0.5)"),
              std::string::npos);
    EXPECT_NE(text.find("interpolation = \"faceVarying\""), std::string::npos);
}

}  // namespace
}  // namespace sinew
