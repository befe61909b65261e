#include "sinew/io/json_schema.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace sinew::detail {

void merge_json(const std::string& from, nlohmann::ordered_json& to) {
    to.update(nlohmann::ordered_json::parse(from));
}

void write_type(JsonBuilder& out, std::string_view type) {
    out.key("type");
    out.value(type);
}

void write_range(JsonBuilder& out, const Field& field, bool is_whole) {
    const auto write = [&](const char* key, double end) {
        if (std::isfinite(end)) {
            out.key(key);
            if (is_whole) {
                out.value(static_cast<std::int64_t>(end));
            } else {
                out.value(end);
            }
        }
    };
    write("minimum", field.min);
    write("exclusiveMinimum", field.above);
    write("maximum", field.max);
    write("exclusiveMaximum", field.below);
}

void write_version_schema(JsonBuilder& out) {
    out.key("version");
    out.begin_object();
    out.key("const");
    out.value(std::int64_t{kSettingsVersion});
    out.end();
}

void write_description(JsonBuilder& out, const Field& field) {
    out.key("description");
    out.value(std::string_view(field.unit.empty() ? std::string(field.help)
                                                  : fmt::format("{}; {}", field.help, field.unit)));
}

}  // namespace sinew::detail
