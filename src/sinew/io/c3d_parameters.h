#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {
class ByteReader;
}

namespace sinew::detail {

/// One parameter of a C3D file: numbers or texts with dimensions, first fastest.
struct C3dParameter {
    std::vector<std::size_t> dimensions = {};
    std::vector<double> numbers = {};
    std::vector<std::string> texts = {};  ///< blanks at their ends cut off
};

/// All of a file, by "GROUP:NAME" in upper case.
struct C3dParameters {
    std::map<std::string, C3dParameter> values = {};
    bool is_big_endian = false;  ///< MIPS
    bool is_dec = false;         ///< numbers of DEC's computers: integers as Intel's, other floats

    double number(const std::string& name, double fallback) const;
    /// The i-th number of a list, or the fallback.
    double number_at(const std::string& name, std::size_t i, double fallback) const;
    std::string text(const std::string& name) const;
    /// NAME, NAME2, NAME3 ... one after the other.
    std::vector<std::string> labels(const std::string& name) const;
};

/// The next 32 bits as a float. DEC's F_floating has two words of 16 bits, the upper one first,
/// each with its low byte first: (-1)^s 0.1m 2^(e - 128), a quarter of what IEEE 754 makes of these
/// bits.
double read_c3d_float(ByteReader& in, bool is_dec, std::string_view what);

/// @param at  first byte of the parameter section
/// @throws InputError
C3dParameters read_c3d_parameters(std::string_view bytes, std::string_view file, std::size_t at);

}  // namespace sinew::detail
