#pragma once

#include "sinew/base/fields.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinew {

// Structs with fields (base/fields.h) from and to JSON:
//
//   { "version": 1, "iterations": 20, "step": 0.5 }
//
// Fields that are absent keep their default; an unknown key is an error with a suggestion, and
// every value must have the field's type and lie in its range.

/// The version that is written and read.
inline constexpr int kSettingsVersion = 1;

namespace detail {

/// A value of a JSON document and its place. The document must outlive it.
class JsonNode {
public:
    /// @param value  of the JSON library, which is too heavy for this header
    JsonNode(const void* value, FieldPlace place) : value_(value), place_(std::move(place)) {}

    const FieldPlace& place() const {
        return place_;
    }
    bool is_null() const;
    bool is_text() const;
    /// @param has_version  the key "version" is asked for too, and must be ours
    /// @throws InputError  when this is no object or has other keys
    void allow_only(const std::vector<std::string>& known, bool has_version) const;
    std::optional<JsonNode> find(std::string_view key) const;
    std::vector<JsonNode> items(const Field& field) const;
    std::vector<std::pair<std::string, JsonNode>> members(const Field& field) const;

    bool truth(const Field& field) const;
    /// @throws InputError  when it is not whole or does not fit between the ends
    std::int64_t whole(const Field& field, std::int64_t low, std::int64_t high) const;
    double number(const Field& field) const;
    std::string text(const Field& field) const;
    NumberOrText number_or_text(const Field& field) const;
    int choice(const Field& field) const;  ///< position in field.choices

    [[noreturn]] void lacks(const Field& field) const;
    [[noreturn]] void has_other_count(const Field& field, std::size_t count,
                                      std::ptrdiff_t wanted) const;

private:
    [[noreturn]] void wrong_type(const Field& field, std::string_view needs) const;

    const void* value_;
    FieldPlace place_;
};

/// A parsed document; a key that is given twice is refused.
class JsonDocument {
public:
    /// @throws InputError
    JsonDocument(std::string_view text, const std::string& where);
    ~JsonDocument();
    JsonDocument(const JsonDocument&) = delete;
    JsonDocument& operator=(const JsonDocument&) = delete;
    JsonNode root() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// What becomes of infinity, which JSON does not have: "never stop" is a sensible setting.
enum class Infinite { IsText, IsNull };

/// Builds JSON from front to back.
class JsonBuilder {
public:
    explicit JsonBuilder(Infinite infinite = Infinite::IsText);
    ~JsonBuilder();
    JsonBuilder(const JsonBuilder&) = delete;
    JsonBuilder& operator=(const JsonBuilder&) = delete;

    void key(std::string_view name);  ///< of the next value in an object
    void value(bool truth);
    void value(std::int64_t number);
    void value(double number);
    void value(std::string_view text);
    void begin_object();
    void begin_list();
    void end();

