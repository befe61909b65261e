#include "sinew/base/error.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/vtu.h"
#include "sinew/mesh/validity.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <charconv>
#include <cstring>

#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

namespace {

std::string between(std::string_view text, std::string_view before, std::string_view after,
                    std::size_t from = 0) {
    const std::size_t begin = text.find(before, from);
    EXPECT_NE(begin, std::string_view::npos) << before;
    const std::size_t at = begin + before.size();
    return std::string(text.substr(at, text.find(after, at) - at));
}

std::uint64_t u64(std::string_view bytes, std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
}

/// The bytes of a named array: what a reader of the format does, written from its specification.
std::string array_bytes(const std::string& file, const std::string& name) {
    const std::size_t entry = file.find("Name=\"" + name + "\"");
    EXPECT_NE(entry, std::string::npos) << name;
    const std::string offset = between(file, "offset=\"", "\"", entry);
    const std::size_t data = file.find('_', file.find("<AppendedData")) + 1;
    const std::size_t at = data + std::stoul(offset);
    if (file.find("vtkZLibDataCompressor") == std::string::npos) {
        return file.substr(at + 8, u64(file, at));
    }
    const std::uint64_t blocks = u64(file, at);
    const std::uint64_t size = u64(file, at + 8);
    const std::uint64_t last = u64(file, at + 16);
    std::string result;
    std::size_t from = at + 24 + 8 * blocks;
    for (std::uint64_t i = 0; i < blocks; ++i) {
        uLongf length = i + 1 == blocks && last > 0 ? last : size;
        std::string block(length, '\0');
        const std::uint64_t packed = u64(file, at + 24 + 8 * i);
        EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(block.data()), &length,
                             reinterpret_cast<const Bytef*>(file.data() + from), packed),
                  Z_OK);
        result += block.substr(0, length);
        from += packed;
    }
    return result;
}

template <class T>
std::vector<T> array(const std::string& file, const std::string& name) {
    const std::string bytes = array_bytes(file, name);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

TetMesh cube_with_data(int n) {
    TetMesh mesh = support::cube_of_tets(n);
    mesh.region.assign(static_cast<std::size_t>(mesh.tets.rows()), 7);
    Attribute fibre{.name = "fibre <&\">", .components = 3, .values = {}};
    for (Eigen::Index i = 0; i < 3 * mesh.tets.rows(); ++i) {
        fibre.values.push_back(0.5 * static_cast<double>(i));
    }
    mesh.tet_data = {
        fibre, {.name = "region", .values = std::vector<double>(fibre.values.size() / 3, 1.0)}};
    mesh.point_data = {
        {.name = "height",
         .values = std::vector<double>(static_cast<std::size_t>(mesh.points.rows()), 2.5)}};
    return mesh;
}

}  // namespace

TEST(Vtu, EveryArrayComesBackBitByBit) {
    const TetMesh mesh = cube_with_data(3);
    for (const bool is_compressed : {true, false}) {
        const std::string file = format_vtu(mesh, {.is_compressed = is_compressed});
        EXPECT_NE(file.find(fmt::format("NumberOfPoints=\"{}\" NumberOfCells=\"{}\"",
                                        mesh.points.rows(), mesh.tets.rows())),
                  std::string::npos);
        const auto points = array<double>(file, "Points");
        EXPECT_EQ(points,
                  std::vector<double>(mesh.points.data(), mesh.points.data() + mesh.points.size()));
        const auto cells = array<Index>(file, "connectivity");
        EXPECT_EQ(cells, std::vector<Index>(mesh.tets.data(), mesh.tets.data() + mesh.tets.size()));
        const auto offsets = array<std::int64_t>(file, "offsets");
        EXPECT_EQ(offsets.front(), 4);
        EXPECT_EQ(offsets.back(), mesh.tets.size());
        EXPECT_EQ(array<std::uint8_t>(file, "types"),
                  std::vector<std::uint8_t>(offsets.size(), 10));
        EXPECT_EQ(array<double>(file, "fibre &lt;&amp;&quot;&gt;"), mesh.tet_data[0].values);
        EXPECT_EQ(array<double>(file, "height"), mesh.point_data[0].values);
        EXPECT_EQ(array<Index>(file, "region"), mesh.region);
        EXPECT_EQ(array<double>(file, "region_"), mesh.tet_data[1].values);
    }
}

// Three megabytes of points: several blocks, the last one partial.
TEST(Vtu, LargeArraysAreWrittenInBlocks) {
    const TetMesh mesh = support::cube_of_tets(50);
    const auto points = array<double>(format_vtu(mesh), "Points");
    EXPECT_EQ(points,
              std::vector<double>(mesh.points.data(), mesh.points.data() + mesh.points.size()));
}

TEST(Vtu, SurfacesCarryTheNumberOfTheirPart) {
    const support::TemporaryFolder folder;
    const std::vector<MeshPart> parts = {{.name = "a", .mesh = support::sphere(0, 1.0)},
                                         {.name = "b", .mesh = support::box({0, 0, 0}, {1, 1, 1})}};
    write_surface(folder / "x.vtu", parts);
    const std::string file = read_file_bytes(folder / "x.vtu");
    const auto part = array<Index>(file, "part");
    ASSERT_EQ(part.size(), 32u);
    EXPECT_EQ(part[19], 0);
    EXPECT_EQ(part[20], 1);
    EXPECT_EQ(array<std::uint8_t>(file, "types")[0], 5);
    write_tets(folder / "t.vtu", support::one_tet());
    EXPECT_EQ(array<Index>(read_file_bytes(folder / "t.vtu"), "connectivity"),
              (std::vector<Index>{0, 1, 2, 3}));
}

