#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace sinew {

/// Larger files are refused before any memory is taken: no mesh of a body comes near.
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{2} << 30;

/// The whole content of a regular file.
/// @throws InputError  when it is absent, a folder or device, unreadable, empty or over `max_bytes`
std::string read_file_bytes(const std::filesystem::path& path,
                            std::uint64_t max_bytes = kMaxFileBytes);

}  // namespace sinew
