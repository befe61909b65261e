#include "sinew/base/error.h"
#include "sinew/io/off.h"

#include <gtest/gtest.h>

#include "tests/io/mesh_samples.h"
#include "tests/support/mutate.h"

namespace sinew {

using support::input_error_of;
using support::part_of;

TEST(Off, MeshAndColoursComeBackBitByBit) {
    const TriangleMesh plain = support::awkward_numbers();
    support::expect_same_mesh(
        parse_off(format_off(std::vector{part_of("x", plain)}), "x.off")[0].mesh, plain);
    for (const int components : {3, 4}) {
        const TriangleMesh coloured = support::with_data(plain, "colour", components);
        const std::string text = format_off(std::vector{part_of("x", coloured)});
        EXPECT_TRUE(text.starts_with("COFF"));
        const auto back = parse_off(text, "x.off");
        support::expect_same_mesh(back[0].mesh, coloured);
        support::expect_same_data(back[0].mesh.point_data, coloured.point_data);
    }
}

TEST(Off, EveryVariantIsRead) {
    const std::string_view faces = "3 0 1 2 255 0 0\n4 0 1 2 3\n";
    const auto triangles = [&](std::string_view head, std::string_view extra) {
        std::string text(head);
        for (const std::string_view p : {"0 0 0", "1 0 0", "1 1 0", "0 1 0"}) {
            text += fmt::format("{}{}\n", p, extra);
        }
        const auto parts = parse_off(text + std::string(faces), "x.off");
        EXPECT_EQ(parts[0].mesh.triangles.rows(), 3) << head;
        return parts[0].mesh;
    };
    triangles("OFF\n4 2 5\n", "");
    triangles("OFF 4 2 5\n", "");
    triangles("OFF4 2 5\n", "");
    triangles("4 2 5\n", "");
    triangles("# comment\nOFF # comment\n\n4 2\n", " # point");
    EXPECT_EQ(triangles("COFF\r\n4 2 5\r\n", " 255 0 51 255").point_data[0].values[2], 0.2);
    EXPECT_EQ(triangles("COFF\n4 2 5\n", " 1.0 0 0.5").point_data[0].values[2], 0.5);
    EXPECT_EQ(triangles("OFF\n4 2 5\n", " 255 0 51").point_data[0].values[2], 0.2);
    EXPECT_EQ(triangles("NOFF\n4 2 5\n", " 0 0 1").point_data[0].name, "normal");
    const TriangleMesh both = triangles("CNOFF\n4 2 5\n", " 0 0 1 0.5 0.5 0.5");
    EXPECT_EQ(both.point_data.size(), 2u);
    EXPECT_TRUE(triangles("STOFF\n4 2 5\n", " 0.1 0.2").point_data.empty());
}

TEST(Off, MistakesAreNamedWithTheirLine) {
    const auto error = [](std::string_view text) {
        return input_error_of([&] { parse_off(text, "arm.off"); });
    };
    EXPECT_NE(error("OFF\n3 1 0\n0 0 0\n1 nan 0\n").find("arm.off, line 4"), std::string::npos);
    EXPECT_NE(error("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n").find("line 6: vertex 3 of 3"),
              std::string::npos);
    EXPECT_NE(error("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n").find("vertex -1"),
              std::string::npos);
    EXPECT_NE(error("OFF\n1 1 0\n0 0 0\n2 0 0\n").find("2 corners"), std::string::npos);
    EXPECT_NE(error("OFF\n1000000000000 1 0\n0 0 0\n").find("1000000000000"), std::string::npos);
    EXPECT_NE(error("OFF\n1 1000000000000 0\n0 0 0\n").find("1000000000000"), std::string::npos);
    EXPECT_NE(error("4OFF\n1 0 0\n0 0 0 0\n").find("'4OFF'"), std::string::npos);
    EXPECT_NE(error("OFF BINARY\n").find("binary"), std::string::npos);
    EXPECT_NE(error("hello").find("'hello'"), std::string::npos);
    EXPECT_THROW(parse_off("", "x.off"), InputError);
}

TEST(Off, DamagedFilesAreReadOrRefused) {
    const MeshPart part = part_of("x", support::with_data(support::open_square(2), "colour", 3));
    support::expect_damage_is_survived(format_off(std::vector{part}), [](std::string_view bytes) {
        support::require_valid_parts(parse_off(bytes, "x.off"));
    });
}

}  // namespace sinew
