#include "sinew/base/error.h"
#include "sinew/io/byte_reader.h"
#include "sinew/io/stl.h"

#include <gtest/gtest.h>

#include "tests/io/mesh_samples.h"
#include "tests/support/mutate.h"

namespace sinew {

using support::input_error_of;
using support::part_of;

namespace {

Points corners_of(const TriangleMesh& mesh) {
    Points corners(3 * mesh.triangles.rows(), 3);
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            corners.row(3 * t + k) = mesh.points.row(mesh.triangles(t, k));
        }
    }
    return corners;
}

}  // namespace

TEST(Stl, TextKeepsEveryBitOfTheCornersAndTheParts) {
    TriangleMesh mesh = support::awkward_numbers();
    mesh.points(0, 0) = 0.0;
    const std::vector<MeshPart> parts = {part_of("left arm", mesh),
                                         part_of("box", support::box({0, 0, 0}, {1, 1, 1}))};
    const auto back = parse_stl(format_stl(parts, {.is_ascii = true}), "x.stl");
    ASSERT_EQ(back.size(), 2u);
    EXPECT_EQ(back[0].name, "left arm");
    for (std::size_t p = 0; p < 2; ++p) {
        support::expect_same_bits(corners_of(back[p].mesh), corners_of(parts[p].mesh));
        EXPECT_EQ(back[p].mesh.points.rows(), parts[p].mesh.points.rows());
    }
}

TEST(Stl, BinaryKeepsSinglePrecisionAndWeldsSharedCorners) {
    TriangleMesh ball = support::sphere(3, 1.0);
    ball.points = ball.points.cast<float>().cast<double>();
    const auto back = parse_stl(format_stl(std::vector{part_of("ball", ball)}), "ball.stl");
    ASSERT_EQ(back.size(), 1u);
    EXPECT_EQ(back[0].name, "ball");
    EXPECT_EQ(back[0].mesh.points.rows(), ball.points.rows());
    support::expect_same_bits(corners_of(back[0].mesh), corners_of(ball));
    // What was read once is stable.
    const auto again = parse_stl(format_stl(back), "ball.stl");
    support::expect_same_mesh(again[0].mesh, back[0].mesh);
}

TEST(Stl, TextOfOtherProgramsIsRead) {
    const auto parts = parse_stl(
        "SOLID\r\n  FACET NORMAL nan nan nan\r\n    OUTER LOOP\r\n      VERTEX 0 0 -0\r\n"
        "      VERTEX 1.0e+00 0 0\r\n      VERTEX 0 1 0\r\n    ENDLOOP\r\n  "
        "ENDFACET\r\nENDSOLID\r\n"
        "solid second one\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 "
        "0\n"
        "endloop\nendfacet\nendsolid second one\n",
        "a/thing.stl");
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].name, "thing");
    EXPECT_EQ(parts[1].name, "second one");
    EXPECT_EQ(parts[1].mesh.points.rows(), 2);
}

TEST(Stl, BinaryWhoseHeaderSaysSolidIsReadAsBinary) {
    std::string bytes = format_stl(std::vector{part_of("x", support::box({0, 0, 0}, {1, 1, 1}))});
    bytes.replace(0, 6, "solid ");
    EXPECT_EQ(parse_stl(bytes, "x.stl")[0].mesh.points.rows(), 8);
}

TEST(Stl, MistakesAreNamedWithTheirPlace) {
    std::string bytes = format_stl(std::vector{part_of("x", support::box({0, 0, 0}, {1, 1, 1}))});
    EXPECT_NE(
        input_error_of([&] { parse_stl(bytes.substr(0, 300), "x.stl"); }).find("12 triangles"),
        std::string::npos);
    std::string huge = bytes;
    huge.replace(80, 4, "\xff\xff\xff\xff");
    EXPECT_THROW(parse_stl(huge, "x.stl"), InputError);
    std::string with_nan = bytes;
    with_nan.replace(84 + 12, 4, std::string_view("\x00\x00\xc0\x7f", 4));
    EXPECT_NE(input_error_of([&] { parse_stl(with_nan, "x.stl"); }).find("triangle 0"),
              std::string::npos);
    const auto error = [](std::string_view text) {
        return input_error_of([&] { parse_stl(text, "arm.stl"); });
    };
    EXPECT_NE(error("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 inf 0\n").find("line 4"),
              std::string::npos);
    EXPECT_NE(error("solid\nendsolid\n").find("no triangles"), std::string::npos);
    EXPECT_NE(error("solid\n").find("end of the file"), std::string::npos);
    EXPECT_NE(error("").find("no triangles"), std::string::npos);
    EXPECT_NE(error("# OBJ\nv 0 0 0\n").find("'solid'"), std::string::npos);
}

TEST(Stl, CoordinatesBeyondSinglePrecisionAreNotWrittenInBinary) {
    EXPECT_THROW(format_stl(std::vector{part_of("x", support::awkward_numbers())}), InputError);
}

TEST(Stl, DamagedFilesAreReadOrRefused) {
    const std::vector<MeshPart> parts = {part_of("x", support::open_square(1)),
                                         part_of("y", support::open_square(1))};
    for (const bool is_ascii : {false, true}) {
        support::expect_damage_is_survived(
            format_stl(parts, {.is_ascii = is_ascii}), [](std::string_view bytes) {
                support::require_valid_parts(parse_stl(bytes, "x.stl"));
            });
    }
}

}  // namespace sinew
