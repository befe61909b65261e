#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

/// XXH64 of some bytes: tells whether two contents are the same, not whether they can be trusted.
std::uint64_t content_hash(std::string_view bytes);
/// The same as 16 hexadecimal digits, as provenance keeps it.
std::string content_hash_text(std::string_view bytes);
/// Of a file's content. @throws InputError when it cannot be read
std::string file_hash_text(const std::filesystem::path& path);

}  // namespace sinew
