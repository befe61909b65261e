#pragma once

#include "cli/verb.h"

namespace sinew::cli {

/// `sinew bench people`: makes people of previews of both sexes and measures them.
void bench_people(bool is_short, const Context& context, nlohmann::ordered_json& result);

}  // namespace sinew::cli
