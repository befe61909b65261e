#include "sinew/base/error.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/usda.h"

#include <gtest/gtest.h>

#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

namespace {

std::size_t count_of(std::string_view text, std::string_view word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        ++count;
    }
    return count;
}

}  // namespace

TEST(Usda, PrimNamesAreAllowedAndUnique) {
    const std::vector<MeshPart> parts = {
        {.name = "rib 07.l", .mesh = {}}, {.name = "7up", .mesh = {}},
        {.name = "", .mesh = {}},         {.name = "rib_07_l", .mesh = {}},
        {.name = "rib_07_l", .mesh = {}}, {.name = "\xc3\xa9", .mesh = {}}};
    EXPECT_EQ(usd_prim_names(parts), (std::vector<std::string>{"rib_07_l", "part_7up", "part_",
                                                               "rib_07_l_2", "rib_07_l_3", "__"}));
}

TEST(Usda, MeshesSayUnitAxisColourAndName) {
    const support::TemporaryFolder folder;
    MeshPart muscle{.name = "biceps \"long\"",
                    .mesh = support::box({0, 0, 0}, {1, 2, 3}),
                    .kind = "muscle",
                    .colour = {0.5f, 0.25f, 0.125f, 0.5f}};
    MeshPart skin{.name = "skin", .mesh = support::sphere(0, 1.0)};
    skin.mesh.point_data = {
        {.name = "colour", .components = 4, .values = std::vector<double>(48, 0.75)}};
    write_surface(folder / "x.usda", std::vector{muscle, skin});
    const std::string text = read_file_bytes(folder / "x.usda");
    EXPECT_TRUE(text.starts_with("#usda 1.0\n"));
    EXPECT_NE(text.find("metersPerUnit = 1\n"), std::string::npos);
    EXPECT_NE(text.find("upAxis = \"Y\""), std::string::npos);
    EXPECT_EQ(count_of(text, "def Mesh"), 2u);
    EXPECT_NE(text.find("def Mesh \"biceps__long_\""), std::string::npos);
    EXPECT_NE(text.find("displayName = \"biceps \\\"long\\\"\""), std::string::npos);
    EXPECT_NE(text.find("displayColor = [(0.5, 0.25, 0.125)]"), std::string::npos);
    EXPECT_NE(text.find("displayOpacity = [0.5]"), std::string::npos);
    EXPECT_NE(text.find("extent = [(0, 0, 0), (1, 2, 3)]"), std::string::npos);
    EXPECT_EQ(count_of(text, "interpolation = \"vertex\""), 1u);
    EXPECT_EQ(count_of(text, "0.75, 0.75, 0.75"), 12u);
    EXPECT_EQ(count_of(text, "{"), count_of(text, "}"));
    EXPECT_EQ(count_of(text, "["), count_of(text, "]"));
    // 12 triangles: 12 counts and 36 indices, 8 points.
    const std::size_t counts = text.find("faceVertexCounts = [");
    EXPECT_EQ(count_of(text.substr(counts, text.find(']', counts) - counts), "3"), 12u);
    const std::size_t indices = text.find("faceVertexIndices = [");
    EXPECT_EQ(count_of(text.substr(indices, text.find(']', indices) - indices), ","), 35u);
}

TEST(Usda, PartsOfOneKindStandBelowOneGroup) {
    const std::vector<MeshPart> parts = {
        {.name = "skin", .mesh = support::sphere(0, 1.0), .kind = "skin"},
        {.name = "femur", .mesh = support::sphere(0, 1.0), .kind = "bone"},
        {.name = "bones", .mesh = support::sphere(0, 1.0), .kind = "bone"}};
    const std::string text = format_usda(parts);
    // The group's name is not that of a part.
    const std::size_t group = text.find("def Xform \"bones_\"");
    ASSERT_NE(group, std::string::npos);
    EXPECT_LT(text.find("def Mesh \"skin\""), group);
    EXPECT_GT(text.find("def Mesh \"femur\""), group);
    EXPECT_EQ(count_of(text, "def Xform"), 2u);
    EXPECT_EQ(count_of(text, "{"), count_of(text, "}"));
    const support::TemporaryFolder folder;
    UsdaFrameWriter writer(folder / "x.usda", parts, {0.0, 1.0});
    Points all(36, 3);
    all << parts[0].mesh.points, parts[1].mesh.points, parts[2].mesh.points;
    writer.add(all);
    writer.add(all);
    writer.commit();
    const std::string moving = read_file_bytes(folder / "x.usda");
    EXPECT_EQ(count_of(moving, "def Xform"), 2u);
    EXPECT_EQ(count_of(moving, "{"), count_of(moving, "}"));
}

TEST(Usda, PartsOfOneLookShareAMaterial) {
    MeshPart left{.name = "femur_l", .mesh = support::sphere(0, 1.0), .kind = "bone"};
    left.colour = {0.5f, 0.25f, 0.125f, 0.5f};
    MeshPart right = left;
    right.name = "femur_r";
    MeshPart muscle{.name = "Looks", .mesh = support::sphere(0, 1.0), .kind = "muscle"};
    muscle.mesh.point_data = {
        {.name = "colour", .components = 3, .values = std::vector<double>(36, 0.75)}};
    const std::string text = format_usda(std::vector{left, right, muscle});
    EXPECT_EQ(count_of(text, "def Material \""), 2u);
    // The scope's name is not that of a part.
    EXPECT_EQ(count_of(text, "rel material:binding = </World/Looks_/bone>"), 2u);
    EXPECT_EQ(count_of(text, "rel material:binding = </World/Looks_/muscle>"), 1u);
    EXPECT_NE(text.find("color3f inputs:diffuseColor = (0.5, 0.25, 0.125)\n"), std::string::npos);
    EXPECT_NE(text.find("float inputs:opacity = 0.5\n"), std::string::npos);
    EXPECT_NE(text.find("inputs:diffuseColor.connect = "
                        "</World/Looks_/muscle/colour.outputs:result>"),
              std::string::npos);
    EXPECT_EQ(count_of(text, "{"), count_of(text, "}"));
}

TEST(Usda, InvalidPartsAreRefused) {
    MeshPart part{.name = "x", .mesh = support::box({0, 0, 0}, {1, 1, 1})};
    part.mesh.triangles(0, 0) = 8;
    EXPECT_THROW(format_usda(std::vector{part}), InputError);
}

}  // namespace sinew
