#pragma once

#include "sinew/body/muscle_sizes.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

/// Muscle volumes of people, a JSON file: data/people/README.md.
/// @throws InputError  with the place: not JSON, unknown keys, wrong types
MuscleSizes read_muscle_sizes(const std::filesystem::path& path);
/// @param where  name for messages
MuscleSizes parse_muscle_sizes(std::string_view json, const std::string& where);
/// The table that comes with Sinew.
MuscleSizes known_muscle_sizes();

}  // namespace sinew
