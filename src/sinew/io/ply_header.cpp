#include "sinew/io/ply_header.h"

#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace sinew {

namespace {

constexpr std::array<std::pair<std::string_view, PlyType>, 16> kTypeNames = {{
    {"char", PlyType::Int8},
    {"int8", PlyType::Int8},
    {"uchar", PlyType::UInt8},
    {"uint8", PlyType::UInt8},
    {"short", PlyType::Int16},
    {"int16", PlyType::Int16},
    {"ushort", PlyType::UInt16},
    {"uint16", PlyType::UInt16},
    {"int", PlyType::Int32},
    {"int32", PlyType::Int32},
    {"uint", PlyType::UInt32},
    {"uint32", PlyType::UInt32},
    {"float", PlyType::Float32},
    {"float32", PlyType::Float32},
    {"double", PlyType::Float64},
    {"float64", PlyType::Float64},
}};

// More than any program writes; keeps a damaged header from taking forever.
constexpr std::size_t kMostElements = 1000;
constexpr std::size_t kMostProperties = 4000;

PlyType read_type(TextCursor& cursor) {
    const std::string_view word = cursor.word_on_line();
    for (const auto& [name, type] : kTypeNames) {
        if (word == name) {
            return type;
        }
    }
    cursor.fail(fmt::format("type {}", quoted(word)),
                "char, uchar, short, ushort, int, uint, float or double");
}

std::string read_name(TextCursor& cursor) {
    const std::string_view word = cursor.word_on_line();
    if (word.empty()) {
        cursor.fail("a line without a name", "the name of an element or property");
    }
    return std::string(word);
}

PlyEncoding read_encoding(TextCursor& cursor) {
    const std::string_view word = cursor.word_on_line();
    if (word == "ascii") {
        return PlyEncoding::Ascii;
    }
    if (word == "binary_little_endian") {
        return PlyEncoding::LittleEndian;
    }
    if (word == "binary_big_endian") {
        return PlyEncoding::BigEndian;
    }
    cursor.fail(fmt::format("format {}", quoted(word)),
                "ascii, binary_little_endian or binary_big_endian");
}

void read_element(TextCursor& cursor, PlyHeader& header) {
    if (header.elements.size() == kMostElements) {
        cursor.fail("too many elements", fmt::format("at most {}", kMostElements));
    }
    PlyElement element;
    element.name = read_name(cursor);
    const std::int64_t count = cursor.at_line_end() ? -1 : cursor.integer("the number of elements");
    if (count < 0) {
        cursor.fail(fmt::format("no count of '{}'", element.name), "a number from 0");
    }
    element.count = static_cast<std::uint64_t>(count);
    header.elements.push_back(std::move(element));
}

void read_property(TextCursor& cursor, PlyHeader& header) {
    if (header.elements.empty()) {
        cursor.fail("a property ahead of any element", "an element first");
    }
    std::vector<PlyProperty>& properties = header.elements.back().properties;
    if (properties.size() == kMostProperties) {
        cursor.fail("too many properties", fmt::format("at most {}", kMostProperties));
    }
    PlyProperty property;
    TextCursor ahead = cursor;
    if (ahead.word_on_line() == "list") {
        cursor = ahead;
        property.is_list = true;
        property.count_type = read_type(cursor);
        if (!is_whole_number(property.count_type)) {
            cursor.fail("a list counted in fractions", "a whole-number type such as uchar");
        }
    }
    property.type = read_type(cursor);
    property.name = read_name(cursor);
    properties.push_back(std::move(property));
}

}  // namespace

std::size_t ply_size(PlyType type) {
    switch (type) {
        case PlyType::Int8:
        case PlyType::UInt8:
            return 1;
        case PlyType::Int16:
        case PlyType::UInt16:
            return 2;
        case PlyType::Int32:
        case PlyType::UInt32:
        case PlyType::Float32:
            return 4;
        case PlyType::Float64:
            return 8;
    }
    return 8;
}

bool is_whole_number(PlyType type) {
    return type != PlyType::Float32 && type != PlyType::Float64;
}

PlyHeader parse_ply_header(std::string_view bytes, std::string_view file) {
    TextCursor cursor(bytes, file, {});
    PlyHeader header;
    bool has_format = false;
    if (cursor.word_on_line() != "ply") {
        cursor.fail(fmt::format("the file starts with {}", quoted(bytes.substr(0, 12))),
                    "a PLY file, which starts with the line 'ply'");
    }
    for (;;) {
        cursor.skip_line();
        if (cursor.at_end()) {
            cursor.fail("the header does not end", "a line 'end_header'");
        }
        const std::string_view key = cursor.word_on_line();
        if (key == "end_header") {
            break;
        }
        if (key == "format") {
            header.encoding = read_encoding(cursor);
            has_format = true;
        } else if (key == "element") {
            read_element(cursor, header);
        } else if (key == "property") {
            read_property(cursor, header);
        } else if (key != "comment" && key != "obj_info") {
            cursor.fail(fmt::format("a header line that starts with {}", quoted(key)),
                        "format, element, property, comment or end_header");
        }
    }
    if (!has_format) {
        cursor.fail("a header without a format", "a line such as 'format ascii 1.0'");
    }
    cursor.skip_line();
    header.data_start = cursor.offset();
    header.data_line = cursor.line();
    return header;
}

}  // namespace sinew
