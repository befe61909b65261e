#pragma once

#include <string>

namespace sinew::cli {

/// The version, how it was built, and the libraries it was built with.
std::string version_report();

}  // namespace sinew::cli
