#pragma once

#include "sinew/render/image.h"

#include "cli/verb.h"

namespace sinew::cli {

/// `sinew bench skinning`: frames per second of a person. Returns the plot over sizes.
/// @param is_short  without sizes: an empty picture
Image bench_skinning(bool is_short, const Context& context, nlohmann::ordered_json& result);

}  // namespace sinew::cli
