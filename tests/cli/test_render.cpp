#include "sinew/io/mesh_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/run_sinew.h"
#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/words.h"

namespace sinew {

TEST(CliRender, MakesTheSamePictureOnOneAndTwoThreads) {
    const support::TemporaryFolder folder;
    const MeshPart part{.name = "ball", .mesh = support::sphere(3, 0.1)};
    write_surface(folder / "ball.ply", {&part, 1});
    for (const char* threads : {"1", "2"}) {
        const support::Outcome outcome = support::run_sinew(
            {"render", folder / "ball.ply", "-o", folder / (std::string(threads) + ".png"),
             "--size", "160x120", "--view", "three-quarter", "--threads", threads});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    const std::string one = support::bytes_of(folder / "1.png");
    EXPECT_EQ(one, support::bytes_of(folder / "2.png"));
    EXPECT_EQ(one.substr(1, 3), "PNG");
}

TEST(CliRender, RefusesNonsense) {
    const support::TemporaryFolder folder;
    const MeshPart part{.name = "ball", .mesh = support::sphere(1, 0.1)};
    write_surface(folder / "ball.ply", {&part, 1});
    const std::string in = folder / "ball.ply";
    const std::string out = folder / "p.png";
    EXPECT_EQ(support::run_sinew({"render", in}).code, 2);
    EXPECT_EQ(support::run_sinew({"render", in, "-o", out, "--size", "0x5"}).code, 2);
    EXPECT_EQ(support::run_sinew({"render", in, "-o", out, "--size", "banana"}).code, 2);
    EXPECT_EQ(support::run_sinew({"render", in, "-o", out, "--view", "underneath"}).code, 2);
    EXPECT_EQ(support::run_sinew({"render", in, "-o", folder / "no" / "p.png"}).code, 2);
    EXPECT_FALSE(std::filesystem::exists(out));
}

// A picture of nothing says what could have been drawn.
TEST(CliRender, RefusesToDrawNothing) {
    const support::TemporaryFolder folder;
    const MeshPart ball{.name = "skin", .mesh = support::sphere(1, 0.1), .kind = "skin"};
    write_surface(folder / "skin.glb", {&ball, 1});
    MeshPart points = ball;
    points.mesh.triangles.resize(0, 3);
    write_surface(folder / "points.ply", {&points, 1});
    const std::string in = folder / "skin.glb";
    const std::string out = folder / "p.png";
    const std::pair<std::vector<std::string>, const char*> wrong[] = {
        {{"render", in, "-o", out, "--layers", "bones"}, "it has skin"},
        {{"render", in, in, "--sheet", "-o", out, "--layers", "bones"}, "it has skin"},
        {{"render", in, "-o", out, "--skin-opacity", "0"}, "--skin-opacity"},
        {{"render", in, "-o", out, "--cut", "top", "--cut-at", "-1"}, "--cut-at"},
        {{"render", folder / "points.ply", "-o", out}, "no triangles"}};
    for (const auto& [words, message] : wrong) {
        const support::Outcome outcome = support::run_sinew(words);
        EXPECT_EQ(outcome.code, 2) << message;
        EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
        EXPECT_NE(outcome.err.find(words[1]), std::string::npos) << outcome.err;
    }
    EXPECT_FALSE(std::filesystem::exists(out));
    EXPECT_EQ(support::run_sinew({"render", in, "-o", out, "--size", "40x40", "--cut", "top"}).code,
              0);
}

}  // namespace sinew
