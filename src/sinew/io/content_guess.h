#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace sinew {

/// The ending that a file's first bytes suggest (".ply", ".stl", ...), or "" when they say nothing
/// or the file cannot be read. For error messages.
std::string_view guess_ending(std::string_view first_bytes);
std::string_view guess_ending(const std::filesystem::path& path);

/// What a file is whose ending is none of `known`, in words: a folder, a kind that other verbs
/// take, or an ending with the one that was perhaps meant.
std::string describe_ending(const std::filesystem::path& path, std::span<const std::string> known);

}  // namespace sinew
