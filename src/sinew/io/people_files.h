#pragma once

#include "sinew/body/people_table.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

/// Means and covariances of measures of people, a JSON file: data/people/README.md.
/// @throws InputError  with the place: not JSON, unknown keys, wrong types, see require_valid
PeopleTable read_people_table(const std::filesystem::path& path);
/// @param where  name for messages
PeopleTable parse_people_table(std::string_view json, const std::string& where);
/// The table that comes with Sinew.
PeopleTable known_people();

}  // namespace sinew
