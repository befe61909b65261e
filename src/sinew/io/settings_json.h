#pragma once

#include "sinew/base/fields.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sinew {

// Options structs (base/fields.h) from and to JSON:
//
//   { "version": 1, "iterations": 20, "step": 0.5 }
//
// Fields that are absent keep their default; an unknown key is an error with a suggestion, and
// every value must have the field's type and lie in its range.

/// The version that is written and read.
inline constexpr int kSettingsVersion = 1;

namespace detail {

/// Hands out the values of one JSON object, field by field.
class SettingsReader {
public:
    /// @param known  names of all fields
    SettingsReader(std::string_view text, std::string where, std::vector<std::string> known);
    ~SettingsReader();
    SettingsReader(const SettingsReader&) = delete;
    SettingsReader& operator=(const SettingsReader&) = delete;

    void read(bool& value, const Field& field) const;
    void read(int& value, const Field& field) const;
    void read(double& value, const Field& field) const;
    void read(std::string& value, const Field& field) const;
    /// The position of a word in field.choices.
    void read_choice(int& value, const Field& field) const;

private:
    struct Document;
    std::unique_ptr<Document> document_;
};

class SettingsWriter {
public:
    SettingsWriter();
    ~SettingsWriter();
    SettingsWriter(const SettingsWriter&) = delete;
    SettingsWriter& operator=(const SettingsWriter&) = delete;

    void write(bool value, const Field& field);
    void write(int value, const Field& field);
    void write(double value, const Field& field);
    void write(const std::string& value, const Field& field);
    void write_choice(int value, const Field& field);
    std::string text() const;

private:
    struct Document;
    std::unique_ptr<Document> document_;
};

}  // namespace detail

/// @param where  the file, for messages
/// @throws InputError  for text that is not JSON, another version, unknown keys, wrong types or
///                     values out of range
template <class Options>
Options settings_from_json(std::string_view text, const std::string& where) {
    Options options;
    std::vector<std::string> known;
    visit_fields(options, [&](auto&, const Field& field) { known.emplace_back(field.name); });
    const detail::SettingsReader reader(text, where, std::move(known));
    visit_fields(options, [&](auto& value, const Field& field) {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_enum_v<T>) {
            int choice = static_cast<int>(value);
            reader.read_choice(choice, field);
            value = static_cast<T>(choice);
        } else {
            reader.read(value, field);
        }
    });
    check_ranges(options, where);
    return options;
}

/// All fields with their values, ready to be edited.
template <class Options>
std::string settings_to_json(const Options& options) {
    detail::SettingsWriter writer;
    visit_fields(options, [&](const auto& value, const Field& field) {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_enum_v<T>) {
            writer.write_choice(static_cast<int>(value), field);
        } else {
            writer.write(value, field);
        }
    });
    return writer.text();
}

}  // namespace sinew
