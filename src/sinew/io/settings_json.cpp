#include "sinew/io/settings_json.h"

#include "sinew/base/error.h"
#include "sinew/base/nesting.h"
#include "sinew/base/text.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/strict_json.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace sinew {

namespace detail {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kMaxBytes = 16 << 20;
constexpr std::string_view kVersionKey = "version";
constexpr std::string_view kInfinity = "infinity";

[[noreturn]] void refuse(std::string where, std::string found, std::string needs,
                         std::string remedy) {
    throw InputError({.where = std::move(where),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = std::move(remedy)});
}

// Lists and objects are only named: they may be nested deeper than the stack.
std::string shown_setting(const OrderedJson& value) {
    if (value.is_structured()) {
        return fmt::format("an {}", value.type_name());
    }
    return sinew::quoted(value.dump(-1, ' ', true, OrderedJson::error_handler_t::replace));
}

const OrderedJson& json_at(const void* value) {
    return *static_cast<const OrderedJson*>(value);
}

/// Refuses a key that is given twice, which a parser would pass over in silence.
OrderedJson parse_strictly(std::string_view text, const std::string& where) {
    std::vector<std::set<std::string>> keys;
    std::string doubled;
    const auto watch = [&](int depth, OrderedJson::parse_event_t event, OrderedJson& parsed) {
        if (depth > kMaxNesting) {
            refuse_json_nesting(where);
        }
        if (event == OrderedJson::parse_event_t::object_start) {
            keys.emplace_back();
        } else if (event == OrderedJson::parse_event_t::object_end) {
            keys.pop_back();
        } else if (event == OrderedJson::parse_event_t::key &&
                   !keys.back().insert(parsed.get<std::string>()).second) {
            doubled = parsed.get<std::string>();
        }
        return true;
    };
    OrderedJson root;
    try {
        root = OrderedJson::parse(text, watch, true, true);
    } catch (const OrderedJson::exception& e) {
        refuse(where, fmt::format("text that is not JSON ({})", json_complaint(e)), "a JSON object",
               "mend the text at that place");
    }
    if (!doubled.empty()) {
        refuse(where, fmt::format("the key {} twice", sinew::quoted(doubled)), "every key once",
               "remove one of them");
    }
    return root;
}

}  // namespace

bool JsonNode::is_null() const {
    return json_at(value_).is_null();
}

bool JsonNode::is_text() const {
    return json_at(value_).is_string();
}

void JsonNode::wrong_type(const Field& field, std::string_view needs) const {
    refuse(place_.text(), shown_setting(json_at(value_)), std::string(needs),
           fmt::format("give {} ({})", needs, field.help.empty() ? "setting" : field.help));
}

void JsonNode::lacks(const Field& field) const {
    refuse(place_.text(), fmt::format("no '{}'", field.name),
           fmt::format("the key '{}': {}", field.name, field.help), "add it");
}

void JsonNode::has_other_count(const Field& field, std::size_t count, std::ptrdiff_t wanted) const {
    const std::string needs = wanted == 2   ? "two values"
                              : wanted == 3 ? "three numbers"
                                            : fmt::format("{} values", wanted);
    refuse(place_.text(), fmt::format("{} of them", count), needs,
           fmt::format("give {} ({})", needs, field.help.empty() ? "setting" : field.help));
}

void JsonNode::allow_only(const std::vector<std::string>& known, bool has_version) const {
    const std::string where = place_.text();
    if (!json_at(value_).is_object()) {
        refuse(where, shown_setting(json_at(value_)), "an object {...}",
               "put the settings in braces");
    }
    for (const auto& [key, value] : json_at(value_).items()) {
        const bool is_version = has_version && key == kVersionKey;
        if (!is_version && std::find(known.begin(), known.end(), key) == known.end()) {
            const std::string word = key.substr(0, 80);
            refuse(
                where,
                fmt::format("unknown setting {}{}", sinew::quoted(word), did_you_mean(word, known)),
                fmt::format("one of: {}", join(known, ", ")), "correct or remove it");
        }
    }
    if (!has_version) {
        return;
    }
    const auto version = json_at(value_).find(std::string(kVersionKey));
    if (version == json_at(value_).end() || !version->is_number_integer()) {
        refuse(where, "no version", fmt::format("\"version\": {}", kSettingsVersion),
               "add that line");
    }
    if (*version != kSettingsVersion) {
        refuse(where, fmt::format("settings of version {}", version->dump()),
               fmt::format("version {}", kSettingsVersion),
               *version > kSettingsVersion ? "update Sinew" : "write the settings again");
    }
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
    const auto found = json_at(value_).find(std::string(key));
    return found == json_at(value_).end() ? std::nullopt
                                          : std::optional(JsonNode(&*found, place_.field(key)));
}

