#pragma once

#include <filesystem>

namespace sinew {

/// Where Sinew's own data files (the built-in figure) are: the folder named by the environment
/// variable SINEW_DATA, else `../share/sinew` beside the running program, else the source tree that
/// this library was built from.
/// @throws InputError  when SINEW_DATA names no folder, or none of the others exists
std::filesystem::path data_folder();

}  // namespace sinew
