// One body, one motion, one job: the studio shows what the library gives and the command writes.

#include "sinew/io/archive.h"
#include "sinew/io/motion_table.h"
#include "sinew/pipeline/body_in_motion.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/studio/played_motion.h"
#include "tests/studio/running_studio.h"
#include "tests/support/limb_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew::studio {
namespace {

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
        SCOPED_TRACE(asked.name);
        expect_played_alike(client,
                            {{"do", "play"},
                             {"file", "bend.bvh"},
                             {"loop", false},
                             {"activations", "flex.sto"},
                             {"gravity", asked.gravity},
                             {"collisions", asked.collisions},
                             {"dynamics", asked.dynamics}},
                            run, 10);
    }
}

}  // namespace
}  // namespace sinew::studio
