#include "sinew/base/error.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/content_guess.h"
#include "sinew/io/mesh_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/io/mesh_samples.h"
#include "tests/support/mutate.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

using support::input_error_of;

TEST(MeshFiles, EverySurfaceFormatThatIsWrittenAndReadKeepsTheTriangles) {
    const support::TemporaryFolder folder;
    const std::vector<MeshPart> parts = {support::part_of("ball", support::sphere(2, 0.5))};
    const std::vector<std::string> readable = readable_surface_endings();
    for (const std::string& ending : writable_surface_endings()) {
        const std::filesystem::path path = folder / ("ball" + ending);
        write_surface(path, parts);
        if (std::find(readable.begin(), readable.end(), ending) == readable.end()) {
            continue;
        }
        const std::vector<MeshPart> back = read_surface(path);
        ASSERT_EQ(back.size(), 1u) << ending;
        EXPECT_EQ(back[0].mesh.triangles.rows(), 320) << ending;
        EXPECT_LT(
            (back[0].mesh.points.colwise().sum() - parts[0].mesh.points.colwise().sum()).norm(),
            1e-4)
            << ending;
    }
}

TEST(MeshFiles, EveryTetFormatThatIsWrittenAndReadKeepsTheTetrahedra) {
    const support::TemporaryFolder folder;
    TetMesh mesh = support::cube_of_tets(2);
    mesh.region.assign(48, 1);
    mesh.region[5] = 2;
    const std::vector<std::string> readable = readable_tet_endings();
    const std::vector<std::string> surfaces = readable_surface_endings();
    for (const std::string& ending : writable_tet_endings()) {
        const std::filesystem::path path = folder / ("cube" + ending);
        write_tets(path, mesh);
        if (std::find(readable.begin(), readable.end(), ending) != readable.end()) {
            support::expect_same_mesh(read_tets(path), mesh);
            const AnyMesh any = read_mesh(path);
            ASSERT_TRUE(std::holds_alternative<TetMesh>(any)) << ending;
            support::expect_same_mesh(std::get<TetMesh>(any), mesh);
        }
        if (std::find(surfaces.begin(), surfaces.end(), ending) != surfaces.end()) {
            EXPECT_EQ(read_surface(path)[0].mesh.triangles.rows(), 48) << ending;
        }
    }
}

TEST(MeshFiles, AMeshWithoutTetrahedraIsASurface) {
    const support::TemporaryFolder folder;
    const std::vector<MeshPart> parts = {support::part_of("ball", support::sphere(1, 0.5))};
    for (const char* name : {"ball.msh", "ball.mesh", "ball.ply"}) {
        write_surface(folder / name, parts);
        EXPECT_TRUE(std::holds_alternative<std::vector<MeshPart>>(read_mesh(folder / name)));
        EXPECT_THROW(read_tets(folder / name), InputError);
    }
}

TEST(MeshFiles, UnitsAndAxesAreConverted) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "a.OBJ", "v 0 -100 1700\n");
    const auto parts = read_surface(folder / "a.OBJ", {.unit = Unit::Millimetre, .up = UpAxis::Z});
    EXPECT_TRUE(parts[0].mesh.points.isApprox(Points(Eigen::RowVector3d(0, 1.7, 0.1))));
}

TEST(MeshFiles, UnknownEndingsAreAnsweredWithTheKnownOnes) {
    const std::string message = input_error_of([] { read_surface("arm.pyl"); });
    EXPECT_NE(message.find("did you mean '.ply'"), std::string::npos) << message;
    EXPECT_NE(message.find(".obj"), std::string::npos) << message;
    EXPECT_NE(input_error_of([] { read_surface("arm"); }).find("no file ending"),
              std::string::npos);
    EXPECT_NE(input_error_of([] { read_tets("arm.obj"); }).find("Wavefront OBJ"),
              std::string::npos);
    EXPECT_NE(input_error_of([] { write_surface("arm.xyz", {}); }).find("'.xyz'"),
              std::string::npos);
}

TEST(MeshFiles, ContentThatContradictsTheEndingIsNamed) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "a.ply", "solid cube\nfacet normal 0 0 1\n");
    const std::string message = input_error_of([&] { read_surface(folder / "a.ply"); });
    EXPECT_NE(message.find("looks like .stl"), std::string::npos) << message;
    EXPECT_EQ(guess_ending(std::string_view("# x\nv 1 2 3\n")), ".obj");
    EXPECT_EQ(guess_ending(std::string_view("")), "");
}

TEST(MeshFiles, ThingsThatAreNoMeshFilesAreRefusedInEveryFormat) {
    const support::TemporaryFolder folder;
    std::vector<std::string> endings = readable_surface_endings();
    for (const std::string& ending : readable_tet_endings()) {
        endings.push_back(ending);
    }
    for (const std::string& ending : endings) {
        const auto refused = [&](const std::filesystem::path& path) {
            EXPECT_THROW(read_mesh(path), InputError) << path;
        };
        refused(folder / ("absent" + ending));
        write_file_bytes(folder / ("empty" + ending), "");
        refused(folder / ("empty" + ending));
        std::filesystem::create_directory(folder / ("folder" + ending));
        refused(folder / ("folder" + ending));
        write_file_bytes(folder / ("sparse" + ending), "x");
        std::filesystem::resize_file(folder / ("sparse" + ending), std::uintmax_t{5} << 30);
        refused(folder / ("sparse" + ending));
        std::string garbage(3000, '\0');
        Random random(Seed{3});
        for (char& c : garbage) {
            c = static_cast<char>(random.below(256));
        }
        write_file_bytes(folder / ("garbage" + ending), garbage);
        refused(folder / ("garbage" + ending));
    }
}

TEST(MeshFiles, AnAtlasPartIsReadWhole) {
    SINEW_NEEDS_SHARED(path, "atlas/bones/femur_l.ply");
    const std::vector<MeshPart> parts = read_surface(path);
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].name, "femur_l");
    EXPECT_EQ(parts[0].mesh.points.rows(), 823);
    EXPECT_EQ(parts[0].mesh.triangles.rows(), 1642);
    require_valid(parts[0].mesh, "femur");
}

}  // namespace sinew
