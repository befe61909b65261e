#include "cli/bench_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace sinew::cli {

Verb bench_program_verb() {
    return {.name = "bench",
            .summary = "Time a part of Sinew against a named baseline (a program of its own)",
            .examples = "  sinew bench --help\n  sinew bench skinning --short\n",
            .options = {},
            .run = [](const Context&, nlohmann::ordered_json&) { return kBadInput; }};
}

bool asks_for_bench(int argc, char** argv) {
    return argc > 1 && std::string_view(argv[1]) == "bench";
}

int run_bench_program(char** argv) {
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::string program = (here.parent_path() / "sinew-bench").string();
    execv(program.c_str(), argv);
    fmt::print(
        stderr,
        "sinew: bench: there is no program '{}'; needed: what measures Sinew, which is built "
        "on request. What to do: cmake --build --preset release --target sinew-bench\n",
        program);
    return kBadInput;
}

}  // namespace sinew::cli
