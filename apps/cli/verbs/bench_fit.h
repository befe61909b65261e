#pragma once

#include <string>

#include "cli/verb.h"

namespace sinew::cli {

/// Scans of a folder, registered to the built-in man and woman: distances, volumes, named points.
void bench_fit(const std::string& data, bool is_short, const Context& context,
               nlohmann::ordered_json& result);

}  // namespace sinew::cli
