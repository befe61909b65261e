#pragma once

#include "sinew/body/shape_space.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

/// Reads a shape space: JSON ("format": "sinew-shape-space", "version": 1) whose lengths are whole
/// numbers of 0.1 mm. @throws InputError
ShapeSpace read_shape_space(const std::filesystem::path& path);
ShapeSpace parse_shape_space(std::string_view json, const std::string& where);
/// As text; read again it is the same to 0.05 mm. @throws InputError when the space is not valid
std::string format_shape_space(const ShapeSpace& space);

/// That of the built-in man or woman: shape/man.json, shape/woman.json of data_folder().
/// @throws InputError  when the sex is unknown, or there is none
ShapeSpace built_in_shape_space(Sex sex);

}  // namespace sinew
