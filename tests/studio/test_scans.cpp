// A scan becomes a person in the studio as it does by the command.

#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/fit_batch.h"
#include "sinew/pipeline/make_body.h"

#include <gtest/gtest.h>

#include "tests/studio/raw_client.h"
#include "tests/studio/running_studio.h"
#include "tests/support/limb_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew::studio {
namespace {

using Json = nlohmann::json;

class StudioScans : public ::testing::Test {
protected:
    StudioScans() {
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

// The scan is the built-in man's own skin, made 4 % broader.
TEST_F(StudioScans, TheStudioWritesTheBytesOfTheBatch) {
    MakeBodyOptions make;
    make.body.resolution = BodyResolution::Preview;
    make.cache = SINEW_TEST_CACHE;
    TriangleMesh skin = make_body(make).body.skin.mesh;
    skin.points.col(0) *= 1.04;
    write_surface(workspace_ / "broad.ply", std::vector<MeshPart>{{.mesh = skin}});

    RawClient client(studio_->port());
    ASSERT_TRUE(client.upgrade());
    client.ask({{"do", "hello"}, {"protocol", 1}});
    const Json options = {{"resolution", "preview"}, {"sex", "male"}, {"weight_kg", 72.0}};
    const Json answer = client.ask({{"do", "fit"}, {"file", "broad.ply"}, {"options", options}});
    ASSERT_EQ(answer.value("ok", false), true) << answer;
    EXPECT_EQ(answer["file"], "broad.sinew");
    EXPECT_NEAR(answer["person"]["mass_kg"].get<double>(), 72.0, 2.0);
    EXPECT_LT(answer["person"]["distance_mm"]["mean"].get<double>(), 1.0);

    FitJob job;
    job.resolution = BodyResolution::Preview;
    job.cache = SINEW_TEST_CACHE;
    job.makes_body = true;
    const std::filesystem::path list = folder_ / "list.csv";
    write_file_bytes(list, "scan,sex,weight_kg\nwork/broad.ply,male,72\n");
    const std::filesystem::path out = folder_.path() / "out";
    std::filesystem::create_directories(out);
    const std::vector<FitBatchRow> rows = fit_batch(read_fit_list(list, job), out);
    ASSERT_EQ(rows.size(), 1U);
    ASSERT_EQ(rows[0].status, "done") << rows[0].message;
    EXPECT_EQ(read_file_bytes(workspace_ / "broad.sinew"), read_file_bytes(out / "broad.sinew"));
}

TEST_F(StudioScans, WhatIsNoScanIsRefusedWithAReason) {
    write_file_bytes(workspace_ / "words.ply", "neither this nor that");
    write_archive(workspace_ / "body.sinew", support::limb_body({.along = 6}));
    RawClient client(studio_->port());
    ASSERT_TRUE(client.upgrade());
    client.ask({{"do", "hello"}, {"protocol", 1}});
    const auto fit = [](const char* file, const Json& options = Json::object()) {
        return Json{{"do", "fit"}, {"file", file}, {"options", options}};
    };
    const std::vector<Json> wrong = {{{"do", "fit"}},
                                     fit("absent.ply"),
                                     fit("../limb.sinew"),
                                     fit("words.ply", {{"template", "body.sinew"}}),
                                     fit("body.sinew"),
                                     fit("words.ply", {{"weight_kg", 5}}),
                                     fit("words.ply", {{"wieght_kg", 70}}),
                                     fit("words.ply", {{"template", "../limb.sinew"}}),
                                     fit("words.ply", {{"landmarks", "/etc/passwd"}})};
    for (const Json& command : wrong) {
        const Json answer = client.ask(command);
        EXPECT_EQ(answer.value("ok", true), false) << command << answer;
        EXPECT_FALSE(answer["error"].value("remedy", "").empty()) << command << answer;
        EXPECT_EQ(answer.dump().find(folder_.path().string()), std::string::npos) << answer;
    }
    EXPECT_EQ(client.ask({{"do", "stop"}})["ok"], true);
}

}  // namespace
}  // namespace sinew::studio
