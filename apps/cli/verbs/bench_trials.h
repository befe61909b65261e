#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "cli/verb.h"

namespace sinew::cli {

/// `sinew bench trials`.
/// @param data  folder with trials and opensim; empty: musculoskeletal in $SINEW_SHARED or
/// ../shared
void bench_trials(const std::string& data, const Context& context, nlohmann::ordered_json& result);

}  // namespace sinew::cli
