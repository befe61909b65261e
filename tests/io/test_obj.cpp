#include "sinew/base/error.h"
#include "sinew/io/obj.h"

#include <gtest/gtest.h>

#include "tests/io/mesh_samples.h"
#include "tests/support/mutate.h"

namespace sinew {

using support::input_error_of;
using support::part_of;

TEST(Obj, PartsComeBackBitByBit) {
    const std::vector<MeshPart> parts = {part_of("sphere", support::awkward_numbers()),
                                         part_of("open square", support::open_square(3)),
                                         part_of("box", support::box({0, 0, 0}, {1, 2, 3}))};
    const std::vector<MeshPart> back = parse_obj(format_obj(parts), "x.obj");
    ASSERT_EQ(back.size(), 3u);
    for (std::size_t p = 0; p < 3; ++p) {
        EXPECT_EQ(back[p].name, parts[p].name);
        support::expect_same_mesh(back[p].mesh, parts[p].mesh);
    }
}

TEST(Obj, PartsOfOneNameStayApart) {
    const MeshPart box = part_of("box", support::box({0, 0, 0}, {1, 1, 1}));
    const std::vector<MeshPart> parts = {box, box, part_of("box_2", box.mesh),
                                         part_of("", box.mesh)};
    const std::vector<MeshPart> back = parse_obj(format_obj(parts), "x.obj");
    ASSERT_EQ(back.size(), 4u);
    EXPECT_EQ(back[1].name, "box_2");
    EXPECT_EQ(back[2].name, "box_2_2");
    EXPECT_EQ(back[3].name, "part");
}

TEST(Obj, UnusedVerticesComeBack) {
    MeshPart cloud = part_of("cloud", support::sphere(0, 1.0));
    cloud.mesh.triangles.resize(0, 3);
    MeshPart loose = part_of("loose", support::box({0, 0, 0}, {1, 1, 1}));
    loose.mesh.triangles.conservativeResize(2, 3);
    const std::vector<MeshPart> back = parse_obj(format_obj(std::vector{cloud, loose}), "x.obj");
    ASSERT_EQ(back.size(), 2u);
    support::expect_same_mesh(back[0].mesh, cloud.mesh);
    support::expect_same_mesh(back[1].mesh, loose.mesh);
}

TEST(Obj, ColoursComeBackAndOtherPartsStayWithout) {
    const std::vector<MeshPart> parts = {
        part_of("a", support::with_data(support::sphere(1, 1.0), "colour", 3)),
        part_of("b", support::sphere(1, 1.0))};
    const std::vector<MeshPart> back = parse_obj(format_obj(parts), "x.obj");
    ASSERT_EQ(back.size(), 2u);
    support::expect_same_data(back[0].mesh.point_data, parts[0].mesh.point_data);
    EXPECT_TRUE(back[1].mesh.point_data.empty());
}

TEST(Obj, ByteColoursAreScaledToOneAndMissingOnesAreWhite) {
    const auto parts = parse_obj("v 0 0 0 255 0 51\nv 1 0 0\nv 0 1 0 0 0 0\nf 1 2 3\n", "x.obj");
    const Attribute* colour = find_attribute(parts[0].mesh.point_data, "colour");
    ASSERT_NE(colour, nullptr);
    EXPECT_EQ(colour->values, (std::vector<double>{1, 0, 0.2, 1, 1, 1, 0, 0, 0}));
}

TEST(Obj, EveryDialectOfFacesIsRead) {
    const auto parts = parse_obj(
        "# comment\r\nmtllib a.mtl\r\nv 0 0 0\r\nv +1 0 0 1.0\r\nv 1 1e0 0\r\nv 0 1.0E+00 -0e5\r\n"
        "vt 0 0\r\nvn 0 0 1\r\ns off\r\nusemtl m\r\n"
        "f 1 2 3\r\nf 1/1 3/1 4/1\r\nf 1/1/1 2/1/1 3/1/1\r\nf 1//1 3//1 4//1\r\nf -4 -3 "
        "\\\r\n-2\r\n"
        "f 1 2 3 # comment\nv 2 2 2# no blank\nl 1 2\np 1",
        "folder/quad.obj");
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].name, "quad");
    Triangles expected(6, 3);
    expected << 0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 1, 2;
    EXPECT_EQ(parts[0].mesh.triangles, expected);
    EXPECT_EQ(parts[0].mesh.points(3, 1), 1.0);
}

