#include "tests/cli/run_sinew.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "tests/support/temporary_folder.h"

namespace sinew::support {

namespace {

std::string content(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// `prepare_output` runs in the child.
Outcome run(const std::vector<std::string>& arguments,
            const std::function<void(const std::string& file)>& prepare_output) {
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
    int status = 0;
    ::waitpid(child, &status, 0);
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = content(out),
            .err = content(err)};
}

}  // namespace

Outcome run_sinew(const std::vector<std::string>& arguments) {
    return run(arguments, [](const std::string& file) {
        ::dup2(::open(file.c_str(), O_CREAT | O_WRONLY, 0600), STDOUT_FILENO);
    });
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

}  // namespace sinew::support
