#include "sinew/io/c3d_parameters.h"

#include "sinew/base/error.h"
#include "sinew/io/byte_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace sinew::detail {

namespace {

constexpr std::size_t kMostNumbers = 1U << 20;  // of one parameter

std::string upper_name(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return out;
}

std::string_view take_text(ByteReader& in, std::size_t count, std::string_view what) {
    in.need(count, what);
    const std::string_view out(in.here(), count);
    in.skip(count, what);
    return out;
}

std::string without_blanks(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) {
        text.remove_suffix(1);
    }
    return std::string(text);
}

C3dParameter read_c3d_values(ByteReader& in, bool is_dec) {
    C3dParameter out;
    const auto type = in.get<std::int8_t>("a parameter's type");
    const auto dimensions = in.get<std::uint8_t>("a parameter's dimensions");
    std::size_t count = 1;
    for (int d = 0; d < dimensions; ++d) {
        out.dimensions.push_back(in.get<std::uint8_t>("a parameter's dimension"));
        count *= out.dimensions.back();
        if (count > kMostNumbers) {
            in.fail(fmt::format("a parameter of more than {} values", kMostNumbers));
        }
    }
    if (type == -1) {
        const std::size_t length = out.dimensions.empty() ? count : out.dimensions[0];
        const std::string_view all = take_text(in, count, "a parameter's text");
        for (std::size_t i = 0; length > 0 && i + length <= count; i += length) {
            out.texts.push_back(without_blanks(all.substr(i, length)));
        }
        return out;
    }
    in.need_items(count, type == 4 ? 4 : type == 2 ? 2 : 1, "values of a parameter");
    for (std::size_t i = 0; i < count; ++i) {
        if (type == 4) {
            out.numbers.push_back(read_c3d_float(in, is_dec, "a number"));
        } else if (type == 2) {
            out.numbers.push_back(in.get<std::int16_t>("a number"));
        } else if (type == 1) {
            out.numbers.push_back(in.get<std::uint8_t>("a number"));
        } else {
            in.fail(fmt::format("a parameter of type {}", type));
        }
    }
    return out;
}

}  // namespace

double read_c3d_float(ByteReader& in, bool is_dec, std::string_view what) {
    if (!is_dec) {
        return static_cast<double>(in.get<float>(what));
    }
    const std::uint32_t high = in.get<std::uint16_t>(what);
    const std::uint32_t low = in.get<std::uint16_t>(what);
    const auto exponent = static_cast<int>((high >> 7U) & 0xFFU);
    const std::uint32_t fraction = ((high & 0x7FU) << 16U) | low;
    if (exponent == 0) {
        return 0.0;
    }
    const double size =
        std::ldexp(0.5 + static_cast<double>(fraction) / (1U << 24U), exponent - 128);
    return (high & 0x8000U) != 0 ? -size : size;
}

double C3dParameters::number_at(const std::string& name, std::size_t i, double fallback) const {
    const auto it = values.find(name);
    return it == values.end() || i >= it->second.numbers.size() ? fallback : it->second.numbers[i];
}

double C3dParameters::number(const std::string& name, double fallback) const {
    return number_at(name, 0, fallback);
}

std::string C3dParameters::text(const std::string& name) const {
    const auto it = values.find(name);
    return it == values.end() || it->second.texts.empty() ? std::string() : it->second.texts[0];
}

std::vector<std::string> C3dParameters::labels(const std::string& name) const {
    std::vector<std::string> out;
    for (int part = 1; part < 100; ++part) {
        const auto it = values.find(part == 1 ? name : fmt::format("{}{}", name, part));
        if (it == values.end()) {
            break;
        }
        out.insert(out.end(), it->second.texts.begin(), it->second.texts.end());
    }
    return out;
}

C3dParameters read_c3d_parameters(std::string_view bytes, std::string_view file, std::size_t at) {
    ByteReader head(bytes, file, false, std::min(at, bytes.size()));
    head.skip(3, "the parameter section");
    const auto processor = head.get<std::uint8_t>("the processor type");
    C3dParameters out;
    out.is_dec = processor == 85;
    out.is_big_endian = processor == 86;
    ByteReader in(bytes, file, out.is_big_endian, head.offset());
    std::map<int, std::string> groups;
    struct Entry {
        int group;
        std::string name;
        C3dParameter value;
    };
    std::vector<Entry> entries;
    while (in.left() >= 2) {
        const auto length = in.get<std::int8_t>("a name's length");
        const auto group = in.get<std::int8_t>("a group's number");
        if (length == 0 || group == 0) {
            break;
        }
        const std::string name = upper_name(
            take_text(in, static_cast<std::size_t>(std::abs(length)), "a parameter's name"));
        const std::size_t next_from = in.offset();
        const auto offset = in.get<std::int16_t>("the offset of the next parameter");
        if (group < 0) {
            groups[-group] = name;
        } else {
            entries.push_back({group, name, read_c3d_values(in, out.is_dec)});
        }
        if (offset == 0) {
            break;
        }
        const std::size_t next = next_from + static_cast<std::uint16_t>(offset);
        if (next <= next_from || next > bytes.size()) {
            in.fail("a parameter that leads outside the file");
        }
        in = ByteReader(bytes, file, out.is_big_endian, next);
    }
    for (Entry& entry : entries) {
        out.values[groups[entry.group] + ":" + entry.name] = std::move(entry.value);
    }
    return out;
}

}  // namespace sinew::detail
