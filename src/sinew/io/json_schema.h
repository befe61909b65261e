#pragma once

#include "sinew/io/settings_json.h"

#include <nlohmann/json_fwd.hpp>

namespace sinew {

// Results of verbs as JSON, and JSON Schema (draft 2020-12) of structs with fields.

/// A file that is read: fields may be left out. A result that is written: all fields are there but
/// optional ones.
enum class SchemaOf { File, Result };

namespace detail {

/// Puts the members of an object, given as text, into another.
void merge_json(const std::string& from, nlohmann::ordered_json& to);

/// Writes the keywords of a number's range.
void write_range(JsonBuilder& out, const Field& field, bool is_whole);
void write_type(JsonBuilder& out, std::string_view type);

template <class T>
void write_fields_schema(JsonBuilder& out, const T& defaults, SchemaOf use, bool has_version);

/// The keywords that a value of this type must keep, into an object that is open.
template <class T>
void write_value_schema(JsonBuilder& out, const Field& field, SchemaOf use) {
    if constexpr (OptionalField<T>) {
        write_value_schema<typename T::value_type>(out, field, use);
    } else if constexpr (std::is_enum_v<T>) {
        out.key("enum");
        out.begin_list();
        for (const std::string_view choice : field.choices) {
            out.value(choice);
        }
        out.end();
    } else if constexpr (ByNameField<T>) {
        write_type(out, "object");
        out.key("additionalProperties");
        out.begin_object();
        write_value_schema<typename T::value_type::second_type>(out, field, use);
        out.end();
    } else if constexpr (ListField<T> || FixedListField<T>) {
        constexpr bool kMayBeOne = std::is_same_v<T, std::vector<std::string>>;
        if (kMayBeOne && use == SchemaOf::File) {
            out.key("type");
            out.begin_list();
            out.value(std::string_view("array"));
            out.value(std::string_view("string"));
            out.end();
        } else {
            write_type(out, "array");
        }
        out.key("items");
        out.begin_object();
        using Item = std::remove_cvref_t<decltype(std::declval<const T&>()[0])>;
        write_value_schema<Item>(out, field, use);
        out.end();
        if constexpr (FixedListField<T>) {
            for (const char* key : {"minItems", "maxItems"}) {
                out.key(key);
                out.value(std::int64_t{FixedCount<T>::value});
            }
        }
    } else if constexpr (HasFields<const T>) {
        write_fields_schema(out, T{}, use, false);
    } else if constexpr (std::is_same_v<T, bool>) {
        write_type(out, "boolean");
    } else if constexpr (WholeField<T>) {
        write_type(out, "integer");
        write_range(out, field, true);
    } else if constexpr (std::is_same_v<T, NumberOrText>) {
        out.key("type");
        out.begin_list();
        out.value(std::string_view("number"));
        out.value(std::string_view("string"));
        out.end();
        write_range(out, field, false);
    } else if constexpr (std::is_same_v<T, double>) {
        // Settings without an upper end may be "infinity"; results that are not finite are null.
        const bool has_end = !(field.max > 1e300 && field.below > 1e300);
        if (use == SchemaOf::Result || !has_end) {
            out.key("type");
            out.begin_list();
            out.value(std::string_view("number"));
            out.value(std::string_view(use == SchemaOf::Result ? "null" : "string"));
            out.end();
            if (use == SchemaOf::File) {
                out.key("pattern");
                out.value(std::string_view("^infinity$"));
            }
        } else {
            write_type(out, "number");
        }
        write_range(out, field, false);
    } else {
        write_type(out, "string");
    }
}

void write_version_schema(JsonBuilder& out);
void write_description(JsonBuilder& out, const Field& field);

template <class T>
void write_fields_schema(JsonBuilder& out, const T& defaults, SchemaOf use, bool has_version) {
    write_type(out, "object");
    out.key("properties");
    out.begin_object();
    std::vector<std::string> required;
    if (has_version) {
        required.emplace_back("version");
        write_version_schema(out);
    }
    visit_fields(defaults, [&](const auto& value, const Field& field) {
        using Value = std::remove_cvref_t<decltype(value)>;
        out.key(field.name);
        out.begin_object();
        write_description(out, field);
        write_value_schema<Value>(out, field, use);
        if (use == SchemaOf::File && !field.is_required && !is_absent(value)) {
            out.key("default");
            write_field(out, value, field);
        }
        out.end();
        if (use == SchemaOf::Result ? !OptionalField<Value> : field.is_required) {
            required.emplace_back(field.name);
        }
    });
    out.end();
    out.key("required");
    out.begin_list();
    for (const std::string& name : required) {
        out.value(std::string_view(name));
    }
    out.end();
    out.key("additionalProperties");
    out.value(false);
}

}  // namespace detail

/// Adds the schema of a struct's JSON under `name` of an object of definitions ("$defs").
/// @param defaults  values that are told as defaults
template <class T>
void add_schema(std::string_view name, const T& defaults, SchemaOf use,
                nlohmann::ordered_json& definitions) {
    detail::JsonBuilder out;
    out.begin_object();
    out.key(name);
    out.begin_object();
    detail::write_fields_schema(out, defaults, use, use == SchemaOf::File);
    out.end();
    out.end();
    detail::merge_json(out.text(), definitions);
}

/// Adds a result's fields to a JSON object; numbers that are not finite become null.
template <class Result>
void add_fields(const Result& result, nlohmann::ordered_json& to) {
    detail::JsonBuilder out(detail::Infinite::IsNull);
    out.begin_object();
    detail::write_fields(out, result);
    out.end();
    detail::merge_json(out.text(), to);
}

}  // namespace sinew
