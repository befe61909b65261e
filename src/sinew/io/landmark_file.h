#pragma once

#include "sinew/body/anatomy.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Reads named points: { "head_top": [x, y, z], ... }, or the same under "landmarks" beside
/// "units". Numbers are those of the scan that the points belong to.
/// @throws InputError
std::vector<Landmark> read_landmarks(const std::filesystem::path& path);
std::vector<Landmark> parse_landmarks(std::string_view json, const std::string& where);

}  // namespace sinew
