#pragma once

#include <nlohmann/json_fwd.hpp>

#include <vector>

#include "cli/verb.h"

namespace CLI {
class App;
}

namespace sinew::cli {

/// All verbs with their options, help and examples, as the parser knows them: man pages and
/// completions are made of it (tools/make_manual.py). `app` holds one subcommand per verb, in the
/// same order, whose first options after --help are the verb's own.
nlohmann::ordered_json describe(const CLI::App& app, const std::vector<Verb>& verbs);

}  // namespace sinew::cli
