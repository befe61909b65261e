// One body, one motion, one job: the studio shows what the library gives and the command writes.

#include "sinew/io/archive.h"
#include "sinew/io/motion_table.h"
#include "sinew/pipeline/body_in_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "studio/server/studio.h"
#include "tests/studio/raw_client.h"
#include "tests/studio/running_studio.h"
#include "tests/support/limb_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew::studio {
namespace {

using Json = nlohmann::json;

// The elbow bends by 80 degrees within 20 frames.
void write_bend(const std::filesystem::path& path) {
    std::ofstream file(path);
    file << "HIERARCHY\nROOT root\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
            "JOINT elbow_l\n{\nOFFSET 0 0.2 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
            "End Site\n{\nOFFSET 0 0.2 0\n}\n}\n}\nMOTION\nFrames: 20\nFrame Time: 0.0333333\n";
    for (int frame = 0; frame < 20; ++frame) {
        file << "0 0 0 0 " << 80.0 * frame / 19.0 << " 0\n";
    }
}

std::uint32_t word(const std::string& payload, std::size_t index) {
    std::uint32_t value = 0;
    std::memcpy(&value, payload.data() + 4 * index, 4);
    return value;
}

std::string single_precision(const Points& points) {
    const Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> single = points.cast<float>();
    return {reinterpret_cast<const char*>(single.data()),
            static_cast<std::size_t>(single.size()) * sizeof(float)};
}

// What is asked for beside the motion.
struct Asked {
    const char* name;
    bool gravity = false;
    bool collisions = false;
    bool dynamics = true;
};

// The library, which is what the command calls.
BodyRun run_in_library(const Body& limb, const std::filesystem::path& work, const Asked& asked) {
    BodyMotionJob job;
    job.layers = {DisplayLayer::Skin, DisplayLayer::Muscles, DisplayLayer::Bones};
    job.options = kStudioMotion;
    job.options.gravity = asked.gravity;
    job.options.collisions = asked.collisions;
    job.options.dynamics = asked.dynamics;
    job.poses = read_pose_track(limb, work / "bend.bvh");
    job.activations = ActivationTrack(limb, read_motion_table(work / "flex.sto"), "flex.sto");
    return run_body_motion(limb, job);
}

// Plays it in the studio and compares all frames that come. Newer frames may overtake older ones
// before they are sent; what comes is whole.
void expect_same_in_studio(RawClient& client, const BodyRun& run, const Asked& asked) {
    ASSERT_EQ(client.ask({{"do", "play"},
                          {"file", "bend.bvh"},
                          {"loop", false},
                          {"activations", "flex.sto"},
                          {"gravity", asked.gravity},
                          {"collisions", asked.collisions},
                          {"dynamics", asked.dynamics}})["mode"],
              "play");
    std::map<std::uint32_t, std::set<std::size_t>> compared;  // frames of each layer
    for (bool is_over = false; !is_over;) {
        const auto message = client.receive();
        ASSERT_TRUE(message);
        if (message->is_text) {
            const Json event = Json::parse(message->payload);
            is_over =
                event.value("event", "") == "state" && event["mode"] == "rest" && !compared.empty();
            continue;
        }
        const std::uint32_t mesh = word(message->payload, 2);
        const std::uint32_t time_ms = word(message->payload, 7);
        if ((word(message->payload, 1) & 0xffffu) != 2 || time_ms == 0) {
            continue;  // a mesh, or the body at rest
        }
        const auto frame =
            static_cast<std::size_t>(std::lround(1e-3 * time_ms * kStudioMotion.rate));
        ASSERT_LT(frame, run.frames.size());
        const std::string expected =
            single_precision(run.frames[frame].points.at(static_cast<DisplayLayer>(mesh)));
        ASSERT_EQ(expected.size(), 12u * word(message->payload, 4));
        EXPECT_EQ(message->payload.compare(32, expected.size(), expected), 0)
            << asked.name << ", mesh " << mesh << ", frame " << frame;
        compared[mesh].insert(frame);
    }
    for (const std::uint32_t mesh : {0u, 1u, 2u}) {
        EXPECT_GE(compared[mesh].size(), 10u) << asked.name << ", mesh " << mesh;
    }
}

TEST(StudioMotion, TheSameJobGivesTheSameBytesAsInTheLibrary) {
    const support::TemporaryFolder folder;
    const std::filesystem::path work = folder.path() / "work";
    std::filesystem::create_directories(work);
    write_archive(folder.path() / "limb.sinew", support::limb_body({.along = 12}));
    write_bend(work / "bend.bvh");
    write_motion_table(work / "flex.sto",
                       {.columns = {"biceps"}, .times = {0.0, 0.5}, .values = {0.0, 1.0}});
    const Body limb = read_archive(folder.path() / "limb.sinew");

    AppOptions options;
    options.workspace = work;
    options.studio.body = folder.path() / "limb.sinew";
    const RunningStudio studio(options);
    RawClient client(studio.port());
    ASSERT_TRUE(client.upgrade());
    if (client.ask({{"do", "hello"}, {"protocol", 1}})["state"]["mode"] == "loading") {
        ASSERT_FALSE(client.wait_for("catalogue").is_null());
    }
    client.ask({{"do", "view"}, {"layers", {"skin", "muscles", "bones"}}});

    Points plain;  // the last frame's skin, without anything else
    for (const Asked& asked : {Asked{.name = "plain"}, Asked{.name = "gravity", .gravity = true},
                               Asked{.name = "collisions", .collisions = true},
                               Asked{.name = "at rest", .dynamics = false}}) {
        const BodyRun run = run_in_library(limb, work, asked);
        ASSERT_EQ(run.frames.size(), 39u);
        // Each is another motion; a limb that bends by 80 degrees does not meet itself.
        const Points& skin = run.frames.back().points.at(DisplayLayer::Skin);
        if (plain.rows() == 0) {
            plain = skin;
        } else if (!asked.collisions) {
            EXPECT_GT((skin - plain).cwiseAbs().maxCoeff(), 1e-6) << asked.name;
        }
        expect_same_in_studio(client, run, asked);
    }
}

}  // namespace
}  // namespace sinew::studio
