#include "sinew/base/error.h"
#include "sinew/io/json_schema.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

#include "tests/support/mutate.h"
#include "tests/support/schema_check.h"

namespace sinew {

namespace {

enum class Resolution { Preview, Standard, Fine };

struct BuildSettings {
    int passes = 10;
    double step = 0.5;
    double patience = std::numeric_limits<double>::infinity();
    bool is_closed = false;
    std::string name = "anna";
    Resolution resolution = Resolution::Standard;
};

template <class O, class V>
requires std::is_same_v<std::remove_const_t<O>, BuildSettings>
void visit_fields(O& o, V&& v) {
    v(o.passes, Field{.name = "passes", .help = "how often", .min = 0, .max = 100});
    v(o.step, Field{.name = "step", .help = "share", .unit = "m", .max = 1, .above = 0});
    v(o.patience, Field{.name = "patience", .help = "stop after", .unit = "s", .min = 0});
    v(o.is_closed, Field{.name = "is_closed", .help = "ends joined"});
    v(o.name, Field{.name = "name", .help = "of the body"});
    v(o.resolution,
      Field{.name = "resolution", .help = "size", .choices = {"preview", "standard", "fine"}});
}

BuildSettings parse(std::string_view text) {
    return settings_from_json<BuildSettings>(text, "body.json");
}

std::string message_of(std::string_view text) {
    return support::input_error_of([&] { parse(text); });
}

struct Layer {
    double thickness = 0.01;
    std::optional<int> region = {};
};

template <class O, class V>
requires std::is_same_v<std::remove_const_t<O>, Layer>
void visit_fields(O& o, V&& v) {
    v(o.thickness, Field{.name = "thickness",
                         .help = "across",
                         .unit = "m",
                         .max = 1,
                         .above = 0,
                         .is_required = true});
    v(o.region, Field{.name = "region", .help = "label", .min = 0});
}

// One field of every kind.
struct JobOfAllKinds {
    Layer skin = {};
    std::vector<Layer> layers = {};
    std::vector<std::pair<std::string, double>> factors = {};
    std::optional<double> stature = {};
    std::optional<Resolution> resolution = {};
    std::vector<std::string> muscles = {};
    std::array<double, 3> up = {0, 1, 0};
    NumberOrText activation = 1.0;
};

template <class O, class V>
requires std::is_same_v<std::remove_const_t<O>, JobOfAllKinds>
void visit_fields(O& o, V&& v) {
    v(o.skin, Field{.name = "skin", .help = "outermost"});
    v(o.layers, Field{.name = "layers", .help = "below it"});
    v(o.factors, Field{.name = "factors", .help = "by muscle", .min = 0.1, .max = 5});
    v(o.stature, Field{.name = "stature", .help = "height", .unit = "m", .above = 0.5, .below = 3});
    v(o.resolution,
      Field{.name = "resolution", .help = "size", .choices = {"preview", "standard", "fine"}});
    v(o.muscles, Field{.name = "muscles", .help = "names"});
    v(o.up, Field{.name = "up", .help = "direction", .min = -1, .max = 1});
    v(o.activation, Field{.name = "activation", .help = "number or file"});
}

JobOfAllKinds parse_job(std::string_view text) {
    return settings_from_json<JobOfAllKinds>(text, "job.json");
}

std::string job_complaint(std::string_view text) {
    try {
        parse_job(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

constexpr std::string_view kWholeJob = R"({"version": 1, "skin": {"thickness": 0.002},
    "layers": [{"thickness": 0.1, "region": 4}, {"thickness": 0.2}],
    "factors": {"biceps": 1.5, "all": 1.1}, "stature": 1.8, "resolution": "fine",
    "muscles": ["biceps", "triceps"], "up": [0, 0, 1], "activation": "walk.sto"})";

}  // namespace

TEST(SettingsJson, NestedOptionalListedAndNamedFieldsAreReadAndWritten) {
    const JobOfAllKinds job = parse_job(kWholeJob);
    EXPECT_EQ(job.skin.thickness, 0.002);
    ASSERT_EQ(job.layers.size(), 2u);
    EXPECT_EQ(job.layers[0].region, 4);
    EXPECT_FALSE(job.layers[1].region.has_value());
    // In the order of the file.
    EXPECT_EQ(job.factors,
              (std::vector<std::pair<std::string, double>>{{"biceps", 1.5}, {"all", 1.1}}));
    EXPECT_EQ(job.stature, 1.8);
    EXPECT_EQ(job.resolution, Resolution::Fine);
    EXPECT_EQ(job.muscles.size(), 2u);
    EXPECT_EQ(job.up[2], 1.0);
    EXPECT_EQ(std::get<std::string>(job.activation), "walk.sto");
    const std::string text = settings_to_json(job);
    EXPECT_EQ(settings_to_json(parse_job(text)), text);
    const JobOfAllKinds empty = parse_job(R"({"version": 1})");
    EXPECT_FALSE(empty.stature.has_value());
    EXPECT_EQ(changed_settings_to_json(empty), "{\n  \"version\": 1\n}\n");
    EXPECT_EQ(parse_job(R"({"version": 1, "muscles": "biceps"})").muscles,
              std::vector<std::string>{"biceps"});
    EXPECT_EQ(std::get<double>(parse_job(R"({"version": 1, "activation": 0.5})").activation), 0.5);
}

TEST(SettingsJson, ComplaintsNameThePlaceInNestedValues) {
    const auto expect = [](std::string_view text, const char* part) {
        const std::string message = job_complaint(text);
        EXPECT_NE(message.find(part), std::string::npos) << text << "\n" << message;
    };
    expect(R"({"version": 1, "layers": [{"thickness": 1}, {"thickness": 2}]})",
           "job.json, layers[1].thickness");
    expect(R"({"version": 1, "layers": [{"thicknes": 1}]})", "did you mean 'thickness'");
    expect(R"({"version": 1, "layers": [{}]})", "job.json, layers[0]: no 'thickness'");
    expect(R"({"version": 1, "layers": {}})", "a list");
    expect(R"({"version": 1, "factors": {"biceps": 9}})", "factors.biceps");
    expect(R"({"version": 1, "factors": [1]})", "an object");
    expect(R"({"version": 1, "stature": 0.5})", "above 0.5 m and below 3 m");
    expect(R"({"version": 1, "stature": 3})", "below 3 m");
    expect(R"({"version": 1, "stature": null})", "a number");
    expect(R"({"version": 1, "up": [0, 1]})", "three numbers");
    expect(R"({"version": 1, "up": [0, 1, 2]})", "up[2]");
    expect(R"({"version": 1, "activation": true})", "a number or a text");
    expect(R"({"version": 1, "skin": 3})", "an object");
    expect(R"({"version": 1, "skin": {"thickness": 0.1, "thickness": 0.2}})", "twice");
}

TEST(SettingsJson, DamageToNestedValuesIsSurvived) {
    support::expect_damage_is_survived(
        std::string(kWholeJob), [](std::string_view text) { parse_job(text); }, 1000);
}

// Every file that is accepted keeps its schema, and what breaks the schema is refused.
TEST(JsonSchema, AgreesWithTheReader) {
    nlohmann::ordered_json definitions = nlohmann::ordered_json::object();
    add_schema("job", JobOfAllKinds{}, SchemaOf::File, definitions);
    const nlohmann::ordered_json schema = {{"$ref", "#/$defs/job"}, {"$defs", definitions}};
    EXPECT_EQ(definitions["job"]["properties"]["factors"]["additionalProperties"]["maximum"], 5.0);
    EXPECT_EQ(definitions["job"]["properties"]["layers"]["items"]["required"][0], "thickness");
    EXPECT_EQ(definitions["job"]["properties"]["stature"]["exclusiveMaximum"], 3.0);
    for (const std::string_view text :
         {kWholeJob, std::string_view(R"({"version": 1})"),
          std::string_view(R"({"version": 1, "muscles": "biceps", "activation": 0.5})"),
          std::string_view(R"({"version": 2})"), std::string_view(R"({})"),
          std::string_view(R"({"version": 1, "layers": [{"thickness": 2}]})"),
          std::string_view(R"({"version": 1, "layers": [{}]})"),
          std::string_view(R"({"version": 1, "layers": [{"thickness": 1, "region": 1.5}]})"),
          std::string_view(R"({"version": 1, "factors": {"biceps": 9}})"),
          std::string_view(R"({"version": 1, "stature": 3})"),
          std::string_view(R"({"version": 1, "resolution": "huge"})"),
          std::string_view(R"({"version": 1, "muscles": [1]})"),
          std::string_view(R"({"version": 1, "up": [0, 1]})"),
          std::string_view(R"({"version": 1, "activation": true})"),
          std::string_view(R"({"version": 1, "unknown": true})"), std::string_view("[1]")}) {
        const std::string complaint =
            support::schema_complaint(schema, nlohmann::ordered_json::parse(text));
        EXPECT_EQ(complaint.empty(), job_complaint(text).empty()) << text << "\n"
                                                                  << complaint << "\n"
                                                                  << job_complaint(text);
    }
    // What was written as a result keeps the schema of results.
    nlohmann::ordered_json results = nlohmann::ordered_json::object();
    add_schema("result", JobOfAllKinds{}, SchemaOf::Result, results);
    nlohmann::ordered_json result;
    JobOfAllKinds job = parse_job(kWholeJob);
    job.skin.thickness = std::numeric_limits<double>::quiet_NaN();
    add_fields(job, result);
    EXPECT_EQ(support::schema_complaint({{"$ref", "#/$defs/result"}, {"$defs", results}},
                                        nlohmann::ordered_json::parse(result.dump())),
              "");
    result.erase("up");
    EXPECT_NE(support::schema_complaint({{"$ref", "#/$defs/result"}, {"$defs", results}}, result),
              "");
}

TEST(SettingsJson, WhatIsWrittenIsReadBack) {
    const BuildSettings sent{.passes = 3,
                             .step = 0.1,
                             .patience = 5,
                             .is_closed = true,
                             .name = "a \"b\"",
                             .resolution = Resolution::Fine};
    const BuildSettings back = parse(settings_to_json(sent));
    EXPECT_EQ(back.passes, 3);
    EXPECT_EQ(back.step, 0.1);
    EXPECT_EQ(back.patience, 5);
    EXPECT_TRUE(back.is_closed);
    EXPECT_EQ(back.name, "a \"b\"");
    EXPECT_EQ(back.resolution, Resolution::Fine);
    EXPECT_EQ(settings_to_json(back), settings_to_json(sent));
}

TEST(SettingsJson, AbsentFieldsKeepTheirDefaults) {
    const BuildSettings s = parse(R"({"version": 1, "step": 1})");
    EXPECT_EQ(s.step, 1.0);
    EXPECT_EQ(s.passes, 10);
    EXPECT_TRUE(std::isinf(s.patience));
    EXPECT_TRUE(std::isinf(parse(settings_to_json(BuildSettings{})).patience));
}

TEST(SettingsJson, UnknownKeysGetASuggestion) {
    const std::string message = message_of(R"({"version": 1, "pases": 3})");
    EXPECT_NE(message.find("did you mean 'passes'"), std::string::npos) << message;
    EXPECT_NE(message.find("body.json"), std::string::npos) << message;
    const std::string choice = message_of(R"({"version": 1, "resolution": "standart"})");
    EXPECT_NE(choice.find("did you mean 'standard'"), std::string::npos) << choice;
}

TEST(SettingsJson, PlaceOfASyntaxErrorIsNamed) {
    const std::string message = message_of("{\"version\": 1,\n \"name\": \xff}");
    EXPECT_NE(message.find("body.json"), std::string::npos) << message;
    EXPECT_NE(message.find("line 2, column 10"), std::string::npos) << message;
    EXPECT_EQ(message.find("json.exception"), std::string::npos) << message;
    EXPECT_EQ(message.find('\xff'), std::string::npos) << message;
}

TEST(SettingsJson, WrongValuesAreRefused) {
    for (const std::string_view text : {
             R"({"version": 1, "passes": 101})",
             R"({"version": 1, "passes": 1.5})",
             R"({"version": 1, "passes": "3"})",
             R"({"version": 1, "passes": 99999999999})",
             R"({"version": 1, "passes": 18446744073709551615})",
             R"({"version": 1, "passes": -9223372036854775808})",
             R"({"version": 1, "step": 0})",
             R"({"version": 1, "step": "infinity"})",
             R"({"version": 1, "step": 1e999})",
             R"({"version": 1, "step": null})",
             R"({"version": 1, "is_closed": 1})",
             R"({"version": 1, "name": 1})",
             R"({"version": 1, "resolution": 1})",
             R"({"version": 1, "step": 0.1, "step": 0.2})",
             R"({"version": 2})",
             R"({"version": "1"})",
             R"({"step": 0.5})",
             R"([1])",
             R"(17)",
             R"({"version": 1)",
             "",
             "\xff\xfe",
         }) {
        EXPECT_FALSE(message_of(text).empty()) << text;
    }
    EXPECT_NE(message_of(R"({"version": 2})").find("update"), std::string::npos);
}

TEST(SettingsJson, DamageIsSurvived) {
    support::expect_damage_is_survived(
        settings_to_json(BuildSettings{.patience = 3}), [](std::string_view text) { parse(text); },
        1000);
    EXPECT_THROW(parse(std::string(100'000, '[')), InputError);
}

}  // namespace sinew
