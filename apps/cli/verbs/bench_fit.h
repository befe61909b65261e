#pragma once

#include <string>

#include "cli/verb.h"

namespace sinew::cli {

/// Scans of a folder as people, and people whose composition is known by their skins: distances,
/// sizes, named points, joints, masses.
/// @param folder  where results are kept, so that it goes on where it stopped; empty: in the cache
void bench_fit(const std::string& data, const std::string& folder, bool is_short,
               const Context& context, nlohmann::ordered_json& result);

}  // namespace sinew::cli
