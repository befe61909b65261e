#pragma once

#include <filesystem>

namespace sinew {

/// Where Sinew's own data files (the built-in figure, recipes) are. The first of these that exists:
///  1. the folder that the environment variable SINEW_DATA names;
///  2. `../share/sinew` seen from the folder of the running program, as in a package or a bundle;
///  3. `share/sinew` below the prefix that the library was installed to (`cmake --install`);
///  4. `data` in the source tree that the library was built from.
/// @throws InputError  when SINEW_DATA names no folder, or none of the others exists
std::filesystem::path data_folder();

}  // namespace sinew
