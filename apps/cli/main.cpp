#include "sinew/base/error.h"

#include "cli/command_line.h"
#include "cli/other_programs.h"
#include "cli/verbs/verbs.h"

int main(int argc, char** argv) {
    if (sinew::cli::asks_for_bench(argc, argv)) {
        try {
            sinew::cli::become_program("sinew-bench");
        } catch (const sinew::InputError& error) {
            return sinew::cli::report_error(error, argc, argv);
        }
    }
    return sinew::cli::run_command_line(argc, argv, sinew::cli::all_verbs());
}
