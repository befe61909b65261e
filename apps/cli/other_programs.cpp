#include "cli/other_programs.h"

#include "sinew/base/error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace sinew::cli {

namespace {

// The kernel keeps them as they were given, each ended by a zero.
std::vector<std::string> own_words() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');) {
        words.push_back(word);
    }
    return words;
}

}  // namespace

void become_program(const std::string& name) {
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::string program = (here.parent_path() / name).string();
    std::vector<std::string> words = own_words();
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    throw InputError({.where = fmt::format("program '{}'", program),
                      .found = std::strerror(errno),
                      .needs = fmt::format("{}, which does this, beside sinew", name),
                      .remedy = fmt::format("cmake --build --preset release --target {}", name)});
}

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

}  // namespace sinew::cli
