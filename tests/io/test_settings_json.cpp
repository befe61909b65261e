#include "sinew/base/error.h"
#include "sinew/io/settings_json.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/mutate.h"

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

}  // namespace

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
