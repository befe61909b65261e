#pragma once

#include "sinew/render/image.h"

#include <string>

#include "cli/verb.h"

namespace sinew::cli {

/// Three-layer animation and ablations of the layered fit, of the built-in man or another body.
Image bench_layers(const std::string& body, const Context& context, nlohmann::ordered_json& result);

}  // namespace sinew::cli
