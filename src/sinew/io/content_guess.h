#pragma once

#include <filesystem>
#include <string_view>

namespace sinew {

/// The ending that a file's first bytes suggest (".ply", ".stl", ...), or "" when they say nothing
/// or the file cannot be read. For error messages.
std::string_view guess_ending(std::string_view first_bytes);
std::string_view guess_ending(const std::filesystem::path& path);

}  // namespace sinew
