#include "studio/server/commands.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew::studio {

namespace {

constexpr std::size_t kMostChanges = 1000;
constexpr int kDeepest = 32;  // brackets within brackets
constexpr std::size_t kLongestId = 64;

InputError not_as_agreed(const std::string& where, const std::string& needs) {
    return InputError({.where = where,
                       .found = "something else",
                       .needs = needs,
                       .remedy = "see docs/studio-protocol.md"});
}

std::string named(const char* name) {
    return fmt::format("field '{}'", name);
}

const Json& field_of(const Json& message, const char* name) {
    const auto it = message.find(name);
    if (it == message.end()) {
        throw InputError({.where = named(name),
                          .found = "nothing",
                          .needs = "a value",
                          .remedy = "see docs/studio-protocol.md"});
    }
    return *it;
}

double number_of(const Json& value, const std::string& where) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
        throw not_as_agreed(where, "a number");
    }
    return value.get<double>();
}

const Json& object_field(const Json& message, const char* name) {
    const Json& value = field_of(message, name);
    if (!value.is_object()) {
        throw not_as_agreed(named(name), "names with values");
    }
    return value;
}

// Copies and texts of JSON are made by recursion, which a stack does not bear at any depth.
bool is_too_deep(std::string_view text) {
    int depth = 0;
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_quoted) {
            i += c == '\\' ? 1 : 0;
            is_quoted = c != '"';
        } else if (c == '"') {
            is_quoted = true;
        } else if ((c == '[' || c == '{') && ++depth > kDeepest) {
            return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

}  // namespace

std::optional<Json> parse_command(std::string_view text) {
    if (is_too_deep(text)) {
        return std::nullopt;
    }
    Json message = Json::parse(text, nullptr, false);
    return message.is_object() ? std::optional<Json>(std::move(message)) : std::nullopt;
}

Json id_of(const Json& message) {
    const auto it = message.find("id");
    const bool is_id =
        it != message.end() &&
        (it->is_number() ||
         (it->is_string() && it->get_ref<const std::string&>().size() <= kLongestId));
    return is_id ? *it : Json(nullptr);
}

std::string text_field(const Json& message, const char* name) {
    const Json& value = field_of(message, name);
    if (!value.is_string()) {
        throw not_as_agreed(named(name), "a text");
    }
    return value.get<std::string>();
}

std::string optional_text(const Json& message, const char* name) {
    const auto it = message.find(name);
    return it == message.end() || it->is_null() ? std::string() : text_field(message, name);
}

bool truth_field(const Json& message, const char* name, bool otherwise) {
    const auto it = message.find(name);
    if (it == message.end() || it->is_null()) {
        return otherwise;
    }
    if (!it->is_boolean()) {
        throw not_as_agreed(named(name), "true or false");
    }
    return it->get<bool>();
}

double number_field(const Json& message, const char* name) {
    return number_of(field_of(message, name), named(name));
}

EditCommand read_edit(const Json& message) {
    const Json& list = field_of(message, "changes");
    if (!list.is_array() || list.size() > kMostChanges) {
        throw not_as_agreed(named("changes"), fmt::format("a list of at most {}", kMostChanges));
    }
    EditCommand edit{.drags = truth_field(message, "dragging", false)};
    for (const Json& entry : list) {
        if (!entry.is_object()) {
            throw not_as_agreed(named("changes"), "{target, value}");
        }
        Change change{.target = text_field(entry, "target")};
        const Json& value = field_of(entry, "value");
        if (value.is_boolean()) {
            change.value = value.get<bool>() ? 1.0 : 0.0;
        } else if (!value.is_null()) {
            change.value = number_of(value, fmt::format("target '{}'", change.target));
        }
        edit.changes.push_back(std::move(change));
    }
    return edit;
}

PaintCommand read_paint(const Json& message, std::size_t count) {
    const Json& list = field_of(message, "vertices");
    const Json& numbers = field_of(message, "values");
    if (message.contains("count") && number_field(message, "count") != static_cast<double>(count)) {
        throw InputError({.where = "painting",
                          .found = "strokes on another skin",
                          .needs = "the skin that is shown now",
                          .remedy = "paint again"});
    }
    if (!list.is_array() || !numbers.is_array() || list.size() != numbers.size()) {
        throw not_as_agreed("fields 'vertices' and 'values'", "two lists of one length");
    }
    PaintCommand paint{.ends = truth_field(message, "end", true)};
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!list[i].is_number_unsigned() || list[i].get<std::uint64_t>() >= count) {
            throw not_as_agreed(named("vertices"), fmt::format("numbers below {}", count));
        }
        paint.vertices.push_back(list[i].get<std::uint32_t>());
        paint.values.push_back(number_of(numbers[i], named("values")));
    }
    if (const auto it = message.find("amount"); it != message.end() && !it->is_null()) {
        paint.amount = number_of(*it, named("amount"));
    }
    return paint;
}

std::set<int> read_layers(const Json& message) {
    static const std::map<std::string, int> kLayers = {
        {"skin", 0}, {"muscles", 1}, {"bones", 2}, {"envelope", 3}, {"tets", 4}, {"fibres", 5}};
    const Json& names = field_of(message, "layers");
    if (!names.is_array()) {
        throw not_as_agreed(named("layers"), "a list of layers");
    }
    std::set<int> layers;
    for (const Json& name : names) {
        const auto it = name.is_string() ? kLayers.find(name.get<std::string>()) : kLayers.end();
        if (it == kLayers.end()) {
            throw not_as_agreed(named("layers"), "skin, muscles, bones, envelope, tets or fibres");
        }
        layers.insert(it->second);
    }
    return layers;
}

std::map<std::string, std::array<double, 3>> read_pose(const Json& message) {
    std::map<std::string, std::array<double, 3>> pose;
    for (const auto& [name, angles] : object_field(message, "joints").items()) {
        const std::string where = fmt::format("joint '{}'", name);
        if (!angles.is_array() || angles.size() != 3) {
            throw not_as_agreed(where, "three numbers");
        }
        for (std::size_t k = 0; k < 3; ++k) {
            pose[name][k] = number_of(angles[k], where);
        }
    }
    return pose;
}

std::map<std::string, double> read_activations(const Json& message) {
    std::map<std::string, double> activations;
    for (const auto& [word, value] : object_field(message, "activations").items()) {
        activations[word] = std::clamp(number_of(value, fmt::format("'{}'", word)), 0.0, 1.0);
    }
    return activations;
}

}  // namespace sinew::studio
