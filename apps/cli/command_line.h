#pragma once

#include <vector>

#include "cli/verb.h"

namespace sinew::cli {

/// Parses, runs the verb, reports errors; returns the exit code.
int run_command_line(int argc, char** argv, const std::vector<Verb>& verbs);

}  // namespace sinew::cli
