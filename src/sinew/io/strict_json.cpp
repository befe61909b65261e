#include "sinew/io/strict_json.h"

#include "sinew/base/error.h"
#include "sinew/base/nesting.h"
#include "sinew/base/text.h"
#include "sinew/io/file_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr std::uint64_t kMaxJsonBytes = std::uint64_t{64} << 20;

/// Nested no deeper than that: spelling out a value takes stack for each level.
bool is_shallow(const nlohmann::json& value, int depth) {
    return !value.is_structured() ||
           (depth > 0 && std::all_of(value.begin(), value.end(), [&](const nlohmann::json& inner) {
                return is_shallow(inner, depth - 1);
            }));
}

std::string shown(const nlohmann::json& value) {
    if (!is_shallow(value, 4)) {
        return fmt::format("{} nested deep", value.is_array() ? "an array" : "an object");
    }
    const std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

}  // namespace

StrictJson::StrictJson(const nlohmann::json& value, std::string where)
    : value_(&value), where_(std::move(where)) {}

StrictJson StrictJson::named(std::string where) const {
    return {*value_, std::move(where)};
}

void StrictJson::refuse(std::string found, std::string needs) const {
    throw InputError({.where = where_,
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "correct the file"});
}

bool StrictJson::has(const char* key) const {
    return value_->is_object() && value_->contains(key);
}

StrictJson StrictJson::at(const char* key) const {
    if (!value_->is_object()) {
        refuse(shown(*value_), "an object {...}");
    }
    const auto found = value_->find(key);
    if (found == value_->end()) {
        refuse(fmt::format("no '{}'", key), fmt::format("the key '{}'", key));
    }
    return {*found, fmt::format("{}, {}", where_, key)};
}

void StrictJson::allow_only(std::initializer_list<const char*> keys) const {
    if (!value_->is_object()) {
        refuse(shown(*value_), "an object {...}");
    }
    const std::vector<std::string> known(keys.begin(), keys.end());
    for (const auto& item : value_->items()) {
        if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
            refuse(fmt::format("unknown key '{}'{}", item.key().substr(0, 80),
                               did_you_mean(item.key().substr(0, 80), known)),
                   "only " + join(known, ", "));
        }
    }
}

bool StrictJson::is_null() const {
    return value_->is_null();
}

bool StrictJson::is_text() const {
    return value_->is_string();
}

std::string StrictJson::text() const {
    if (!value_->is_string()) {
        refuse(shown(*value_), "a text in quotes");
    }
    return value_->get<std::string>();
}

double StrictJson::number() const {
    if (!value_->is_number() || !std::isfinite(value_->get<double>())) {
        refuse(shown(*value_), "a finite number");
    }
    return value_->get<double>();
}

bool StrictJson::truth() const {
    if (!value_->is_boolean()) {
        refuse(shown(*value_), "true or false");
    }
    return value_->get<bool>();
}

std::vector<StrictJson> StrictJson::items() const {
    if (!value_->is_array()) {
        refuse(shown(*value_), "a list [...]");
    }
    std::vector<StrictJson> result;
    result.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i) {
        result.emplace_back((*value_)[i], fmt::format("{} {}", where_, i));
    }
    return result;
}

std::vector<double> StrictJson::numbers() const {
    std::vector<double> result;
    for (const StrictJson& item : items()) {
        result.push_back(item.number());
    }
    return result;
}

std::vector<double> StrictJson::numbers(std::size_t count) const {
    std::vector<double> result = numbers();
    if (result.size() != count) {
        refuse(fmt::format("{} numbers", result.size()), fmt::format("{} numbers", count));
    }
    return result;
}

std::vector<std::string> StrictJson::texts() const {
    if (value_->is_string()) {
        return {text()};
    }
    std::vector<std::string> result;
    for (const StrictJson& item : items()) {
        result.push_back(item.text());
    }
    return result;
}

std::vector<std::pair<std::string, StrictJson>> StrictJson::members() const {
    if (!value_->is_object()) {
        refuse(shown(*value_), "an object {...}");
    }
    std::vector<std::pair<std::string, StrictJson>> result;
    for (const auto& item : value_->items()) {
        result.emplace_back(item.key(),
                            StrictJson(item.value(), fmt::format("{}, {}", where_, item.key())));
    }
    return result;
}

Vec3 read_vec3(const StrictJson& json) {
    const std::vector<double> v = json.numbers(3);
    return {v[0], v[1], v[2]};
}

std::string json_complaint(const nlohmann::json::exception& error) {
    constexpr std::size_t kLongest = 240;
    std::string_view text = error.what();
    if (const std::size_t end = text.find("] "); text.starts_with("[json.") && end < text.size()) {
        text.remove_prefix(end + 2);
    }
    std::string clean;
    for (const char c : text.substr(0, kLongest)) {
        clean += c >= 0x20 && c < 0x7f ? c : '?';
    }
    return text.size() > kLongest ? clean + "..." : clean;
}

void refuse_json_nesting(const std::string& where) {
    throw InputError({.where = where,
                      .found = fmt::format("brackets nested deeper than {} levels", kMaxNesting),
                      .needs = "fewer levels",
                      .remedy = "write the file again; it is damaged or made to do harm"});
}

nlohmann::json parse_json(std::string_view text, const std::string& where) {
    if (is_json_nested_deeper(text)) {
        refuse_json_nesting(where);
    }
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& error) {
        throw InputError({.where = where,
                          .found = json_complaint(error),
                          .needs = "valid JSON",
                          .remedy = "correct the file at the place named"});
    }
}

nlohmann::json parse_json_file(const std::filesystem::path& path) {
    return parse_json(read_file_bytes(path, kMaxJsonBytes), path.filename().string());
}

}  // namespace sinew
