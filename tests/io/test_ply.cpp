#include "sinew/base/error.h"
#include "sinew/io/ply.h"

#include <gtest/gtest.h>

#include "tests/io/mesh_samples.h"
#include "tests/support/mutate.h"

namespace sinew {

using support::input_error_of;
using support::part_of;

namespace {

constexpr PlyEncoding kEncodings[] = {PlyEncoding::LittleEndian, PlyEncoding::BigEndian,
                                      PlyEncoding::Ascii};

MeshPart part_with_all_data() {
    TriangleMesh mesh = support::awkward_numbers();
    mesh = support::with_data(mesh, "normal", 3);
    mesh = support::with_data(mesh, "thickness", 1);
    mesh = support::with_data(mesh, "stress", 6);
    mesh = support::with_data(mesh, "colour", 4);
    Attribute label{.name = "label", .components = 1, .values = {}};
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        label.values.push_back(static_cast<double>(t));
    }
    mesh.triangle_data.push_back(label);
    return part_of("x", mesh);
}

const Attribute& data(const TriangleMesh& mesh, std::string_view name) {
    const Attribute* a = find_attribute(mesh.point_data, name);
    static const Attribute kNone;
    EXPECT_NE(a, nullptr) << name;
    return a == nullptr ? kNone : *a;
}

std::string ascii_file(std::string_view header, std::string_view body) {
    return fmt::format("ply\nformat ascii 1.0\n{}end_header\n{}", header, body);
}

constexpr std::string_view kXyz = "property float x\nproperty float y\nproperty float z\n";

}  // namespace

TEST(Ply, MeshAndDataComeBackBitByBitInEveryEncoding) {
    const MeshPart part = part_with_all_data();
    for (const PlyEncoding encoding : kEncodings) {
        const std::string bytes = format_ply(std::vector{part}, {.encoding = encoding});
        const auto back = parse_ply(bytes, "x.ply");
        ASSERT_EQ(back.size(), 1u);
        support::expect_same_mesh(back[0].mesh, part.mesh);
        for (const Attribute& a : part.mesh.point_data) {
            EXPECT_EQ(data(back[0].mesh, a.name).values, a.values) << a.name;
        }
        support::expect_same_data(back[0].mesh.triangle_data, part.mesh.triangle_data);
    }
}

TEST(Ply, WholeByteColoursAreWrittenAsBytes) {
    MeshPart part = part_of("x", support::open_square(1));
    part.mesh.point_data.push_back({.name = "colour",
                                    .components = 3,
                                    .values = {0, 1, 0.2, 0.4, 0.6, 0.8, 1, 1, 1, 0, 0, 0}});
    for (const PlyEncoding encoding : kEncodings) {
        const std::string bytes = format_ply(std::vector{part}, {.encoding = encoding});
        EXPECT_NE(bytes.find("property uchar red"), std::string::npos);
        EXPECT_EQ(data(parse_ply(bytes, "x.ply")[0].mesh, "colour").values,
                  part.mesh.point_data[0].values);
    }
}

