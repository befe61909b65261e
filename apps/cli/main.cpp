#include "cli/command_line.h"
#include "cli/other_programs.h"
#include "cli/verbs/verbs.h"

int main(int argc, char** argv) {
    if (sinew::cli::asks_for_bench(argc, argv)) {
        return sinew::cli::become_program("sinew-bench");
    }
    return sinew::cli::run_command_line(argc, argv, sinew::cli::all_verbs());
}
