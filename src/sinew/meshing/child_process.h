#pragma once

#include "sinew/base/progress.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

struct ProgramLimits {
    double seconds = 600.0;  ///< wall-clock time after which the program is killed, > 0
    double memory = 8e9;     ///< bytes of address space, > 0
    double file_size = 4e9;  ///< bytes per file that it may write, > 0
};

/// How a program ended.
struct ChildResult {
    int exit_code = 0;         ///< meaningful when `signal` is 0
    int signal = 0;            ///< the signal that ended it, or 0
    bool timed_out = false;    ///< killed because it took too long
    bool has_flooded = false;  ///< killed because it printed more than 64 MB
    std::string output = {};   ///< what it printed, both streams; the last 64 kB
};

/// Where a program of that name stands in PATH, or an empty path. A name with a slash is taken as
/// it is.
std::filesystem::path find_program(const std::string& name);

/// Runs a program in `folder` in a process group of its own and waits for it. What it prints goes
/// to a file there. It and its children are killed at the time limit, when it prints more than 64
/// MB, on cancellation, and when this call is left by an exception. It is killed, too, when this
/// program is.
/// @throws InputError when it cannot be started; Cancelled
ChildResult run_program(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments,
                        const std::filesystem::path& folder, const ProgramLimits& limits,
                        const Progress& progress);

}  // namespace sinew
