#pragma once

#include "sinew/io/byte_reader.h"

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sinew {

/// The bytes of an array as they are in memory, for content that stays on this machine.
std::string_view bytes_of(const auto& array) {
    return {reinterpret_cast<const char*>(array.data()),
            static_cast<std::size_t>(array.size()) * sizeof(*array.data())};
}

/// Adds a list: its length, then its items.
template <class Item>
void append_list(std::string& out, const std::vector<Item>& items) {
    static_assert(std::is_trivially_copyable_v<Item>);
    append_bytes(out, static_cast<std::uint64_t>(items.size()));
    out.append(bytes_of(items));
}

/// Reads what append_list wrote. @throws InputError  when the bytes end before
template <class Item>
std::vector<Item> take_list(ByteReader& from) {
    const auto count = from.get<std::uint64_t>("count");
    from.need_items(count, sizeof(Item), "list");
    std::vector<Item> items(count);
    std::memcpy(items.data(), from.here(), count * sizeof(Item));
    from.skip(count * sizeof(Item), "list");
    return items;
}

}  // namespace sinew
