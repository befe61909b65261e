#pragma once

#include <string>

namespace sinew {

std::string version();            ///< "0.1.0"
std::string build_description();  ///< build type, instruction set and compiler

}  // namespace sinew
