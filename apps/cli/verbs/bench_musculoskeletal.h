#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "cli/verb.h"

namespace sinew::cli {

/// `sinew bench musculoskeletal`.
/// @param data  folder with mass and arm26; empty: musculoskeletal in $SINEW_SHARED or ../shared
void bench_musculoskeletal(const std::string& data, const Context& context,
                           nlohmann::ordered_json& result);

}  // namespace sinew::cli