TEST(Obj, GroupsArePartsOnlyWithoutObjectsAndPiecesOfOneNameAreJoined) {
    const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    const auto groups =
        parse_obj(vertices + "g left\nf 1 2 3\ng right\nf 1 2 4\ng left\nf 2 3 4\n", "x.obj");
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].name, "left");
    EXPECT_EQ(groups[0].mesh.triangles.rows(), 2);
    EXPECT_EQ(groups[0].mesh.points.rows(), 4);
    EXPECT_EQ(groups[1].name, "right");
    EXPECT_EQ(groups[1].mesh.points.rows(), 3);

    const auto objects = parse_obj(
        vertices + "o arm\ng left\nf 1 2 3\ng right\nf 1 2 4\no leg\ng left\nf 2 3 4\n", "x.obj");
    ASSERT_EQ(objects.size(), 2u);
    EXPECT_EQ(objects[0].name, "arm");
    EXPECT_EQ(objects[0].mesh.triangles.rows(), 2);
    EXPECT_EQ(objects[1].name, "leg");
}

TEST(Obj, AMarkOfTheEncodingAndOldLineEndsAreNoObstacle) {
    const auto parts = parse_obj("\xef\xbb\xbfv 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", "x.obj");
    EXPECT_EQ(parts[0].mesh.triangles.rows(), 1);
}

TEST(Obj, FacesMayComeAheadOfTheirVertices) {
    const auto parts = parse_obj("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", "x.obj");
    EXPECT_EQ(parts[0].mesh.triangles.rows(), 1);
}

TEST(Obj, MistakesAreNamedWithTheirLine) {
    const auto error = [](std::string_view text) {
        return input_error_of([&] { parse_obj(text, "arm.obj"); });
    };
    EXPECT_NE(error("v 0 0 0\nv 0 nan 0\n").find("arm.obj, line 2"), std::string::npos);
    EXPECT_NE(error("v 0 0 0\nv 0 inf 0\n").find("line 2"), std::string::npos);
    EXPECT_NE(error("v 0 0 1e999\n").find("'1e999'"), std::string::npos);
    EXPECT_NE(error("v 0 0 0\nv 0 0\n").find("line 2"), std::string::npos);
    EXPECT_NE(error("v 0 0 0\nf 1 1 2\n\n").find("line 2: vertex 2 of 1"), std::string::npos);
    EXPECT_NE(error("v 0 0 0\nf 1 1 0\n").find("line 2"), std::string::npos);
    EXPECT_NE(error("v 0 0 0\nf 1 1 -2\n").find("line 2"), std::string::npos);
    EXPECT_NE(error("v 0 0 0\nf 1 1 99999999999999999999\n").find("line 2"), std::string::npos);
    EXPECT_NE(error("v 0 0 0\nf 1 1\n").find("2 corners"), std::string::npos);
    EXPECT_NE(error("v 0 0 0\nf 1 1 1x\n").find("'1x'"), std::string::npos);
    EXPECT_NE(error("<html>\n").find("'<html>'"), std::string::npos);
    EXPECT_NE(error("# nothing\n").find("no vertices"), std::string::npos);
    EXPECT_NE(error("").find("no vertices"), std::string::npos);
}

TEST(Obj, NumbersTooSmallForADoubleAreZero) {
    EXPECT_EQ(parse_obj("v 1e-400 0 0\n", "x.obj")[0].mesh.points(0, 0), 0.0);
}

TEST(Obj, DamagedFilesAreReadOrRefused) {
    std::string sample = format_obj(std::vector{
        part_of("a", support::with_data(support::box({0, 0, 0}, {1, 1, 1}), "colour", 3)),
        part_of("b", support::open_square(1))});
    sample += "g c\nf 1/1/1 2/2/2 -1 \\\n4\n";
    support::expect_damage_is_survived(sample, [](std::string_view bytes) {
        support::require_valid_parts(parse_obj(bytes, "x.obj"));
    });
}

TEST(Obj, PartsThatAreNotValidAreNotWritten) {
    MeshPart part = part_of("a", support::box({0, 0, 0}, {1, 1, 1}));
    part.mesh.triangles(0, 0) = 8;
    EXPECT_THROW(format_obj(std::vector{part}), InputError);
    EXPECT_THROW(format_obj({}), InputError);
}

}  // namespace sinew