    std::string text() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

template <class T>
void read_fields(const JsonNode& node, T& value, bool has_version = false);

template <class T>
void read_field(const JsonNode& node, T& value, const Field& field) {
    if constexpr (OptionalField<T>) {
        read_field(node, value.emplace(), field);
    } else if constexpr (std::is_enum_v<T>) {
        value = static_cast<T>(node.choice(field));
    } else if constexpr (ByNameField<T>) {
        value.clear();
        for (const auto& [name, entry] : node.members(field)) {
            value.emplace_back(name, typename T::value_type::second_type{});
            read_field(entry, value.back().second, field);
        }
    } else if constexpr (ListField<T>) {
        value.clear();
        if constexpr (std::is_same_v<T, std::vector<std::string>>) {
            if (node.is_text()) {  // a list of one
                value.push_back(node.text(field));
                return;
            }
        }
        for (const JsonNode& item : node.items(field)) {
            read_field(item, value.emplace_back(), field);
        }
    } else if constexpr (FixedListField<T>) {
        const std::vector<JsonNode> items = node.items(field);
        constexpr std::ptrdiff_t kCount = FixedCount<T>::value;
        if (static_cast<std::ptrdiff_t>(items.size()) != kCount) {
            node.has_other_count(field, items.size(), kCount);
        }
        for (std::size_t i = 0; i < items.size(); ++i) {
            read_field(items[i], value[i], field);
        }
    } else if constexpr (HasFields<T>) {
        read_fields(node, value);
    } else if constexpr (std::is_same_v<T, bool>) {
        value = node.truth(field);
    } else if constexpr (WholeField<T>) {
        value = static_cast<T>(
            node.whole(field, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    } else if constexpr (std::is_same_v<T, double>) {
        value = node.number(field);
    } else if constexpr (std::is_same_v<T, NumberOrText>) {
        value = node.number_or_text(field);
    } else {
        static_assert(std::is_same_v<T, std::string>, "a type that no field may have");
        value = node.text(field);
    }
}

template <class T>
void read_fields(const JsonNode& node, T& value, bool has_version) {
    std::vector<std::string> known;
    visit_fields(value, [&](auto&, const Field& field) { known.emplace_back(field.name); });
    node.allow_only(known, has_version);
    visit_fields(value, [&](auto& inner, const Field& field) {
        if (const std::optional<JsonNode> found = node.find(field.name)) {
            read_field(*found, inner, field);
        } else if (field.is_required) {
            node.lacks(field);
        }
    });
}

template <class T>
void write_fields(JsonBuilder& out, const T& value);

template <class T>
void write_field(JsonBuilder& out, const T& value, const Field& field) {
    if constexpr (std::is_enum_v<T>) {
        out.value(field.choices.at(static_cast<std::size_t>(value)));
    } else if constexpr (OptionalField<T>) {
        write_field(out, *value, field);  // absent ones are left out
    } else if constexpr (ByNameField<T>) {
        out.begin_object();
        for (const auto& [name, entry] : value) {
            out.key(name);
            write_field(out, entry, field);
        }
        out.end();
    } else if constexpr (ListField<T> || FixedListField<T>) {
        out.begin_list();
        for (const auto& item : value) {
            write_field(out, item, field);
        }
        out.end();
    } else if constexpr (HasFields<const T>) {
        out.begin_object();
        write_fields(out, value);
        out.end();
    } else if constexpr (std::is_same_v<T, bool>) {
        out.value(static_cast<bool>(value));
    } else if constexpr (WholeField<T>) {
        out.value(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_same_v<T, NumberOrText>) {
        std::visit([&](const auto& v) { write_field(out, v, field); }, value);
    } else if constexpr (std::is_same_v<T, double>) {
        out.value(static_cast<double>(value));
    } else {
        out.value(std::string_view(value));
    }
}

template <class T>
bool is_absent(const T& value) {
    if constexpr (OptionalField<T>) {
        return !value.has_value();
    } else {
        return false;
    }
}

template <class T>
void write_fields(JsonBuilder& out, const T& value) {
    visit_fields(value, [&](const auto& inner, const Field& field) {
        if (!is_absent(inner)) {
            out.key(field.name);
            write_field(out, inner, field);
        }
    });
}

/// The text of one value, to compare it with another.
template <class T>
std::string field_text(const T& value, const Field& field) {
    if (is_absent(value)) {
        return {};
    }
    JsonBuilder out;
    write_field(out, value, field);
    return out.text();
}

}  // namespace detail

/// @param where  the file, for messages
/// @throws InputError  for text that is not JSON, another version, unknown keys, wrong types or
///                     values out of range
template <class Options>
Options settings_from_json(std::string_view text, const std::string& where) {
    const detail::JsonDocument document(text, where);
    Options options;
    detail::read_fields(document.root(), options, true);
    check_ranges(options, where);
    return options;
}

namespace detail {

/// Fields that are paths become relative to a folder.
template <class T>
void resolve_paths(T& value, const Field& field, const std::filesystem::path& folder) {
    if constexpr (OptionalField<T>) {
        if (value) {
            resolve_paths(*value, field, folder);
        }
    } else if constexpr (ByNameField<T>) {
        for (auto& [name, entry] : value) {
            resolve_paths(entry, field, folder);
        }
    } else if constexpr (ListField<T>) {
        if constexpr (!std::is_arithmetic_v<typename T::value_type>) {
            for (auto& item : value) {
                resolve_paths(item, field, folder);
            }
        }
    } else if constexpr (HasFields<T>) {
        visit_fields(value, [&](auto& inner, const Field& inner_field) {
            resolve_paths(inner, inner_field, folder);
        });
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (field.is_path && !value.empty()) {
            value = (folder / value).string();
        }
    }
}

}  // namespace detail

/// The text of a settings file. @throws InputError  when it cannot be read or is too large
std::string read_settings_text(const std::filesystem::path& path);

/// A job file: settings whose paths are relative to the file's folder.
/// @throws InputError  as settings_from_json, naming the file
template <class Job>
Job read_job(const std::filesystem::path& path) {
    Job job = settings_from_json<Job>(read_settings_text(path), path.string());
    detail::resolve_paths(job, Field{}, path.parent_path());
    return job;
}

/// All fields with their values, ready to be edited.
template <class Options>
std::string settings_to_json(const Options& options) {
    detail::JsonBuilder out;
    out.begin_object();
    out.key("version");
    out.value(std::int64_t{kSettingsVersion});
    detail::write_fields(out, options);
    out.end();
    return out.text();
}

/// The fields that differ from their defaults.
template <class Options>
std::string changed_settings_to_json(const Options& options) {
    std::vector<std::string> usual;
    const Options defaults{};
    visit_fields(defaults, [&](const auto& value, const Field& field) {
        usual.push_back(detail::field_text(value, field));
    });
    detail::JsonBuilder out;
    out.begin_object();
    out.key("version");
    out.value(std::int64_t{kSettingsVersion});
    std::size_t i = 0;
    visit_fields(options, [&](const auto& value, const Field& field) {
        const bool is_usual = detail::field_text(value, field) == usual[i++];
        if (!detail::is_absent(value) && (field.is_required || !is_usual)) {
            out.key(field.name);
            detail::write_field(out, value, field);
        }
    });
    out.end();
    return out.text();
}

}  // namespace sinew
