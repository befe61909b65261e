#include "cli/command_line.h"
#include "cli/verbs/verbs.h"

int main(int argc, char** argv) {
    return sinew::cli::run_command_line(argc, argv, sinew::cli::all_verbs());
}
