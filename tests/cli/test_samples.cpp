// The README's "Five minutes" can be run after a clone: what a line reads is in the repository, or
// an earlier line has made it.

#include "sinew/io/file_bytes.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "tests/cli/run_sinew.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

namespace {

using support::Outcome;
using support::run_sinew;

/// Made once for all tests of this file.
const std::filesystem::path& samples() {
    static const support::TemporaryFolder kFolder;
    static const std::filesystem::path kPath = [] {
        const std::filesystem::path path = kFolder / "samples";
        const std::string command = fmt::format("python3 '{}/make_samples.py' '{}' > /dev/null",
                                                SINEW_EXAMPLES, path.string());
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
        return path;
    }();
    return kPath;
}

std::vector<std::vector<std::string>> lines_of_five_minutes() {
    const std::string readme = read_file_bytes(std::filesystem::path(SINEW_SOURCE) / "README.md");
    const std::size_t title = readme.find("## Five minutes");
    const std::size_t begin = readme.find("```sh", title);
    std::istringstream block(readme.substr(begin, readme.find("```\n", begin + 5) - begin));
    std::vector<std::vector<std::string>> lines;
    for (std::string line; std::getline(block, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::vector<std::string> list;
        for (std::string word; words >> word;) {
            list.push_back(word);
        }
        if (!list.empty() && (list[0] == "$sinew" || list[0] == "python3")) {
            lines.push_back(list);
        }
    }
    return lines;
}

bool is_output_flag(const std::string& word) {
    return word == "-o" || word == "--plot" || word == "--compare" || word == "--report";
}

}  // namespace

TEST(Samples, EveryLineOfFiveMinutesReadsWhatIsThere) {
    const std::vector<std::vector<std::string>> lines = lines_of_five_minutes();
    ASSERT_GT(lines.size(), 20u);
    std::set<std::string> made;
    const auto exists = [&](const std::string& name) {
        for (const std::string& output : made) {
            if (name == output || name.starts_with(output + "/")) {
                const bool is_sample = name.starts_with("samples/");
                return !is_sample || std::filesystem::exists(samples().parent_path() / name);
            }
        }
        return std::filesystem::exists(std::filesystem::path(SINEW_SOURCE) / name);
    };
    for (const std::vector<std::string>& line : lines) {
        if (line[0] == "python3") {
            EXPECT_TRUE(exists(line[1])) << line[1];
            made.insert(line[2]);
            continue;
        }
        std::vector<std::string> outputs;
        for (std::size_t i = 2; i < line.size(); ++i) {
            const bool is_file = line[i].find_first_of("./") != std::string::npos &&
                                 line[i].find_first_not_of("0123456789.=x") != std::string::npos &&
                                 line[i].find("..") == std::string::npos &&
                                 line[i].find('=') == std::string::npos;
            const bool is_second_of_convert = line[1] == "convert" && i == 3;
            if (is_output_flag(line[i - 1]) || is_second_of_convert) {
                outputs.push_back(line[i]);
            } else if (is_file && !line[i].starts_with("-")) {
                EXPECT_TRUE(exists(line[i])) << "sinew " << line[1] << " reads " << line[i];
            }
        }
        made.insert(outputs.begin(), outputs.end());
    }
}

TEST(Samples, TheArmHasMomentArmsAndActivations) {
    const support::TemporaryFolder folder;
    const std::string arm = samples() / "arm.osim";
    EXPECT_EQ(run_sinew({"check", arm}).code, 0);
    const Outcome swept = run_sinew(
        {"muscles", arm, "--sweep", "elbow_flexion", "--plot", folder / "arms.png", "--json"});
    EXPECT_EQ(swept.code, 0) << swept.err;
    const Outcome active = run_sinew(
        {"activations", arm, "--motion", samples() / "flex.mot", "-o", folder / "a.sto", "--json"});
    EXPECT_EQ(active.code, 0) << active.err;
    EXPECT_TRUE(std::filesystem::exists(folder / "a.sto"));
}

// Holes, noise and debris: repaired, made even and filled.
TEST(Samples, TheScanBecomesTetrahedra) {
    const support::TemporaryFolder folder;
    const std::string scan = samples() / "scan.obj";
    EXPECT_EQ(run_sinew({"check", scan, "--unit", "mm", "--up", "z"}).code, 1);
    const Outcome clean = run_sinew({"repair", scan, "--unit", "mm", "--up", "z",
                                     "--remove-intersections", "-o", folder / "clean.ply"});
    EXPECT_EQ(clean.code, 0) << clean.err;
    const Outcome even =
        run_sinew({"remesh", folder / "clean.ply", "--edge", "0.015", "-o", folder / "even.ply"});
    EXPECT_EQ(even.code, 0) << even.err;
    const Outcome filled =
        run_sinew({"tetrahedralise", folder / "even.ply", "-o", folder / "body.vtu", "--json"});
    ASSERT_EQ(filled.code, 0) << filled.err;
    EXPECT_GT(filled.json()["volume_l"], 50.0);
    EXPECT_LT(filled.json()["volume_l"], 120.0);
}

// Blender and engines get joints, weights and the walk; what is written is a rigged character
// again.
TEST(Samples, TheCharacterIsRiggedAndMovesByItsRig) {
    const support::TemporaryFolder folder;
    const std::string rig = folder / "rigged.glb";
    const Outcome rigged =
        run_sinew({"skin", samples() / "character.ply", "--skeleton", samples() / "bones.json",
                   "--motion", samples() / "walk.bvh", "--rig", "-o", rig, "--json"});
    ASSERT_EQ(rigged.code, 0) << rigged.err;
    EXPECT_EQ(rigged.json()["joints"], 22);
    const GltfScene scene = read_gltf(rig);
    EXPECT_EQ(scene.skins.size(), 1u);
    EXPECT_EQ(scene.animations.size(), 1u);
    const Outcome again =
        run_sinew({"skin", rig, "--frames", "3", "--settle", "1", "--simulate-vertices", "1500",
                   "--no-cache", "-o", folder / "character.pc2", "--json"});
    EXPECT_EQ(again.code, 0) << again.err;
    // Options that a rig does not have are refused.
    EXPECT_EQ(run_sinew({"skin", samples() / "character.ply", "--skeleton",
                         samples() / "bones.json", "--rig", "--gravity", "-o", rig})
                  .code,
              2);
    EXPECT_EQ(run_sinew({"skin", samples() / "character.ply", "--skeleton",
                         samples() / "bones.json", "--rig", "-o", folder / "x.usda"})
                  .code,
              2);
}

}  // namespace sinew
