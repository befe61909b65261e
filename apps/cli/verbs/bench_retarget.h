#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "cli/verb.h"

namespace sinew::cli {

/// `sinew bench retarget`.
/// @param data      folder with mass; empty: musculoskeletal in $SINEW_SHARED or ../shared
/// @param is_short  characters and curves only, without maps of the hip and limb lengths
void bench_retarget(const std::string& data, bool is_short, const Context& context,
                    nlohmann::ordered_json& result);

}  // namespace sinew::cli
