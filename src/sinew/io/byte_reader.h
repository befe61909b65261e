#pragma once

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sinew {

/// The bytes of a number at `at`, in either order.
template <class Number>
Number load_number(const char* at, bool is_swapped) {
    std::array<char, sizeof(Number)> raw;
    std::memcpy(raw.data(), at, raw.size());
    if (is_swapped) {
        std::reverse(raw.begin(), raw.end());
    }
    return std::bit_cast<Number>(raw);
}

template <class Number>
void append_bytes(std::string& out, Number value) {
    char raw[sizeof(Number)];
    std::memcpy(raw, &value, sizeof raw);
    out.append(raw, sizeof raw);
}

/// Walks through binary data. Does not own it. Reading beyond the end throws InputError with the
/// file's name and the byte.
class ByteReader {
public:
    ByteReader(std::string_view bytes, std::string_view file, bool is_swapped = false,
               std::size_t start = 0)
        : bytes_(bytes), file_(file), is_swapped_(is_swapped), at_(start) {}

    template <class Number>
    Number get(std::string_view what) {
        need(sizeof(Number), what);
        const Number value = load_number<Number>(bytes_.data() + at_, is_swapped_);
        at_ += sizeof(Number);
        return value;
    }

    /// Throws unless `count` things of `bytes_each` bytes follow.
    void need_items(std::uint64_t count, std::size_t bytes_each, std::string_view what) const {
        if (bytes_each != 0 && count > left() / bytes_each) {
            fail(fmt::format("{} {} of at least {} bytes each are announced, {} bytes follow",
                             count, what, bytes_each, left()));
        }
    }
    void need(std::size_t bytes, std::string_view what) const {
        if (left() < bytes) {
            fail(fmt::format("the file ends before {}", what));
        }
    }
    void skip(std::size_t bytes, std::string_view what) {
        need(bytes, what);
        at_ += bytes;
    }

    const char* here() const {
        return bytes_.data() + at_;
    }
    std::size_t offset() const {
        return at_;
    }
    std::size_t left() const {
        return bytes_.size() - at_;
    }
    bool is_swapped() const {
        return is_swapped_;
    }

    [[noreturn]] void fail(std::string found, std::string needs = "the whole file") const {
        throw InputError({.where = fmt::format("{}, byte {}", file_, at_),
                          .found = std::move(found),
                          .needs = std::move(needs),
                          .remedy = "write or copy the file again; it is damaged or cut short"});
    }

private:
    std::string_view bytes_;
    std::string file_;
    bool is_swapped_;
    std::size_t at_;
};

}  // namespace sinew
