#pragma once

#include "sinew/base/error.h"

#include <vector>

#include "cli/verb.h"

namespace sinew::cli {

/// Parses, runs the verb, reports errors; returns the exit code.
int run_command_line(int argc, char** argv, const std::vector<Verb>& verbs);

/// Reports an error from before the words were parsed, as a verb would; returns the exit code.
int report_error(const InputError& error, int argc, char** argv);

}  // namespace sinew::cli