TEST(Vtu, InvalidMeshesAreRefused) {
    TetMesh mesh = support::one_tet();
    mesh.tets(0, 0) = 9;
    EXPECT_THROW(format_vtu(mesh), InputError);
}

TEST(Vtu, ACollectionNamesItsFilesAtTheirTimes) {
    const support::TemporaryFolder folder;
    write_pvd(folder / "c.pvd", std::vector{0.0, 0.5}, std::vector<std::string>{"a.vtu", "b.vtu"});
    const std::string text = read_file_bytes(folder / "c.pvd");
    EXPECT_NE(text.find("type=\"Collection\""), std::string::npos);
    EXPECT_NE(text.find("<DataSet timestep=\"0.5\" file=\"b.vtu\"/>"), std::string::npos) << text;
}

TEST(Vtu, WhatIsWrittenIsReadBackBitByBit) {
    TetMesh mesh = support::one_tet();
    mesh.region = {5};
    mesh.point_data = {{.name = "heat", .components = 1, .values = {0.1, 0.2, 0.3, 0.4}}};
    mesh.tet_data = {{.name = "fibre", .components = 3, .values = {0.6, 0.8, 0.0}}};
    for (const bool is_compressed : {true, false}) {
        const MixedMesh back =
            parse_vtu(format_vtu(mesh, {.is_compressed = is_compressed,
                                        .names = {{.data = "muscle_names", .names = {"biceps"}}}}),
                      "x.vtu");
        EXPECT_EQ(back.tets.points, mesh.points);
        EXPECT_EQ(back.tets.tets, mesh.tets);
        EXPECT_EQ(back.tets.region, mesh.region);
        ASSERT_EQ(back.tets.point_data.size(), 1u);
        EXPECT_EQ(back.tets.point_data[0].values, mesh.point_data[0].values);
        ASSERT_EQ(back.tets.tet_data.size(), 1u);
        EXPECT_EQ(back.tets.tet_data[0].name, "fibre");
        EXPECT_EQ(back.tets.tet_data[0].values, mesh.tet_data[0].values);
    }
    const support::TemporaryFolder folder;
    const std::vector<MeshPart> parts = {{.name = "a", .mesh = support::sphere(1, 1.0)},
                                         {.name = "b", .mesh = support::sphere(0, 2.0)}};
    write_surface(folder / "s.vtu", parts);
    const std::vector<MeshPart> surface = read_surface(folder / "s.vtu");
    ASSERT_EQ(surface.size(), 1u);
    EXPECT_EQ(surface[0].mesh.triangles.rows(),
              parts[0].mesh.triangles.rows() + parts[1].mesh.triangles.rows());
}

// As other programs write it: text, and base64 in the XML. The numbers were encoded by hand with
// Python's struct and base64 (points 0, x, y, z of the unit tetrahedron in single precision).
TEST(Vtu, TextAndBase64AreRead) {
    const auto grid = [](const std::string& points, const std::string& type) {
        return R"(<VTKFile type="UnstructuredGrid" byte_order="LittleEndian"><UnstructuredGrid>
            <Piece NumberOfPoints="4" NumberOfCells="2"><Points>)" +
               points + R"(</Points><Cells>
            <DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3 0 2 1</DataArray>
            <DataArray type="Int64" Name="offsets" format="ascii">4 7</DataArray>
            <DataArray type="UInt8" Name="types" format="ascii">10 )" +
               type + R"(</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>)";
    };
    const std::string text =
        R"(<DataArray type="Float32" NumberOfComponents="3" format="ascii">
           0 0 0 1 0 0 0 1 0 0 0 1</DataArray>)";
    const std::string base64 =
        R"(<DataArray type="Float32" NumberOfComponents="3" format="binary">
           MAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPw==</DataArray>)";
    for (const std::string& points : {text, base64}) {
        const MixedMesh mesh = parse_vtu(grid(points, "5"), "x.vtu");
        EXPECT_EQ(mesh.tets.points.row(1), Eigen::RowVector3d(1, 0, 0));
        EXPECT_EQ(mesh.tets.points.row(3), Eigen::RowVector3d(0, 0, 1));
        EXPECT_EQ(mesh.tets.tets.rows(), 1);
        EXPECT_EQ(mesh.triangles.rows(), 1);
    }
    EXPECT_THROW(parse_vtu(grid(text, "12"), "x.vtu"), InputError);  // a hexahedron
    EXPECT_THROW(parse_vtu("<VTKFile type=\"PolyData\"/>", "x.vtu"), InputError);
}

TEST(Vtu, DamageIsRefusedAndNothingElse) {
    TetMesh mesh = support::one_tet();
    mesh.region = {1};
    for (const bool is_compressed : {true, false}) {
        const std::string good = format_vtu(mesh, {.is_compressed = is_compressed});
        for (std::size_t cut = 0; cut < good.size(); cut += 7) {
            try {
                parse_vtu(good.substr(0, cut), "x.vtu");
            } catch (const InputError&) {
            }
        }
        for (std::size_t at = 0; at < good.size(); ++at) {
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] ^ 0x55);
            MixedMesh read;
            try {
                read = parse_vtu(bad, "x.vtu");
            } catch (const InputError&) {
                continue;
            }
            EXPECT_NO_THROW(require_valid(read.tets, "read")) << "byte " << at;
        }
    }
}

}  // namespace sinew