TEST(Ply, SinglePrecisionIsHalfAsLargeAndNearlyTheSame) {
    const MeshPart part = part_of("x", support::sphere(3, 1.0));
    const std::string small = format_ply(std::vector{part}, {.use_float32 = true});
    EXPECT_LT(small.size(), format_ply(std::vector{part}).size());
    const auto back = parse_ply(small, "x.ply");
    EXPECT_LT((back[0].mesh.points - part.mesh.points).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(Ply, SeveralPartsBecomeOneMesh) {
    const std::vector<MeshPart> parts = {part_of("a", support::box({0, 0, 0}, {1, 1, 1})),
                                         part_of("b", support::sphere(0, 1.0))};
    const auto back = parse_ply(format_ply(parts), "x.ply");
    ASSERT_EQ(back.size(), 1u);
    EXPECT_EQ(back[0].mesh.points.rows(), 20);
    EXPECT_EQ(back[0].mesh.triangles.row(12),
              (parts[1].mesh.triangles.row(0).array() + 8).matrix());
}

TEST(Ply, HeadersOfOtherProgramsAreRead) {
    const auto parts = parse_ply(
        "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nobj_info x\r\nelement vertex 4\r\n"
        "property float32 x\r\nproperty int16 y\r\nproperty double z\r\nproperty uchar red\r\n"
        "property uchar green\r\nproperty uchar blue\r\nproperty list uchar float extra\r\n"
        "property float confidence\r\nelement camera 1\r\nproperty float focal\r\n"
        "property list uint int more\r\nelement face 1\r\nproperty list uint8 int32 "
        "vertex_index\r\n"
        "property list uchar float texcoord\r\nproperty uchar flags\r\nend_header\r\n"
        "0 0 0 255 0 0 0 0.5\r\n1 0 0 0 255 0 2 1 2 0.25\r\n1 1 0 0 0 255 0 1\r\n0 1 0 51 51 51 0 "
        "0\r\n"
        "35 2 7 8\r\n4 0 1 2 3 0 9\r\n",
        "x.ply");
    const TriangleMesh& mesh = parts[0].mesh;
    EXPECT_EQ(mesh.triangles.rows(), 2);
    EXPECT_EQ(data(mesh, "colour").values[9], 0.2);
    EXPECT_EQ(data(mesh, "confidence").values, (std::vector<double>{0.5, 0.25, 1, 0}));
    ASSERT_EQ(mesh.triangle_data.size(), 1u);
    EXPECT_EQ(mesh.triangle_data[0].values, (std::vector<double>{9, 9}));
}

TEST(Ply, TriangleStripsAlternateAndRestart) {
    const std::string file =
        ascii_file(fmt::format("element vertex 6\n{}element tristrips 1\nproperty list int int "
                               "vertex_indices\n",
                               kXyz),
                   "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n1 2 0\n10 0 1 2 3 3 -1 2 3 4 5\n");
    Triangles expected(4, 3);
    expected << 0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5;
    EXPECT_EQ(parse_ply(file, "x.ply")[0].mesh.triangles, expected);
}

TEST(Ply, FacesMayComeAheadOfVerticesAndMayBeAbsent) {
    const std::string faces_first =
        ascii_file(fmt::format("element face 1\nproperty list uchar int vertex_indices\nelement "
                               "vertex 3\n{}",
                               kXyz),
                   "3 0 1 2\n0 0 0\n1 0 0\n0 1 0\n");
    EXPECT_EQ(parse_ply(faces_first, "x.ply")[0].mesh.triangles.rows(), 1);
    const std::string cloud = ascii_file(fmt::format("element vertex 1\n{}", kXyz), "1 2 3");
    EXPECT_EQ(parse_ply(cloud, "x.ply")[0].mesh.points.rows(), 1);
}

TEST(Ply, HugeCountsAreRefusedBeforeMemoryIsTaken) {
    for (const std::string_view format : {"ascii", "binary_little_endian"}) {
        const std::string file =
            fmt::format("ply\nformat {} 1.0\nelement vertex 1000000000000\n{}end_header\n0 0 0\n",
                        format, kXyz);
        EXPECT_NE(input_error_of([&] { parse_ply(file, "x.ply"); }).find("1000000000000 vertex"),
                  std::string::npos);
    }
    // An element without properties takes no bytes, whatever its count.
    const std::string empty =
        ascii_file(fmt::format("element ghost 1000000000000\nelement vertex 1\n{}", kXyz), "1 2 3");
    EXPECT_EQ(parse_ply(empty, "x.ply").size(), 1u);
}

TEST(Ply, MistakesAreNamedWithTheirPlace) {
    const std::string header = fmt::format(
        "element vertex 3\n{}element face 1\nproperty list char int vertex_indices\n", kXyz);
    const auto error = [&](std::string_view body) {
        return input_error_of([&] { parse_ply(ascii_file(header, body), "arm.ply"); });
    };
    EXPECT_NE(error("0 0 0\n1 nan 0\n0 1 0\n3 0 1 2").find("arm.ply, line 11"), std::string::npos);
    EXPECT_NE(error("0 0 0\n1 0 0\n0 1 0\n3 0 1 3").find("line 13: vertex index 3 of 3"),
              std::string::npos);
    EXPECT_NE(error("0 0 0\n1 0 0\n0 1 0\n3 0 1 0.5").find("0.5"), std::string::npos);
    EXPECT_NE(error("0 0 0\n1 0 0\n0 1 0\n-3 0 1 2").find("-3"), std::string::npos);
    EXPECT_NE(error("0 0 0\n1 0 0\n0 1 0\n2 0 1 ").find("2 corners"), std::string::npos);
    EXPECT_NE(error("0 0 0\n1 0 0\n0 1 0\n3 0 1").find("3 vertex_indices are announced"),
              std::string::npos);
    EXPECT_THROW(parse_ply("", "x.ply"), InputError);
    EXPECT_THROW(parse_ply("ply\nformat ascii 1.0\nend_header\n", "x.ply"), InputError);
    EXPECT_THROW(parse_ply(ascii_file("element vertex 1\nproperty float x\n", "1"), "x.ply"),
                 InputError);
    EXPECT_THROW(parse_ply("ply\nformat ascii 1.0\nproperty int x\n", "x.ply"), InputError);
    EXPECT_THROW(parse_ply("ply\nelement vertex -1\n", "x.ply"), InputError);
}

TEST(Ply, BinaryNanIsRefusedWithItsByte) {
    MeshPart part = part_of("x", support::open_square(1));
    std::string bytes = format_ply(std::vector{part});
    const std::size_t start = bytes.find("end_header\n") + 11;
    bytes.replace(start, 8, "\x00\x00\x00\x00\x00\x00\xf8\x7f", 8);
    EXPECT_NE(input_error_of([&] { parse_ply(bytes, "x.ply"); }).find("byte"), std::string::npos);
}

TEST(Ply, DamagedFilesAreReadOrRefused) {
    MeshPart part = part_of("x", support::with_data(support::open_square(1), "stress", 2));
    for (const PlyEncoding encoding : kEncodings) {
        support::expect_damage_is_survived(
            format_ply(std::vector{part}, {.encoding = encoding}), [](std::string_view bytes) {
                support::require_valid_parts(parse_ply(bytes, "x.ply"));
            });
    }
}

}  // namespace sinew
