#pragma once

#include "cli/verb.h"

namespace sinew::cli {

/// Stands in for the verb in lists and help; what it does is done by another program.
Verb bench_program_verb();

/// Whether these words are for `sinew-bench`.
bool asks_for_bench(int argc, char** argv);

/// Becomes the program `sinew-bench` beside this one. Returns only where there is none: the exit
/// code, after saying how it is made.
int run_bench_program(char** argv);

}  // namespace sinew::cli
