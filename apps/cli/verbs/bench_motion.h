#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "cli/verb.h"

namespace sinew::cli {

/// `sinew bench motion`: recordings on bodies, characters and a model.
/// @param data  folder with motion, scans, musculoskeletal; empty: $SINEW_SHARED or ../shared
void bench_motion(const std::string& data, bool is_short, const Context& context,
                  nlohmann::ordered_json& result);

}  // namespace sinew::cli
