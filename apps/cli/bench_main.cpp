#include "cli/command_line.h"
#include "cli/verbs/verbs.h"

// The program behind `sinew bench`: it is given the same words.
int main(int argc, char** argv) {
    return sinew::cli::run_command_line(argc, argv, {sinew::cli::bench_verb()});
}
