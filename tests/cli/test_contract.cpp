#include "sinew/io/mesh_files.h"
#include "sinew/io/mesh_parts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numbers>

#include "tests/cli/run_sinew.h"
#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/words.h"

namespace sinew {

namespace {

using support::Outcome;
using support::run_sinew;

void write_sphere(const std::filesystem::path& path, int levels, double radius) {
    const MeshPart part{.name = "ball", .mesh = support::sphere(levels, radius)};
    write_surface(path, {&part, 1});
}

}  // namespace

TEST(Cli, HelpVersionAndUnknownVerbs) {
    EXPECT_EQ(run_sinew({}).code, 0);
    EXPECT_EQ(run_sinew({"--help"}).code, 0);
    EXPECT_NE(run_sinew({"info", "--help"}).out.find("Examples:"), std::string::npos);
    const Outcome version = run_sinew({"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_NE(version.out.find("Embree"), std::string::npos);
    const Outcome typo = run_sinew({"rendr", "x"});
    EXPECT_EQ(typo.code, 2);
    EXPECT_NE(typo.err.find("did you mean 'render'"), std::string::npos);
    EXPECT_EQ(run_sinew({"info"}).code, 2);
    EXPECT_EQ(run_sinew({"info", "x.ply", "--no-such-flag"}).code, 2);
}

// A sphere of 20 * 4^5 triangles: volume 4/3 pi r^3 and area 4 pi r^2 to 0.2 %.
TEST(Cli, InfoOfASphereMatchesTheClosedForms) {
    const support::TemporaryFolder folder;
    write_sphere(folder / "ball.ply", 5, 0.1);
    const Outcome info = run_sinew({"info", folder / "ball.ply", "--json"});
    ASSERT_EQ(info.code, 0) << info.err;
    const nlohmann::json j = info.json();
    EXPECT_EQ(j["kind"], "triangles");
    EXPECT_EQ(j["vertices"], 10 * 1024 + 2);
    EXPECT_EQ(j["triangles"], 20 * 1024);
    EXPECT_TRUE(j["watertight"].get<bool>());
    EXPECT_NEAR(j["volume_l"].get<double>(), 4.0 / 3 * std::numbers::pi, 0.002 * 4.2);
    EXPECT_NEAR(j["area_m2"].get<double>(), 4 * std::numbers::pi * 0.01, 0.002 * 0.126);
    EXPECT_NEAR(j["bounds"][1][1].get<double>(), 0.1, 1e-3);
}

TEST(Cli, UnitAndUpAreConverted) {
    const support::TemporaryFolder folder;
    write_sphere(folder / "ball.obj", 3, 100.0);
    const Outcome info =
        run_sinew({"info", folder / "ball.obj", "--unit", "mm", "--up", "z", "--json"});
    ASSERT_EQ(info.code, 0) << info.err;
    EXPECT_NEAR(info.json()["bounds"][1][0].get<double>(), 0.1, 2e-3);
    EXPECT_EQ(run_sinew({"info", folder / "ball.obj", "--unit", "inch"}).code, 2);
}

TEST(Cli, CheckExitsOneOnAHoleAndSaysSo) {
    const support::TemporaryFolder folder;
    MeshPart part{.name = "ball", .mesh = support::sphere(3, 0.1)};
    write_surface(folder / "whole.off", {&part, 1});
    EXPECT_EQ(run_sinew({"check", folder / "whole.off"}).code, 0);
    part.mesh.triangles.conservativeResize(part.mesh.triangles.rows() - 5, 3);
    write_surface(folder / "hole.off", {&part, 1});
    const Outcome check = run_sinew({"check", folder / "hole.off", "--json"});
    EXPECT_EQ(check.code, 1);
    const nlohmann::json j = check.json();
    EXPECT_FALSE(j["healthy"].get<bool>());
    ASSERT_FALSE(j["problems"].empty());
    for (const nlohmann::json& p : j["problems"]) {
        EXPECT_TRUE(p.contains("what") && p.contains("count") && p.contains("where") &&
                    p.contains("remedy"));
    }
}

TEST(Cli, ConvertGoesThroughEveryFormatAndBack) {
    const support::TemporaryFolder folder;
    write_sphere(folder / "0.ply", 3, 0.1);
    std::filesystem::path last = folder / "0.ply";
    int step = 0;
    for (const char* extension : {"obj", "stl", "off", "glb", "ply"}) {
        const std::filesystem::path next = folder / fmt::format("{}.{}", ++step, extension);
        const Outcome convert = run_sinew({"convert", last, next});
        ASSERT_EQ(convert.code, 0) << convert.err;
        last = next;
    }
    const nlohmann::json j = run_sinew({"info", last, "--json"}).json();
    EXPECT_EQ(j["vertices"], 642);
    EXPECT_EQ(j["triangles"], 1280);
    EXPECT_TRUE(j["watertight"].get<bool>());
    for (const char* extension : {"usda"}) {
        EXPECT_EQ(run_sinew({"convert", last, folder / fmt::format("w.{}", extension)}).code, 0);
    }
}

// The file to write may be named as in all other verbs; once.
TEST(Cli, ConvertTakesItsOutputByFlagToo) {
    const support::TemporaryFolder folder;
    write_sphere(folder / "ball.ply", 2, 0.1);
    const Outcome named = run_sinew({"convert", folder / "ball.ply", folder / "a.obj", "--json"});
    const Outcome flagged =
        run_sinew({"convert", folder / "ball.ply", "-o", folder / "b.obj", "--json"});
    ASSERT_EQ(named.code, 0) << named.err;
    ASSERT_EQ(flagged.code, 0) << flagged.err;
    EXPECT_EQ(flagged.json()["output"], (folder / "b.obj").string());
    EXPECT_EQ(support::bytes_of(folder / "a.obj"), support::bytes_of(folder / "b.obj"));
    const Outcome both = run_sinew(
        {"convert", folder / "ball.ply", folder / "c.obj", "-o", folder / "d.obj", "--json"});
    EXPECT_EQ(both.code, 2);
    EXPECT_NE(both.err.find("one file to write"), std::string::npos) << both.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "c.obj"));
    EXPECT_EQ(run_sinew({"convert", folder / "ball.ply"}).code, 2);
}

TEST(Cli, ConvertCarriesTetsAndTakesTheirSurface) {
    const support::TemporaryFolder folder;
    const TetMesh cube = support::cube_of_tets(3);
    write_tets(folder / "cube.msh", cube);
    ASSERT_EQ(run_sinew({"convert", folder / "cube.msh", folder / "cube.mesh"}).code, 0);
    ASSERT_EQ(run_sinew({"convert", folder / "cube.mesh", folder / "cube.vtu"}).code, 0);
    const nlohmann::json j = run_sinew({"info", folder / "cube.mesh", "--json"}).json();
    EXPECT_EQ(j["kind"], "tets");
    EXPECT_EQ(j["tets"], 162);
    EXPECT_NEAR(j["volume_l"].get<double>(), 1000.0, 1e-6);
    ASSERT_EQ(run_sinew({"convert", folder / "cube.mesh", folder / "cube.obj"}).code, 0);
    const nlohmann::json s = run_sinew({"info", folder / "cube.obj", "--json"}).json();
    EXPECT_EQ(s["triangles"], 108);
    EXPECT_TRUE(s["watertight"].get<bool>());
}

TEST(Cli, NothingIsWrittenWhereItCannotBe) {
    const support::TemporaryFolder folder;
    write_sphere(folder / "ball.ply", 2, 0.1);
    const Outcome bad = run_sinew({"convert", folder / "ball.ply", folder / "no" / "ball.obj"});
    EXPECT_EQ(bad.code, 2);
    EXPECT_NE(bad.err.find("does not exist"), std::string::npos) << bad.err;
    EXPECT_EQ(run_sinew({"convert", folder / "ball.ply", folder / "ball.docx"}).code, 2);
}

// Two shells 2 mm apart, drawn with edges of centimetres, must cross.
TEST(Cli, RemeshSaysWhenItMadeSidesCross) {
    const support::TemporaryFolder folder;
    const std::vector<MeshPart> spheres = {{.name = "outer", .mesh = support::sphere(4, 0.1)},
                                           {.name = "inner", .mesh = support::sphere(4, 0.098)}};
    const MeshPart shell{.name = "shell", .mesh = merged(spheres)};
    write_surface(folder / "shell.ply", {&shell, 1});
    const Outcome coarse = run_sinew({"remesh", folder / "shell.ply", "--triangles", "120", "-o",
                                      folder / "coarse.ply", "--json"});
    EXPECT_EQ(coarse.code, 0);
    EXPECT_GT(coarse.json()["new_intersections"], 0);
    EXPECT_NE(coarse.err.find("use a shorter --edge"), std::string::npos) << coarse.err;
    const Outcome fine = run_sinew({"remesh", folder / "shell.ply", "--triangles", "9000", "-o",
                                    folder / "fine.ply", "--json"});
    EXPECT_EQ(fine.json()["new_intersections"], 0);
}

TEST(Cli, OneAndTwoThreadsWriteTheSameBytes) {
    const support::TemporaryFolder folder;
    MeshPart part{.name = "ball", .mesh = support::sphere(4, 0.1)};
    part.mesh.triangles.conservativeResize(part.mesh.triangles.rows() - 40, 3);
    write_surface(folder / "in.ply", {&part, 1});
    for (const char* threads : {"1", "2"}) {
        const std::string out = folder / fmt::format("repaired{}.ply", threads);
        ASSERT_EQ(run_sinew({"repair", folder / "in.ply", "-o", out, "--threads", threads}).code,
                  0);
        const std::string fine = folder / fmt::format("remeshed{}.ply", threads);
        ASSERT_EQ(
            run_sinew({"remesh", out, "--edge", "0.008", "-o", fine, "--threads", threads}).code,
            0);
    }
    EXPECT_EQ(support::bytes_of(folder / "repaired1.ply"),
              support::bytes_of(folder / "repaired2.ply"));
    EXPECT_EQ(support::bytes_of(folder / "remeshed1.ply"),
              support::bytes_of(folder / "remeshed2.ply"));
    EXPECT_EQ(run_sinew({"check", folder / "remeshed1.ply"}).code, 0);
}

}  // namespace sinew
