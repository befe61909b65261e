#pragma once

#include "sinew/render/image.h"

#include "cli/verb.h"

namespace sinew::cli {

/// `sinew bench muscle`: the law, forces, one muscle on the bench, time steps and spline solids;
/// with a body also the arm of examples/contract_arm.json.
/// @param body  .sinew, or empty
/// @return an empty picture
Image bench_muscles(bool is_short, const std::string& body, const Context& context,
                    nlohmann::ordered_json& result);

}  // namespace sinew::cli
