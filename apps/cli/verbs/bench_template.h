#pragma once

#include "cli/verb.h"

namespace sinew::cli {

/// `sinew bench template`: builds the built-in human and measures it.
/// @param is_short  the preview only
void bench_template(bool is_short, const Context& context, nlohmann::ordered_json& result);

}  // namespace sinew::cli
