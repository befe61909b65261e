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

std::string encode_base64(std::string_view bytes) {
    static constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            bits = (bits << 8) |
                   (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            // Three bytes are four digits; what lies beyond the last byte is padding.
            text += i + k <= bytes.size() ? kDigits[(bits >> (18 - 6 * k)) & 63U] : '=';
        }
    }
    return text;
}

}  // namespace sinew
