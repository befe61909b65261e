#pragma once

#include "sinew/io/ply.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

enum class PlyType { Int8, UInt8, Int16, UInt16, Int32, UInt32, Float32, Float64 };

/// Bytes of one number in a binary file.
std::size_t ply_size(PlyType type);
bool is_whole_number(PlyType type);

struct PlyProperty {
    std::string name;
    PlyType type = PlyType::Float32;
    bool is_list = false;
    PlyType count_type = PlyType::UInt8;  ///< of a list
};

struct PlyElement {
    std::string name;
    std::uint64_t count = 0;
    std::vector<PlyProperty> properties;
};

struct PlyHeader {
    PlyEncoding encoding = PlyEncoding::Ascii;
    std::vector<PlyElement> elements;
    std::size_t data_start = 0;  ///< offset of the first byte behind the header
    std::size_t data_line = 1;   ///< number of the line there
};

/// @throws InputError with the line
PlyHeader parse_ply_header(std::string_view bytes, std::string_view file);

}  // namespace sinew
