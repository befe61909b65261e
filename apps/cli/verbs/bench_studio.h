#pragma once

#include "cli/verb.h"

namespace sinew::cli {

/// `sinew bench studio`: the server with clients of its own.
/// @param body  a preview body; empty: the built-in figure
void bench_studio(const std::string& body, const Context& context, nlohmann::ordered_json& result);

}  // namespace sinew::cli
