#include "sinew/io/settings_json.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/strict_json.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace sinew::detail {

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

/// Refuses a key that is given twice, which a parser would pass over in silence.
OrderedJson parse_strictly(std::string_view text, const std::string& where) {
    std::vector<std::set<std::string>> keys;
    std::string doubled;
    const auto watch = [&](int, OrderedJson::parse_event_t event, OrderedJson& parsed) {
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

struct SettingsReader::Document {
    OrderedJson root;
    std::string where;

    const OrderedJson* find(const Field& field) const {
        const auto found = root.find(std::string(field.name));
        return found == root.end() ? nullptr : &*found;
    }
    [[noreturn]] void wrong_type(const OrderedJson& value, const Field& field,
                                 std::string_view needs) const {
        refuse(fmt::format("{}, {}", where, field.name), shown_setting(value), std::string(needs),
               fmt::format("give {} ({})", needs, field.help.empty() ? "setting" : field.help));
    }
};

SettingsReader::SettingsReader(std::string_view text, std::string where,
                               std::vector<std::string> known)
    : document_(std::make_unique<Document>()) {
    if (text.size() > kMaxBytes) {
        refuse(where, fmt::format("{} MB", text.size() >> 20), "settings of at most 16 MB",
               "name a settings file");
    }
    document_->root = parse_strictly(text, where);
    document_->where = std::move(where);
    const OrderedJson& root = document_->root;
    if (!root.is_object()) {
        refuse(document_->where, shown_setting(root), "a JSON object",
               "put the settings in braces");
    }
    const auto version = root.find(std::string(kVersionKey));
    if (version == root.end() || !version->is_number_integer()) {
        refuse(document_->where, "no version", fmt::format("\"version\": {}", kSettingsVersion),
               "add that line");
    }
    if (*version != kSettingsVersion) {
        refuse(document_->where, fmt::format("settings of version {}", version->dump()),
               fmt::format("version {}", kSettingsVersion),
               *version > kSettingsVersion ? "update Sinew" : "write the settings again");
    }
    for (const auto& [key, value] : root.items()) {
        if (key != kVersionKey && std::find(known.begin(), known.end(), key) == known.end()) {
            refuse(document_->where,
                   fmt::format("unknown setting {}{}", sinew::quoted(key),
                               did_you_mean(key.substr(0, 80), known)),
                   fmt::format("one of: {}", join(known, ", ")), "correct or remove it");
        }
    }
}

SettingsReader::~SettingsReader() = default;

void SettingsReader::read(bool& value, const Field& field) const {
    if (const OrderedJson* found = document_->find(field)) {
        if (!found->is_boolean()) {
            document_->wrong_type(*found, field, "true or false");
        }
        value = found->get<bool>();
    }
}

void SettingsReader::read(int& value, const Field& field) const {
    if (const OrderedJson* found = document_->find(field)) {
        // Unsigned numbers beyond int64 must not wrap around.
        const bool fits = found->is_number_unsigned()
                              ? found->get<std::uint64_t>() <= std::numeric_limits<int>::max()
                              : found->is_number_integer() &&
                                    found->get<std::int64_t>() >= std::numeric_limits<int>::min();
        if (!fits) {
            document_->wrong_type(*found, field, "a whole number");
        }
        value = found->get<int>();
    }
}

void SettingsReader::read(double& value, const Field& field) const {
    if (const OrderedJson* found = document_->find(field)) {
        if (found->is_string() && found->get<std::string>() == kInfinity) {
            value = std::numeric_limits<double>::infinity();
        } else if (found->is_number()) {
            value = found->get<double>();
        } else {
            document_->wrong_type(*found, field, "a number");
        }
    }
}

void SettingsReader::read(std::string& value, const Field& field) const {
    if (const OrderedJson* found = document_->find(field)) {
        if (!found->is_string()) {
            document_->wrong_type(*found, field, "a text");
        }
        value = found->get<std::string>();
    }
}

void SettingsReader::read_choice(int& value, const Field& field) const {
    const OrderedJson* found = document_->find(field);
    if (found == nullptr) {
        return;
    }
    const std::string word = found->is_string() ? found->get<std::string>() : "";
    for (std::size_t i = 0; i < field.choices.size(); ++i) {
        if (word == field.choices[i]) {
            value = static_cast<int>(i);
            return;
        }
    }
    const std::vector<std::string> choices(field.choices.begin(), field.choices.end());
    refuse(fmt::format("{}, {}", document_->where, field.name),
           shown_setting(*found) + did_you_mean(word.substr(0, 80), choices),
           fmt::format("one of: {}", join(choices, ", ")), "choose one of these");
}

struct SettingsWriter::Document {
    OrderedJson root = {{std::string(kVersionKey), kSettingsVersion}};
};

SettingsWriter::SettingsWriter() : document_(std::make_unique<Document>()) {}
SettingsWriter::~SettingsWriter() = default;

void SettingsWriter::write(bool value, const Field& field) {
    document_->root[std::string(field.name)] = value;
}

void SettingsWriter::write(int value, const Field& field) {
    document_->root[std::string(field.name)] = value;
}

void SettingsWriter::write(double value, const Field& field) {
    // JSON has no infinity; "never stop" is a sensible setting all the same.
    if (std::isinf(value) && value > 0) {
        document_->root[std::string(field.name)] = kInfinity;
    } else {
        document_->root[std::string(field.name)] = value;
    }
}

void SettingsWriter::write(const std::string& value, const Field& field) {
    document_->root[std::string(field.name)] = value;
}

void SettingsWriter::write_choice(int value, const Field& field) {
    SINEW_ASSERT(value >= 0 && static_cast<std::size_t>(value) < field.choices.size(),
                 "choice {} of {}", value, field.choices.size());
    document_->root[std::string(field.name)] = field.choices[static_cast<std::size_t>(value)];
}

std::string SettingsWriter::text() const {
    return document_->root.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace sinew::detail
