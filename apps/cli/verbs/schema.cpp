#include "sinew/base/text.h"
#include "sinew/io/json_schema.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

/// A flag as a property: type, range, choices.
Json option_schema(const Option& option) {
    Json schema = {{"description", option.help}};
    const bool is_whole = std::holds_alternative<int*>(option.target);
    if (std::holds_alternative<bool*>(option.target)) {
        schema["type"] = "boolean";
    } else if (std::holds_alternative<std::vector<std::string>*>(option.target)) {
        schema["type"] = "array";
        schema["items"] = {{"type", "string"}};
    } else if (is_whole || std::holds_alternative<double*>(option.target) ||
               !option.default_text.empty()) {
        schema["type"] = is_whole ? "integer" : "number";
        detail::JsonBuilder range;
        range.begin_object();
        detail::write_range(range, option.range, is_whole);
        range.end();
        detail::merge_json(range.text(), schema);
    } else {
        schema["type"] = "string";
        if (!option.choices.empty()) {
            schema["enum"] = option.choices;
        }
    }
    return schema;
}

/// "-o,--output" is "output"; a flag that is spelt --no-X or !--no-X keeps that name.
std::string property_name(const Option& option) {
    const std::size_t dashes = option.name.find("--");
    return dashes == std::string::npos ? option.name : option.name.substr(dashes + 2);
}

/// All that the command line takes, one property per option or argument.
Json options_schema(const Verb& verb) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const Option& option : verb.options) {
        properties[property_name(option)] = option_schema(option);
        if (option.is_required) {
            required.push_back(property_name(option));
        }
    }
    return {{"type", "object"},
            {"description", "arguments and flags of the command line, without the dashes"},
            {"properties", properties},
            {"required", required},
            {"additionalProperties", false}};
}

Json error_schema() {
    Json parts = Json::object();
    for (const char* part : {"where", "found", "needs", "remedy"}) {
        parts[part] = {{"type", "string"}};
    }
    parts["file"] = {{"type", {"string", "null"}},
                     {"description", "the file that it is about, as it was given"}};
    return {{"type", "object"},
            {"description", "what --json prints in place of a result when the verb fails"},
            {"properties",
             {{"error",
               {{"type", "object"},
                {"properties", parts},
                {"required", {"where", "found", "needs", "remedy", "file"}},
                {"additionalProperties", false}}},
              {"exit", {{"type", "integer"}, {"description", "the exit code"}}}}},
            {"required", {"error", "exit"}},
            {"additionalProperties", false}};
}

}  // namespace

Verb schema_verb(const std::vector<Verb>& others) {
    auto name = std::make_shared<std::string>();
    std::vector<std::string> names;
    for (const Verb& verb : others) {
        names.push_back(verb.name);
    }
    return {.name = "schema",
            .summary = "Print the JSON Schema of a verb's job file, options and --json result",
            .examples =
                "  sinew schema grow > grow.schema.json\n"
                "The schema itself is that of the verb's job file, or of its options where there "
                "is none;\n"
                "#/$defs/options, #/$defs/result and #/$defs/error are beside it. See "
                "docs/jobs.md.",
            .options = {{.name = "verb",
                         .help = "whose schema",
                         .target = name.get(),
                         .metavar = "VERB",
                         .choices = names,
                         .is_required = true}},
            .run = [name, others](const Context& context, Json& result) {
                const auto verb =
                    std::find_if(others.begin(), others.end(),
                                 [&](const Verb& other) { return other.name == *name; });
                Json definitions = {{"options", options_schema(*verb)}, {"error", error_schema()}};
                if (verb->describe) {
                    verb->describe(definitions);
                }
                if (!definitions.contains("result")) {
                    definitions["result"] = {{"type", "object"}};
                }
                result = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                          {"title", "sinew " + verb->name},
                          {"description", verb->summary},
                          {"$ref", definitions.contains("job") ? "#/$defs/job" : "#/$defs/options"},
                          {"$defs", definitions}};
                if (context.tells()) {
                    fmt::print("{}\n", result.dump(2));
                }
                return kOk;
            }};
}

}  // namespace sinew::cli
