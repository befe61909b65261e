#include "sinew/io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/cli/run_sinew.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

class BadFile : public testing::TestWithParam<std::string> {};

// Every extension that can be read: nothing, a folder, a sparse giant and noise all give exit code
// 2 and a message that names the file.
TEST_P(BadFile, IsRefusedWithItsName) {
    const support::TemporaryFolder folder;
    const std::string name = "bad." + GetParam();
    const std::filesystem::path path = folder / name;
    const auto expect_refused = [&](const char* what) {
        const support::Outcome outcome = support::run_sinew({"info", path});
        EXPECT_EQ(outcome.code, 2) << what << ": " << outcome.out << outcome.err;
        EXPECT_NE(outcome.err.find(name), std::string::npos) << what << ": " << outcome.err;
        EXPECT_TRUE(outcome.out.empty()) << what;
    };
    expect_refused("absent");
    std::filesystem::create_directory(path);
    expect_refused("a folder");
    std::filesystem::remove(path);
    write_file_bytes(path, "");
    expect_refused("empty");
    std::string noise(4096, '\0');
    for (std::size_t i = 0; i < noise.size(); ++i) {
        noise[i] = static_cast<char>((i * 2654435761u) >> 13);
    }
    write_file_bytes(path, noise);
    expect_refused("noise");
    write_file_bytes(path, "x");
    std::filesystem::resize_file(path, std::uintmax_t{5} << 30);
    expect_refused("5 GB of nothing");
    std::filesystem::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    expect_refused("a pipe that nobody writes to");
}

INSTANTIATE_TEST_SUITE_P(Cli, BadFile,
                         testing::Values("obj", "ply", "stl", "off", "glb", "gltf", "fbx", "node",
                                         "mesh", "msh", "bvh", "sinew", "osim", "xml"),
                         [](const auto& extension) { return extension.param; });

// What cannot be done is told at once, not after minutes of work.
TEST(BadArguments, AreRefusedBeforeTheWork) {
    const support::TemporaryFolder folder;
    const std::string box = folder / "box.off";
    write_file_bytes(box,
                     "OFF\n8 6 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n"
                     "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n");
    const std::string vtu = folder / "x.vtu";
    const std::string ply = folder / "x.ply";
    const std::string png = folder / "x.png";
    const std::string scene = folder / "scene.json";
    write_file_bytes(scene, R"({"version": 1, "torus": true, "rate": 1e308})");
    std::filesystem::create_symlink(folder / "loop", folder / "loop");
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"build", "-o", ply}, ".sinew"},
        {{"build", "--from", folder.path(), "-o", folder / "x.sinew"}, "atlas.json"},
        {{"tetrahedralise", box, "-o", ply}, ".vtu"},
        {{"tetrahedralise", box, "-o", vtu, "--max-edge", "1e-6"}, "tetrahedra"},
        {{"render", box, "-o", png, "--range", "0,1"}, "--scalar"},
        {{"render", box, "-o", png, "--scalar", "a", "--range", "1"}, "LOW,HIGH"},
        {{"figure", "-o", box}, "folder"},
        {{"studio", box, "--no-browser"}, ".sinew"},
        {{"contract", scene, "-o", folder / "out"}, "frames"},
    };
    for (const auto& [arguments, word] : cases) {
        const support::Outcome outcome = support::run_sinew(arguments);
        EXPECT_EQ(outcome.code, 2) << arguments[0] << ": " << outcome.out << outcome.err;
        EXPECT_NE(outcome.err.find(word), std::string::npos) << arguments[0] << outcome.err;
    }
    EXPECT_FALSE(std::filesystem::exists(vtu) || std::filesystem::exists(ply) ||
                 std::filesystem::exists(png));
}

}  // namespace sinew
