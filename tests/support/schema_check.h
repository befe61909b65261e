#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <regex>
#include <string>

namespace sinew::support {

/// Whether a value keeps a JSON Schema: a small validator of the keywords that Sinew's schemas use.
/// A keyword that it does not know is a complaint too, so that nothing passes unseen.
/// @param root  the schema that "$ref": "#/$defs/..." refers to
/// @return what is wrong and where; empty: nothing
inline std::string schema_complaint(const nlohmann::ordered_json& schema,
                                    const nlohmann::ordered_json& value,
                                    const nlohmann::ordered_json& root, const std::string& place) {
    using Json = nlohmann::ordered_json;
    const auto is_of_type = [&](const std::string& type) {
        return type == "object"    ? value.is_object()
               : type == "array"   ? value.is_array()
               : type == "string"  ? value.is_string()
               : type == "boolean" ? value.is_boolean()
               : type == "null"    ? value.is_null()
               : type == "number"  ? value.is_number()
               : type == "integer"
                   ? value.is_number() && value.get<double>() == std::floor(value.get<double>())
                   : false;
    };
    for (const auto& keyword : schema.items()) {
        const std::string& key = keyword.key();
        const Json& wanted = keyword.value();
        const auto complain = [&](const std::string& text) {
            return fmt::format("{}: {} ({}: {})", place, text, key, wanted.dump());
        };
        if (key == "$ref") {
            const Json::json_pointer pointer(wanted.get<std::string>().substr(1));
            const std::string inner = schema_complaint(root.at(pointer), value, root, place);
            if (!inner.empty()) {
                return inner;
            }
        } else if (key == "type") {
            const Json types = wanted.is_array() ? wanted : Json::array({wanted});
            if (std::none_of(types.begin(), types.end(),
                             [&](const Json& t) { return is_of_type(t.get<std::string>()); })) {
                return complain("another type");
            }
        } else if (key == "enum") {
            if (std::find(wanted.begin(), wanted.end(), value) == wanted.end()) {
                return complain("none of these");
            }
        } else if (key == "const") {
            if (value != wanted) {
                return complain("another value");
            }
        } else if (key == "pattern") {
            if (value.is_string() && !std::regex_search(value.get<std::string>(),
                                                        std::regex(wanted.get<std::string>()))) {
                return complain("another text");
            }
        } else if (key == "minimum" || key == "maximum" || key == "exclusiveMinimum" ||
                   key == "exclusiveMaximum") {
            if (value.is_number()) {
                const double x = value.get<double>();
                const double end = wanted.get<double>();
                const bool is_inside = key == "minimum"            ? x >= end
                                       : key == "maximum"          ? x <= end
                                       : key == "exclusiveMinimum" ? x > end
                                                                   : x < end;
                if (!is_inside) {
                    return complain(value.dump());
                }
            }
        } else if (key == "minItems" || key == "maxItems") {
            if (value.is_array() &&
                (key == "minItems" ? value.size() < wanted.get<std::size_t>()
                                   : value.size() > wanted.get<std::size_t>())) {
                return complain(fmt::format("{} items", value.size()));
            }
        } else if (key == "items") {
            for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
                const std::string inner =
                    schema_complaint(wanted, value[i], root, fmt::format("{}[{}]", place, i));
                if (!inner.empty()) {
                    return inner;
                }
            }
        } else if (key == "properties" || key == "additionalProperties") {
            for (auto it = value.begin(); value.is_object() && it != value.end(); ++it) {
                const bool is_named =
                    schema.contains("properties") && schema["properties"].contains(it.key());
                if (is_named != (key == "properties")) {
                    continue;
                }
                if (wanted.is_boolean()) {
                    if (!wanted.get<bool>()) {
                        return complain(fmt::format("unknown '{}'", it.key()));
                    }
                    continue;
                }
                const std::string inner =
                    schema_complaint(is_named ? wanted[it.key()] : wanted, it.value(), root,
                                     fmt::format("{}.{}", place, it.key()));
                if (!inner.empty()) {
                    return inner;
                }
            }
        } else if (key == "required") {
            for (const Json& name : wanted) {
                if (value.is_object() && !value.contains(name.get<std::string>())) {
                    return complain(fmt::format("no '{}'", name.get<std::string>()));
                }
            }
        } else if (key == "anyOf") {
            std::string first;
            bool fits = false;
            for (const Json& option : wanted) {
                const std::string inner = schema_complaint(option, value, root, place);
                fits = fits || inner.empty();
                first = first.empty() ? inner : first;
            }
            if (!fits) {
                return first;
            }
        } else if (key != "$schema" && key != "$defs" && key != "title" && key != "description" &&
                   key != "default" && key != "$comment") {
            return complain("a keyword that this validator does not know");
        }
    }
    return {};
}

inline std::string schema_complaint(const nlohmann::ordered_json& schema,
                                    const nlohmann::ordered_json& value) {
    return schema_complaint(schema, value, schema, "value");
}

}  // namespace sinew::support
