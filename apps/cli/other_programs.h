#pragma once

#include <string>

#include "cli/verb.h"

namespace sinew::cli {

/// Becomes another program of Sinew's, which stands beside this one and is given the same words:
/// who wants a picture need not wait for what serves a page or measures to be compiled.
/// @throws InputError  where there is none, saying how it is made
[[noreturn]] void become_program(const std::string& name);

/// Stands in for the verb in lists and help; what it does is done by `sinew-bench`.
Verb bench_program_verb();

/// Whether these words are for `sinew-bench`, which alone knows its options.
bool asks_for_bench(int argc, char** argv);

}  // namespace sinew::cli
