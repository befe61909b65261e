#include "sinew/io/atomic_file.h"

#include <gtest/gtest.h>

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
}

INSTANTIATE_TEST_SUITE_P(Cli, BadFile,
                         testing::Values("obj", "ply", "stl", "off", "glb", "gltf", "fbx", "node",
                                         "mesh", "msh", "bvh", "sinew"),
                         [](const auto& extension) { return extension.param; });

}  // namespace sinew
