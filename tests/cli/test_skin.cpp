#include "sinew/io/archive.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/point_cache.h"
#include "sinew/pipeline/body_in_motion.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/run_sinew.h"
#include "tests/support/limb_body.h"
#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/words.h"

namespace sinew {
namespace {

// An arm, its bones and a bent elbow, as files.
struct ArmFiles {
    ArmFiles() {
        const MeshPart part{.name = "arm", .mesh = support::cylinder(0.045, 0.6, 16, 24)};
        write_surface(folder / "arm.ply", {&part, 1});
        std::ofstream(folder / "bones.json")
            << R"({"joints": [{"name": "shoulder", "parent": null, "position": [0, 0.05, 0]},
                              {"name": "elbow", "parent": "shoulder", "position": [0, 0.3, 0]},
                              {"name": "hand", "parent": "elbow", "position": [0, 0.55, 0]}]})";
        std::ofstream(folder / "bend.json")
            << R"({"keys": [{"time": 0}, {"time": 0.3, "joints": {"elbow": [1.9, 0, 0]}}]})";
    }
    std::vector<std::string> skin(const std::vector<std::string>& more) const {
        std::vector<std::string> words = {
            "skin",     folder / "arm.ply",   "--skeleton", folder / "bones.json",
            "--motion", folder / "bend.json", "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    support::TemporaryFolder folder;
};

TEST(CliSkin, SaysWhatTheContractNames) {
    const ArmFiles arm;
    for (const char* collisions : {"none", "local", "global"}) {
        const support::Outcome outcome =
            support::run_sinew(arm.skin({"--collisions", collisions, "-o", arm.folder / "o.mdd"}));
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const nlohmann::json said = outcome.json();
        for (const char* key : {"simulated_vertices", "tets", "frames", "frames_per_s",
                                "preprocess_s", "max_penetration_mm", "volume_ratio_min"}) {
            EXPECT_TRUE(said.contains(key)) << key;
        }
        EXPECT_EQ(said["frames"], 10);
        EXPECT_FALSE(said.contains("comparison"));
        EXPECT_TRUE(std::filesystem::exists(arm.folder / "o.mdd"));
    }
}

TEST(CliSkin, ComparesThreeMethodsInAPicture) {
    const ArmFiles arm;
    const std::string strip = arm.folder / "strip.png";
    const support::Outcome outcome =
        support::run_sinew(arm.skin({"--compare", strip, "-o", arm.folder / "o.mdd"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(support::bytes_of(strip).substr(1, 3), "PNG");
    const nlohmann::json said = outcome.json();
    for (const char* method : {"lbs", "dqs", "projective"}) {
        EXPECT_EQ(said["comparison"][method].size(), 4u) << method;
    }
    // Refused before any work.
    for (const std::string& wrong : {std::string(arm.folder / "strip.jpg"),
                                     std::string(arm.folder / "nowhere" / "strip.png")}) {
        const support::Outcome refused =
            support::run_sinew(arm.skin({"--compare", wrong, "-o", arm.folder / "not.mdd"}));
        EXPECT_EQ(refused.code, 2) << wrong;
        EXPECT_FALSE(std::filesystem::exists(arm.folder / "not.mdd"));
    }
}

// What the studio plays is compared with the library in tests/studio/test_motion.cpp.
TEST(CliSkin, TheFramesOfABodyAreThoseOfTheLibrary) {
    const support::TemporaryFolder folder;
    write_archive(folder / "limb.sinew", support::limb_body({.along = 12}));
    std::ofstream(folder / "bend.json")
        << R"({"keys": [{"time": 0}, {"time": 0.5, "joints": {"elbow_l": [1.4, 0, 0]}}]})";
    write_motion_table(folder / "flex.sto",
                       {.columns = {"biceps"}, .times = {0.0, 0.5}, .values = {0.0, 1.0}});
    const Body limb = read_archive(folder / "limb.sinew");
    BodyMotionJob job;
    job.options = {.iterations = 5, .rate = 60.0, .settle = 10, .dynamics = false, .gravity = true};
    job.poses = read_pose_track(limb, folder / "bend.json");
    job.activations = ActivationTrack(limb, read_motion_table(folder / "flex.sto"), "flex.sto");
    for (const DisplayLayer layer : {DisplayLayer::Skin, DisplayLayer::Muscles}) {
        job.layers = {layer};
        const BodyRun run = run_body_motion(limb, job);
        const support::Outcome outcome = support::run_sinew(
            {"skin", folder / "limb.sinew", "--motion", folder / "bend.json", "--activations",
             folder / "flex.sto", "--layers", std::string(name_of(layer)), "--rate", "60",
             "--iterations", "5", "--settle", "10", "--no-dynamics", "--gravity", "-o",
             folder / "o.mdd", "--json"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const PointCache written = read_mdd(folder / "o.mdd");
        ASSERT_EQ(written.frames.size(), run.frames.size());
        for (std::size_t f = 0; f < run.frames.size(); ++f) {
            EXPECT_EQ(written.frames[f].cast<float>(),
                      run.frames[f].points.at(layer).cast<float>());
        }
    }
    EXPECT_NE(support::run_sinew({"skin", folder / "limb.sinew", "--motion", folder / "bend.json",
                                  "--layers", "skin,muscles", "-o", folder / "o.mdd"})
                  .code,
              0);
}

}  // namespace
}  // namespace sinew
