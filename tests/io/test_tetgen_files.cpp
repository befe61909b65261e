#include "sinew/base/error.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/mesh_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/io/mesh_samples.h"
#include "tests/support/mutate.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

using support::input_error_of;

namespace {

constexpr std::string_view kNodes =
    "4 3 0 0 # four points\n1 0 0 0\n2 1000 0 0\n3 0 1000 0\n4 0 0 1000\n";

}  // namespace

TEST(TetgenFiles, EitherFileNamesThePair) {
    const support::TemporaryFolder folder;
    TetMesh mesh = support::ball_of_tets(2, 1.0 / 3.0);
    mesh.region.assign(static_cast<std::size_t>(mesh.tets.rows()), 7);
    mesh.region[1] = -7;
    write_tets(folder / "a.ele", mesh);
    support::expect_same_mesh(read_tets(folder / "a.node"), mesh);
    support::expect_same_mesh(read_tets(folder / "a.ele"), mesh);
}

TEST(TetgenFiles, UnitsAreConvertedAndTheSenseIsOurs) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "a.1.node", kNodes);
    write_file_bytes(folder / "a.1.ele", "1 4 0\n1 1 3 2 4\n");
    const TetMesh mesh = read_tets(folder / "a.1.node", {.unit = Unit::Millimetre});
    EXPECT_DOUBLE_EQ(mesh.points(1, 0), 1.0);
    EXPECT_EQ(mesh.tets, Tets(Eigen::RowVector4i(0, 2, 3, 1)));
    EXPECT_EQ(read_surface(folder / "a.1.ele")[0].mesh.triangles.rows(), 4);
}

TEST(TetgenFiles, WithoutTetrahedraTheFacesAreTheSurface) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "a.node", kNodes);
    EXPECT_NE(input_error_of([&] { read_mesh(folder / "a.node"); }).find("a.face"),
              std::string::npos);
    EXPECT_NE(input_error_of([&] { read_tets(folder / "a.node"); }).find("a.ele"),
              std::string::npos);
    write_file_bytes(folder / "a.face", "2 1\n1 1 2 3 4\n2 1 3 4 5\n");
    const AnyMesh mesh = read_mesh(folder / "a.node");
    ASSERT_TRUE(std::holds_alternative<std::vector<MeshPart>>(mesh));
    EXPECT_EQ(std::get<0>(mesh)[0].mesh.triangles.rows(), 2);
}

TEST(TetgenFiles, DamagedFilesAreReadOrRefused) {
    const support::TemporaryFolder folder;
    const auto survive = [&](std::string_view ending, std::string_view sample) {
        write_file_bytes(folder / "a.node", kNodes);
        write_file_bytes(folder / "a.ele", "1 4 1\n1 1 2 3 4 9\n");
        support::expect_damage_is_survived(sample, [&](std::string_view bytes) {
            std::ofstream(folder / fmt::format("a{}", ending), std::ios::binary) << bytes;
            require_valid(read_tets(folder / "a.node"), "tets");
        });
    };
    survive(".node", kNodes);
    survive(".ele", "1 4 1\n1 1 2 3 4 9\n");
}

}  // namespace sinew
