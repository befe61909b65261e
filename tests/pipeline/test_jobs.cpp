#include "sinew/base/error.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/json_schema.h"
#include "sinew/pipeline/contract_job.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/pipeline/make_body.h"
#include "sinew/pipeline/solve_job.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "tests/support/schema_check.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

using Json = nlohmann::ordered_json;

template <class Job>
class EveryJob : public testing::Test {};
using Jobs = testing::Types<MakeBodyOptions, GrowthRecipe, ContractSettings, SolveJob>;
TYPED_TEST_SUITE(EveryJob, Jobs);

TYPED_TEST(EveryJob, DefaultsAreInRangeReadBackAndKeepTheSchema) {
    const TypeParam job{};
    EXPECT_NO_THROW(check_ranges(job, "job"));
    const std::string text = settings_to_json(job);
    EXPECT_EQ(settings_to_json(settings_from_json<TypeParam>(text, "job.json")), text);
    Json definitions = Json::object();
    add_schema("job", job, SchemaOf::File, definitions);
    EXPECT_EQ(support::schema_complaint(definitions["job"], Json::parse(text)), "");
}

TYPED_TEST(EveryJob, FieldsHaveHelpAndNamesOfTheirOwn) {
    const TypeParam job{};
    std::vector<std::string> names;
    visit_fields(job, [&](const auto&, const Field& field) {
        EXPECT_FALSE(field.help.empty()) << field.name;
        EXPECT_EQ(std::find(names.begin(), names.end(), field.name), names.end()) << field.name;
        names.emplace_back(field.name);
        EXPECT_LE(field.min, field.max) << field.name;
        if (std::isfinite(field.soft_min)) {
            EXPECT_GE(field.soft_min, field.min) << field.name;
            EXPECT_LE(field.soft_max, field.max) << field.name;
        }
    });
}

TEST(BuildJob, OptionsOfTheBuiltInHumanDoNotGoWithAnAtlas) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "job.json",
                     R"({"version": 1, "from": "atlas", "resolution": "preview"})");
    const MakeBodyOptions job = read_job<MakeBodyOptions>(folder / "job.json");
    EXPECT_EQ(job.atlas, (folder / "atlas").string());
    EXPECT_EQ(job.body.resolution, BodyResolution::Preview);
    EXPECT_NO_THROW(check_make_body(job));
    MakeBodyOptions other = job;
    other.figure.sex = FigureSex::Female;
    EXPECT_THROW(check_make_body(other), InputError);
    EXPECT_THROW(make_body(other), InputError);
}

TEST(ContractJob, SettingsThatDoNotGoTogetherAreRefused) {
    const auto refuses = [](const ContractSettings& settings) {
        EXPECT_THROW(job_of(settings, "test"), InputError);
    };
    refuses({.body = "b.sinew"});                                          // no muscles
    refuses({.muscles = {"biceps"}});                                      // no body
    refuses({.body = "b.sinew", .muscles = {"biceps"}, .curves = {0.5}});  // of the bench
    refuses({.activation = NumberOrText(2.0)});
    refuses({.duration = 10.0, .rate = 1e5});  // a million frames
    // What would do nothing: in time, in statics, in the whole body.
    const ContractSettings biceps{.body = "b.sinew", .muscles = {"biceps"}};
    const auto with = [&](auto&& change) {
        ContractSettings settings = biceps;
        change(settings);
        return settings;
    };
    refuses(with([](ContractSettings& s) { s.static_frames = 4; }));
    refuses(with([](ContractSettings& s) { s.stretch = 0.1; }));
    refuses(with([](ContractSettings& s) { s.is_static = true, s.substeps = 3; }));
    refuses(with([](ContractSettings& s) { s.is_static = true, s.rate = 30.0; }));
    refuses(with([](ContractSettings& s) { s.is_static = true, s.simulator.damping = 3.0; }));
    refuses(with([](ContractSettings& s) { s.is_whole_body = true, s.is_static = true; }));
    refuses(with([](ContractSettings& s) { s.is_whole_body = true, s.scene.tets = 4000; }));
    refuses(with([](ContractSettings& s) { s.is_whole_body = true, s.activation = "0..1"; }));
    EXPECT_NO_THROW(
        job_of(with([](ContractSettings& s) { s.is_whole_body = true, s.activation = "1"; }), "x"));
    EXPECT_NO_THROW(
        job_of(with([](ContractSettings& s) { s.is_static = true, s.static_frames = 4; }), "x"));
    EXPECT_EQ(job_of({.body = "b.sinew", .muscles = {"biceps"}}, "test").duration, 0.5);
    EXPECT_EQ(job_of({}, "test").duration, 1.0);
}

TEST(ContractJob, KeysNameTheSameCoordinatesInAnyOrder) {
    ContractSettings settings{.body = "b.sinew",
                              .muscles = {"biceps"},
                              .keys = {{.time = 0.0, .pose = {{"elbow", 90.0}, {"wrist", 0.0}}},
                                       {.time = 2.0, .pose = {{"wrist", 180.0}, {"elbow", 0.0}}}}};
    const ContractJob job = job_of(settings, "test");
    EXPECT_EQ(job.keys.coordinates.columns, (std::vector<std::string>{"elbow", "wrist"}));
    EXPECT_NEAR(job.keys.coordinates.at(1, 1), 3.14159265, 1e-6);
    EXPECT_EQ(job.duration, 2.0);
    settings.keys[1].pose[0].first = "ankle";
    EXPECT_THROW(job_of(settings, "test"), InputError);
}

}  // namespace
}  // namespace sinew
