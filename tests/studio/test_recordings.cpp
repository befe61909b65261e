// A recording of a person, with names and lengths of its own, on the built-in man: both doors put
// it on him by the same code and move the same flesh.

#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/pipeline/make_body.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/studio/played_motion.h"
#include "tests/studio/running_studio.h"
#include "tests/support/temporary_folder.h"

namespace sinew::studio {
namespace {

// Joints of the CMU database's conversions, in centimetres, in a T-pose: name, parent, offset.
struct RecordedJoint {
    const char* name;
    int depth;
    const char* offset;
};
constexpr RecordedJoint kRecordedPerson[] = {
    {"Hips", 0, "0 92 0"},        {"LeftUpLeg", 1, "9 -4 0"},     {"LeftLeg", 2, "0 -40 0"},
    {"LeftFoot", 3, "0 -40 0"},   {"LeftToeBase", 4, "0 -6 14"},  {"RightUpLeg", 1, "-9 -4 0"},
    {"RightLeg", 2, "0 -40 0"},   {"RightFoot", 3, "0 -40 0"},    {"RightToeBase", 4, "0 -6 14"},
    {"Spine", 1, "0 20 0"},       {"Spine1", 2, "0 22 0"},        {"Neck", 3, "0 8 0"},
    {"Head", 4, "0 10 0"},        {"LeftShoulder", 3, "3 4 0"},   {"LeftArm", 4, "15 0 0"},
    {"LeftForeArm", 5, "27 0 0"}, {"LeftHand", 6, "24 0 0"},      {"RightShoulder", 3, "-3 4 0"},
    {"RightArm", 4, "-15 0 0"},   {"RightForeArm", 5, "-27 0 0"}, {"RightHand", 6, "-24 0 0"}};

// He lowers his arms and bends one knee within half a second.
std::string recorded_person() {
    std::string text = "HIERARCHY\n";
    int depth = 0;
    const auto close = [&](int to) {
        for (; depth > to; --depth) {
            text += "}\n";
        }
    };
    const std::size_t count = std::size(kRecordedPerson);
    for (std::size_t j = 0; j < count; ++j) {
        const RecordedJoint& joint = kRecordedPerson[j];
        close(joint.depth);
        text += (j == 0 ? "ROOT " : "JOINT ") + std::string(joint.name) + "\n{\nOFFSET " +
                joint.offset +
                (j == 0 ? "\nCHANNELS 6 Xposition Yposition Zposition" : "\nCHANNELS 3") +
                " Zrotation Xrotation Yrotation\n";
        ++depth;
        if (j + 1 == count || kRecordedPerson[j + 1].depth <= joint.depth) {
            text += "End Site\n{\nOFFSET 0 0 5\n}\n";
        }
    }
    close(0);
    text += "MOTION\nFrames: 16\nFrame Time: 0.0333333\n";
    for (int frame = 0; frame < 16; ++frame) {
        const double part = frame / 15.0;
        text += "0 92 0";
        for (const RecordedJoint& joint : kRecordedPerson) {
            const std::string name = joint.name;
            const double lowered = name == "LeftArm" ? -70.0 : name == "RightArm" ? 70.0 : 0.0;
            const double bent = name == "LeftUpLeg" ? -40.0 : name == "LeftLeg" ? 60.0 : 0.0;
            text += " " + std::to_string(part * lowered) + " " + std::to_string(part * bent) + " 0";
        }
        text += "\n";
    }
    return text;
}

TEST(StudioRecordings, APersonsRecordingMovesTheManByTheSameBytes) {
    const support::TemporaryFolder folder;
    const std::filesystem::path work = folder.path() / "work";
    std::filesystem::create_directories(work);
    MakeBodyOptions make;
    make.body.resolution = BodyResolution::Preview;
    make.cache = SINEW_TEST_CACHE;
    write_archive(folder.path() / "man.sinew", make_body(make).body);
    write_file_bytes(work / "person.bvh", recorded_person());

    const Body man = read_archive(folder.path() / "man.sinew");
    BodyMotionJob job;
    job.layers = {DisplayLayer::Skin, DisplayLayer::Muscles, DisplayLayer::Bones};
    job.options = kStudioMotion;
    job.poses = read_pose_track(man, work / "person.bvh");
    EXPECT_FALSE(job.poses.report.source.empty());  // put on him, not played joint by joint
    const BodyRun run = run_body_motion(man, job);
    EXPECT_GT((run.frames.back().points.at(DisplayLayer::Skin) -
               run.frames.front().points.at(DisplayLayer::Skin))
                  .rowwise()
                  .norm()
                  .maxCoeff(),
              0.3);

    AppOptions options;
    options.workspace = work;
    options.studio.body = folder.path() / "man.sinew";
    options.studio.only_preview = true;
    options.studio.skin_triangles = 1000000;  // all of the skin that the library moves
    const RunningStudio studio(options);
    RawClient client(studio.port());
    ASSERT_TRUE(client.upgrade());
    if (client.ask({{"do", "hello"}, {"protocol", 1}})["state"]["mode"] == "loading") {
        ASSERT_FALSE(client.wait_for("catalogue").is_null());
    }
    client.ask({{"do", "view"}, {"layers", {"skin", "muscles", "bones"}}});
    expect_played_alike(client, {{"do", "play"}, {"file", "person.bvh"}, {"loop", false}}, run, 3);
}

}  // namespace
}  // namespace sinew::studio
