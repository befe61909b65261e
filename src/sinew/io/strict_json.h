#pragma once

#include "sinew/mesh/arrays.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

// Reading of hand-written JSON, strictly. Only for sources of this module: the JSON library is too
// heavy for a header that others include.

/// A value and where it stands ("bones_leg.json, part 'femur_l'"), for messages.
class StrictJson {
public:
    StrictJson(const nlohmann::json& value, std::string where);

    const std::string& where() const {
        return where_;
    }
    /// The same value under a better name.
    StrictJson named(std::string where) const;

    bool has(const char* key) const;
    /// @throws InputError when it is absent, or this is no object
    StrictJson at(const char* key) const;
    /// @throws InputError when a key is none of these, or this is no object
    void allow_only(std::initializer_list<const char*> keys) const;

    bool is_null() const;
    bool is_text() const;
    std::string text() const;
    double number() const;  ///< finite
    bool truth() const;
    /// Elements of an array; with `count` exactly so many.
    std::vector<StrictJson> items() const;
    std::vector<double> numbers() const;
    std::vector<double> numbers(std::size_t count) const;
    /// A text, or an array of texts.
    std::vector<std::string> texts() const;
    /// Keys and values of an object, in alphabetical order.
    std::vector<std::pair<std::string, StrictJson>> members() const;

    [[noreturn]] void refuse(std::string found, std::string needs) const;

private:
    const nlohmann::json* value_;  // owned by the document, which outlives this
    std::string where_;
};

/// What the JSON library found wrong and where, safe to print and without its own names.
std::string json_complaint(const nlohmann::json::exception& error);

/// Says that JSON is nested deeper than `kMaxNesting`. @throws InputError
[[noreturn]] void refuse_json_nesting(const std::string& where);

/// Three numbers.
Vec3 read_vec3(const StrictJson& json);

/// Parses a text. @throws InputError  with the place when it is not JSON
nlohmann::json parse_json(std::string_view text, const std::string& where);
/// Parses a file. @throws InputError  with the place when it is not JSON
nlohmann::json parse_json_file(const std::filesystem::path& path);

}  // namespace sinew
