#include "tests/cli/run_sinew.h"

#include "sinew/base/timer.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace sinew::support {

namespace {

std::string content(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void into_file(const std::string& file) {
    ::dup2(::open(file.c_str(), O_CREAT | O_WRONLY, 0600), STDOUT_FILENO);
}

// `prepare_output` runs in the child, `meanwhile` beside it.
Outcome run(
    const std::vector<std::string>& arguments,
    const std::function<void(const std::string& file)>& prepare_output,
    const std::function<void(pid_t child)>& meanwhile = [](pid_t) {}) {
    const TemporaryFolder folder;
    const std::string out = folder / "out";
    const std::string err = folder / "err";
    std::vector<char*> argv = {const_cast<char*>(SINEW_PROGRAM)};
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(::open(err.c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
        prepare_output(out);
        ::execv(SINEW_PROGRAM, argv.data());
        ::_exit(127);
    }
    meanwhile(child);
    int status = 0;
    ::waitpid(child, &status, 0);
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = content(out),
            .err = content(err)};
}

}  // namespace

Outcome run_sinew(const std::vector<std::string>& arguments) {
    return run(arguments, into_file);
}

Outcome run_sinew_into(int descriptor, const std::vector<std::string>& arguments) {
    return run(arguments, [&](const std::string&) {
        if (descriptor < 0) {
            ::close(STDOUT_FILENO);
        } else {
            ::dup2(descriptor, STDOUT_FILENO);
        }
    });
}

Outcome run_sinew_interrupted(const std::vector<std::string>& arguments,
                              const std::function<bool()>& is_time, double& seconds_to_end) {
    Timer timer;
    const Outcome outcome = run(arguments, into_file, [&](pid_t child) {
        const Timer patience;
        while (!is_time() && patience.seconds() < 60.0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        ::kill(child, SIGINT);
        timer = Timer();
    });
    seconds_to_end = timer.seconds();
    return outcome;
}

}  // namespace sinew::support
