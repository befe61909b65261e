// The built-in human of another shape is the same from the studio as from the command.

#include "sinew/io/archive.h"
#include "sinew/io/file_bytes.h"
#include "sinew/pipeline/make_body.h"
#include "sinew/pipeline/shaped_body.h"

#include <gtest/gtest.h>

#include "tests/studio/raw_client.h"
#include "tests/studio/running_studio.h"
#include "tests/support/limb_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew::studio {
namespace {

using Json = nlohmann::json;

class StudioShapes : public ::testing::Test {
protected:
    StudioShapes() {
        write_archive(folder_ / "limb.sinew", support::limb_body({.along = 6}));
        AppOptions options;
        options.workspace = workspace_;
        options.studio.body = folder_ / "limb.sinew";
        options.studio.cache = SINEW_TEST_CACHE;
        options.studio.only_preview = true;
        studio_ = std::make_unique<RunningStudio>(options);
    }

    support::TemporaryFolder folder_;
    const std::filesystem::path workspace_ = folder_.path() / "work";
    std::unique_ptr<RunningStudio> studio_;
};

TEST_F(StudioShapes, TheStudioMakesTheBytesOfTheCommand) {
    RawClient client(studio_->port());
    ASSERT_TRUE(client.upgrade());
    client.ask({{"do", "hello"}, {"protocol", 1}});
    const Json options = {{"resolution", "preview"}, {"shape", "1=1.5,2=-1"}};
    const Json answer = client.ask({{"do", "build"}, {"options", options}});
    ASSERT_EQ(answer.value("ok", false), true) << answer;
    ASSERT_EQ(client.ask({{"do", "save"}, {"file", "shaped.sinew"}})["ok"], true);

    // Made anew, not taken from the cache that the studio filled.
    MakeBodyOptions job;
    job.body.resolution = BodyResolution::Preview;
    job.shape = "1=1.5,2=-1";
    job.command = "sinew build";
    MakeBodyOptions specimen = job;
    specimen.shape = "specimen";
    specimen.cache = SINEW_TEST_CACHE;
    const Body made = shaped_body(make_body(specimen).body, shape_choice(job.shape), 0.0);
    const Body saved = read_archive(workspace_ / "shaped.sinew");
    EXPECT_EQ(saved.skin.mesh.points, made.skin.mesh.points);
    EXPECT_EQ(saved.tets.points, made.tets.points);
    job.cache = SINEW_TEST_CACHE;
    write_archive(folder_ / "command.sinew", make_body(job).body);
    EXPECT_EQ(read_file_bytes(workspace_ / "shaped.sinew"),
              read_file_bytes(folder_ / "command.sinew"));

    EXPECT_EQ(saved.provenance.command, "sinew build");
    // Nobody asked for a stature: it is the mean of the men of ANSUR II.
    EXPECT_NEAR(answer["body"]["stature_m"].get<double>(), 1.756, 0.002);
}

TEST_F(StudioShapes, WhatIsNoShapeIsRefusedWithAReason) {
    RawClient client(studio_->port());
    ASSERT_TRUE(client.upgrade());
    client.ask({{"do", "hello"}, {"protocol", 1}});
    for (const Json& options :
         {Json{{"shape", "1=9"}}, Json{{"shape", "nobody"}}, Json{{"from", "atlas"}},
          Json{{"sex", "other"}}, Json{{"shpae", "mean"}}, Json{{"stature", 9.0}}}) {
        const Json answer = client.ask({{"do", "build"}, {"options", options}});
        EXPECT_EQ(answer.value("ok", true), false) << options << answer;
        EXPECT_FALSE(answer["error"].value("remedy", "").empty()) << answer;
    }
    EXPECT_EQ(client.ask({{"do", "stop"}})["ok"], true);
}

}  // namespace
}  // namespace sinew::studio