std::vector<JsonNode> JsonNode::items(const Field& field) const {
    if (!json_at(value_).is_array()) {
        wrong_type(field, "a list [...]");
    }
    std::vector<JsonNode> list;
    for (std::size_t i = 0; i < json_at(value_).size(); ++i) {
        list.emplace_back(&json_at(value_)[i], place_.item(i));
    }
    return list;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members(const Field& field) const {
    if (!json_at(value_).is_object()) {
        wrong_type(field, "an object {...}");
    }
    std::vector<std::pair<std::string, JsonNode>> list;
    for (const auto& [key, value] : json_at(value_).items()) {
        // The key may be anything, its place must stay readable.
        list.emplace_back(key, JsonNode(&value, place_.field(sinew::quoted(key.substr(0, 80)))));
    }
    return list;
}

bool JsonNode::truth(const Field& field) const {
    if (!json_at(value_).is_boolean()) {
        wrong_type(field, "true or false");
    }
    return json_at(value_).get<bool>();
}

std::int64_t JsonNode::whole(const Field& field, std::int64_t low, std::int64_t high) const {
    // Unsigned numbers beyond int64 must not wrap around.
    const bool fits =
        json_at(value_).is_number_unsigned()
            ? json_at(value_).get<std::uint64_t>() <= static_cast<std::uint64_t>(high)
            : json_at(value_).is_number_integer() && json_at(value_).get<std::int64_t>() >= low;
    if (!fits) {
        wrong_type(field, "a whole number");
    }
    return json_at(value_).get<std::int64_t>();
}

double JsonNode::number(const Field& field) const {
    if (json_at(value_).is_string() && json_at(value_).get<std::string>() == kInfinity) {
        return std::numeric_limits<double>::infinity();
    }
    if (!json_at(value_).is_number()) {
        wrong_type(field, "a number");
    }
    return json_at(value_).get<double>();
}

std::string JsonNode::text(const Field& field) const {
    if (!json_at(value_).is_string()) {
        wrong_type(field, "a text");
    }
    return json_at(value_).get<std::string>();
}

NumberOrText JsonNode::number_or_text(const Field& field) const {
    if (json_at(value_).is_number()) {
        return number(field);
    }
    if (!json_at(value_).is_string()) {
        wrong_type(field, "a number or a text");
    }
    return text(field);
}

int JsonNode::choice(const Field& field) const {
    const std::string word = json_at(value_).is_string() ? json_at(value_).get<std::string>() : "";
    for (std::size_t i = 0; i < field.choices.size(); ++i) {
        if (word == field.choices[i]) {
            return static_cast<int>(i);
        }
    }
    const std::vector<std::string> choices(field.choices.begin(), field.choices.end());
    refuse(place_.text(),
           shown_setting(json_at(value_)) + did_you_mean(word.substr(0, 80), choices),
           fmt::format("one of: {}", join(choices, ", ")), "choose one of these");
}

struct JsonDocument::Data {
    OrderedJson json;
    std::string where;
};

JsonDocument::JsonDocument(std::string_view text, const std::string& where) {
    if (text.size() > kMaxBytes) {
        refuse(where, fmt::format("{} MB", text.size() >> 20), "settings of at most 16 MB",
               "name a settings file");
    }
    data_ = std::make_unique<Data>(Data{parse_strictly(text, where), where});
}

JsonDocument::~JsonDocument() = default;

JsonNode JsonDocument::root() const {
    return {&data_->json, FieldPlace(data_->where)};
}

struct JsonBuilder::Data {
    Infinite infinite;
    OrderedJson root = {};
    // Objects and lists that are not finished, as they will stand in each other.
    std::vector<OrderedJson> open = {};
    std::vector<std::string> keys = {};  // of each open one's next member

    void add(OrderedJson value) {
        if (open.empty()) {
            root = std::move(value);
        } else if (open.back().is_array()) {
            open.back().push_back(std::move(value));
        } else {
            open.back()[keys.back()] = std::move(value);
        }
    }
    void begin(OrderedJson empty) {
        open.push_back(std::move(empty));
        keys.emplace_back();
    }
};

JsonBuilder::JsonBuilder(Infinite infinite)
    : data_(std::make_unique<Data>(Data{.infinite = infinite})) {}
JsonBuilder::~JsonBuilder() = default;

void JsonBuilder::key(std::string_view name) {
    SINEW_ASSERT(!data_->keys.empty(), "key '{}' outside of an object", name);
    data_->keys.back() = name;
}

void JsonBuilder::value(bool truth) {
    data_->add(truth);
}

void JsonBuilder::value(std::int64_t number) {
    data_->add(number);
}

void JsonBuilder::value(double number) {
    if (std::isinf(number) && number > 0 && data_->infinite == Infinite::IsText) {
        data_->add(kInfinity);
    } else {
        data_->add(number);
    }
}

void JsonBuilder::value(std::string_view text) {
    data_->add(text);
}

void JsonBuilder::begin_object() {
    data_->begin(OrderedJson::object());
}

void JsonBuilder::begin_list() {
    data_->begin(OrderedJson::array());
}

void JsonBuilder::end() {
    OrderedJson done = std::move(data_->open.back());
    data_->open.pop_back();
    data_->keys.pop_back();
    data_->add(std::move(done));
}

std::string JsonBuilder::text() const {
    return data_->root.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace detail

std::string read_settings_text(const std::filesystem::path& path) {
    return read_file_bytes(path, detail::kMaxBytes);
}

}  // namespace sinew
