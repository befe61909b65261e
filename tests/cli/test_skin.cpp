#include "sinew/base/timer.h"
#include "sinew/io/archive.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/point_cache.h"
#include "sinew/pipeline/body_in_motion.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/run_sinew.h"
#include "tests/support/limb_body.h"
#include "tests/support/schema_check.h"
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

TEST(CliSkin, WhatDoesNothingOrIsMissingIsNamed) {
    const ArmFiles arm;
    const auto told = [](const std::vector<std::string>& words) {
        const support::Outcome outcome = support::run_sinew(words);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        return outcome.err;
    };
    EXPECT_TRUE(support::has(told({"skin", "nowhere.ply", "-o", "x.glb"}), "no such file"));
    EXPECT_TRUE(support::has(told(arm.skin({"--animation", "zz", "-o", arm.folder / "x.glb"})),
                             "--animation"));
    write_archive(arm.folder / "limb.sinew", support::limb_body({.along = 6, .across = 4}));
    EXPECT_TRUE(support::has(told({"skin", arm.folder / "limb.sinew", "-o", arm.folder / "x.glb"}),
                             "no motion"));
    // A range that is broken says what the value is for.
    const std::string rate = told(arm.skin({"--rate", "-1", "-o", arm.folder / "x.glb"}));
    EXPECT_TRUE(support::has(rate, "(frames per second)")) << rate;
}

// 461 files stood in a folder after "nothing was written".
TEST(CliSkin, AnInterruptedSequenceNamesTheFramesThatAreComplete) {
    const ArmFiles arm;
    const std::filesystem::path frames = arm.folder / "seq";
    double seconds = 0.0;
    const support::Outcome outcome = support::run_sinew_interrupted(
        arm.skin({"--frames", "20000", "--sequence", "ply", "-o", frames}),
        [&] { return std::filesystem::exists(frames / "frame_0002.ply"); }, seconds);
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    std::size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator(frames)) {
        count += file.path().filename().string().starts_with("frame_") ? 1u : 0u;
    }
    const std::string said = outcome.json()["error"]["found"];
    // The last one may have been written when the message was made already.
    const bool is_exact = said.find(fmt::format("{} frames are complete", count)) != said.npos;
    const bool is_one_less =
        said.find(fmt::format("{} frames are complete", count - 1)) != said.npos;
    EXPECT_TRUE(is_exact || is_one_less) << said << ", " << count << " files";
    EXPECT_NE(said.find("frame_0000.ply to frame_"), said.npos) << said;
    EXPECT_EQ(outcome.json()["exit"], 130);
    // No second thoughts: a file is not there at all.
    const std::filesystem::path file = arm.folder / "long.mdd";
    const Timer started;
    const support::Outcome whole = support::run_sinew_interrupted(
        arm.skin({"--frames", "20000", "-o", file}), [&] { return started.seconds() > 1.0; },
        seconds);
    EXPECT_EQ(whole.code, 130) << whole.err;
    EXPECT_NE(whole.err.find("nothing was written"), std::string::npos) << whole.err;
    EXPECT_FALSE(std::filesystem::exists(file));
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

// The same bytes by flags and by a job file in another folder, whose paths are relative to it.
TEST(CliSkin, AJobFileAsksForTheSameAsFlags) {
    const ArmFiles arm;
    std::filesystem::create_directory(arm.folder.path() / "jobs");
    std::ofstream(arm.folder / "jobs/bend.json")
        << R"({"version": 1, "mesh": "../arm.ply", "skeleton": "../bones.json",
               "motion": "../bend.json", "output": "../job.mdd", "collisions": "local",
               "iterations": 7, "rate": 20, "settle": 3})";
    const std::string job = arm.folder / "jobs/bend.json";
    const auto run = [](const std::vector<std::string>& words) {
        const support::Outcome outcome = support::run_sinew(words);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome;
    };
    run(arm.skin({"--collisions", "local", "--iterations", "7", "--rate", "20", "--settle", "3",
                  "-o", arm.folder / "flags.mdd"}));
    const nlohmann::ordered_json said =
        nlohmann::ordered_json::parse(run({"skin", "--job", job, "--json"}).out);
    const auto bytes = [&](const char* name) {
        return read_file_bytes(arm.folder / name, 1 << 24);
    };
    EXPECT_EQ(bytes("job.mdd"), bytes("flags.mdd"));
    // A flag overrides the file, here to what another run by flags alone has.
    run({"skin", "--job", job, "--collisions", "none", "-o", arm.folder / "over.mdd"});
    run(arm.skin(
        {"--iterations", "7", "--rate", "20", "--settle", "3", "-o", arm.folder / "none.mdd"}));
    EXPECT_EQ(bytes("over.mdd"), bytes("none.mdd"));
    // File and result keep the schema; what does not is refused.
    const nlohmann::ordered_json schema =
        nlohmann::ordered_json::parse(support::run_sinew({"schema", "skin"}).out);
    EXPECT_EQ(
        support::schema_complaint(schema, nlohmann::ordered_json::parse(bytes("jobs/bend.json"))),
        "");
    EXPECT_EQ(support::schema_complaint({{"$ref", "#/$defs/result"}}, said, schema, "result"), "");
    std::ofstream(arm.folder / "wrong.json") << R"({"version": 1, "mehs": "arm.ply"})";
    const support::Outcome wrong = support::run_sinew({"skin", "--job", arm.folder / "wrong.json"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_TRUE(support::has(wrong.err, "mesh")) << wrong.err;
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
