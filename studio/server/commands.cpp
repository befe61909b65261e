#include "studio/server/commands.h"

#include "sinew/base/error.h"
#include "sinew/base/nesting.h"

#include <fmt/format.h>

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

const std::map<std::string, int>& layer_numbers() {
    static const std::map<std::string, int> kLayers = {
        {"skin", 0}, {"muscles", 1}, {"bones", 2}, {"envelope", 3}, {"tets", 4}, {"fibres", 5}};
    return kLayers;
}

void check_number(const Json& value, const CommandField& field, const std::string& where) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
        throw not_as_agreed(where, "a number");
    }
    const double number = value.get<double>();
    if (number < field.low || number > field.high) {
        throw InputError({.where = where,
                          .found = fmt::format("{}", number),
                          .needs = fmt::format("a number from {} to {}", field.low, field.high),
                          .remedy = "stay within the range"});
    }
}

void check_list(const Json& value, const CommandField& field, const std::string& where) {
    if (!value.is_array()) {
        throw not_as_agreed(where, "a list");
    }
    for (const Json& entry : value) {
        if (field.kind == FieldKind::Numbers) {
            check_number(entry, field, where);
        } else if (field.kind == FieldKind::Indices && !entry.is_number_unsigned()) {
            throw not_as_agreed(where, "whole numbers from 0");
        } else if (field.kind == FieldKind::Layers &&
                   !(entry.is_string() && layer_numbers().contains(entry.get<std::string>()))) {
            throw not_as_agreed(where, "skin, muscles, bones, envelope, tets or fibres");
        }
    }
}

void check_named(const Json& value, const CommandField& field, const std::string& where) {
    if (!value.is_object()) {
        throw not_as_agreed(where, "names with values");
    }
    for (const auto& [name, entry] : value.items()) {
        const std::string here = fmt::format("{}, '{}'", where, name);
        if (field.kind == FieldKind::NamedNumbers) {
            check_number(entry, field, here);
        } else if (field.kind == FieldKind::NamedTriples) {
            if (!entry.is_array() || entry.size() != 3) {
                throw not_as_agreed(here, "three numbers");
            }
            for (const Json& number : entry) {
                check_number(number, field, here);
            }
        }
    }
}

void check_changes(const Json& value, const CommandField& field, const std::string& where) {
    if (!value.is_array() || value.size() > kMostChanges) {
        throw not_as_agreed(where, fmt::format("a list of at most {}", kMostChanges));
    }
    for (const Json& entry : value) {
        if (!entry.is_object()) {
            throw not_as_agreed(where, "{target, value}");
        }
        const std::string target = text_field(entry, "target");
        const Json& wish = field_of(entry, "value");
        const bool is_switch = wish.is_boolean() && target == "gravity";
        if (!wish.is_null() && !is_switch) {
            check_number(wish, field, fmt::format("target '{}'", target));
        }
    }
}

void check_field(const Json& value, const CommandField& field) {
    const std::string where = named(field.name.c_str());
    switch (field.kind) {
        case FieldKind::Text:
            if (!value.is_string()) {
                throw not_as_agreed(where, "a text");
            }
            break;
        case FieldKind::Number:
            check_number(value, field, where);
            break;
        case FieldKind::Truth:
            if (!value.is_boolean()) {
                throw not_as_agreed(where, "true or false");
            }
            break;
        case FieldKind::Numbers:
        case FieldKind::Indices:
        case FieldKind::Layers:
            check_list(value, field, where);
            break;
        case FieldKind::Object:
        case FieldKind::NamedNumbers:
        case FieldKind::NamedTriples:
            check_named(value, field, where);
            break;
        case FieldKind::Changes:
            check_changes(value, field, where);
            break;
    }
}

}  // namespace

std::optional<Json> parse_command(std::string_view text) {
    // Copies and texts of JSON are made by recursion, which a stack does not bear at any depth.
    if (is_json_nested_deeper(text, kDeepest)) {
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

void check_fields(const std::vector<CommandField>& fields, const Json& message) {
    for (const CommandField& field : fields) {
        const auto it = message.find(field.name);
        if (it != message.end() && !(it->is_null() && !field.is_needed)) {
            check_field(*it, field);
        } else if (field.is_needed) {
            field_of(message, field.name.c_str());  // says that it is not there
        }
    }
}

EditCommand read_edit(const Json& message) {
    EditCommand edit{.drags = truth_field(message, "dragging", false)};
    for (const Json& entry : message.at("changes")) {
        Change change{.target = entry.at("target").get<std::string>()};
        const Json& value = entry.at("value");
        if (value.is_boolean()) {
            change.value = value.get<bool>() ? 1.0 : 0.0;
        } else if (!value.is_null()) {
            change.value = value.get<double>();
        }
        edit.changes.push_back(std::move(change));
    }
    return edit;
}

PaintCommand read_paint(const Json& message, std::size_t count) {
    if (const auto it = message.find("count");
        it != message.end() && it->is_number() && it->get<double>() != static_cast<double>(count)) {
        throw InputError({.where = "painting",
                          .found = "strokes on another skin",
                          .needs = "the skin that is shown now",
                          .remedy = "paint again"});
    }
    const Json& list = message.at("vertices");
    const Json& numbers = message.at("values");
    if (list.size() != numbers.size()) {
        throw not_as_agreed("fields 'vertices' and 'values'", "two lists of one length");
    }
    PaintCommand paint{.ends = truth_field(message, "end", true)};
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].get<std::uint64_t>() >= count) {
            throw not_as_agreed(named("vertices"), fmt::format("numbers below {}", count));
        }
        paint.vertices.push_back(list[i].get<std::uint32_t>());
        paint.values.push_back(numbers[i].get<double>());
    }
    if (const auto it = message.find("amount"); it != message.end() && !it->is_null()) {
        paint.amount = it->get<double>();
    }
    return paint;
}

std::set<int> read_layers(const Json& message) {
    std::set<int> layers;
    for (const Json& name : message.at("layers")) {
        layers.insert(layer_numbers().at(name.get<std::string>()));
    }
    return layers;
}

std::map<std::string, std::array<double, 3>> read_pose(const Json& message) {
    return message.at("joints").get<std::map<std::string, std::array<double, 3>>>();
}

std::map<std::string, double> read_activations(const Json& message) {
    return message.at("activations").get<std::map<std::string, double>>();
}

}  // namespace sinew::studio
