#include "sinew/io/base64.h"

#include <cstdint>

namespace sinew {

namespace {

int base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

}  // namespace

std::string decode_base64(std::string_view text, std::size_t& used) {
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t bits = 0;
    int count = 0;
    for (used = 0; used < text.size() && base64_digit(text[used]) >= 0; ++used) {
        bits = (bits << 6) | static_cast<std::uint32_t>(base64_digit(text[used]));
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>((bits >> count) & 0xff);
        }
    }
    while (used < text.size() && text[used] == '=') {
        ++used;
    }
    return bytes;
}

}  // namespace sinew
