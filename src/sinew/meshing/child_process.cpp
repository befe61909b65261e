#include "sinew/meshing/child_process.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

namespace sinew {

namespace {

constexpr int kCannotStart = 127;

// Kills the process group of the child unless it was waited for.
class ChildGuard {
public:
    explicit ChildGuard(pid_t pid) : pid_(pid) {}
    ~ChildGuard() {
        if (pid_ > 0) {
            kill_and_wait();
        }
    }
    ChildGuard(const ChildGuard&) = delete;
    ChildGuard& operator=(const ChildGuard&) = delete;

    // True when the child has ended; its status is then in `status`.
    bool has_ended(int& status) {
        const pid_t done = ::waitpid(pid_, &status, WNOHANG);
        if (done == pid_) {
            ::kill(-pid_, SIGKILL);  // whatever it left behind
            pid_ = -1;
            return true;
        }
        return false;
    }
    void kill_and_wait() {
        ::kill(-pid_, SIGKILL);
        ::kill(pid_, SIGKILL);
        int ignored = 0;
        while (::waitpid(pid_, &ignored, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
    }

private:
    pid_t pid_;
};

constexpr std::uintmax_t kMostPrinted = std::uintmax_t{64} << 20;

void limit(int resource, double value) {
    constexpr double kLargest = 1e18;  // what is larger, or no number, is no limit
    const rlim_t bound = value < kLargest ? static_cast<rlim_t>(value) : RLIM_INFINITY;
    rlimit now{};
    ::getrlimit(static_cast<__rlimit_resource>(resource), &now);
    now.rlim_cur = now.rlim_max == RLIM_INFINITY || bound < now.rlim_max ? bound : now.rlim_max;
    ::setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

// Between fork and exec only calls that are safe after a fork of a threaded program.
[[noreturn]] void become(const char* program, char* const* arguments, const char* folder, int log,
                         const ProgramLimits& limits, pid_t parent) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody waits for it then
    if (::getppid() != parent) {         // killed already
        ::_exit(kCannotStart);
    }
    limit(RLIMIT_AS, limits.memory);
    limit(RLIMIT_FSIZE, limits.file_size);
    limit(RLIMIT_CORE, 0.0);
    limit(RLIMIT_CPU, 2.0 * limits.seconds + 1.0);
    const int null = ::open("/dev/null", O_RDONLY);
    if (::chdir(folder) == 0 && null >= 0 && ::dup2(null, 0) >= 0 && ::dup2(log, 1) >= 0 &&
        ::dup2(log, 2) >= 0) {
        ::execv(program, arguments);
    }
    ::_exit(kCannotStart);
}

std::string tail_of(const std::filesystem::path& file) {
    constexpr std::streamoff kMost = std::streamoff{64} << 10;
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (const std::streamoff size = in.tellg(); size > 0) {
        in.seekg(std::max<std::streamoff>(0, size - kMost));
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    return {};
}

[[noreturn]] void cannot_start(const std::filesystem::path& program, const std::string& why) {
    throw InputError({.where = program.string(),
                      .found = fmt::format("the program cannot be started: {}", why),
                      .needs = "a program that runs here",
                      .remedy = "check that it is installed and may be executed"});
}

}  // namespace

std::filesystem::path find_program(const std::string& name) {
    const auto is_program = [](const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string::npos) {
        return is_program(name) ? std::filesystem::path(name) : std::filesystem::path();
    }
    const char* const set = std::getenv("PATH");
    std::string_view folders = set ? set : "/usr/bin:/bin";
    while (!folders.empty()) {
        const std::size_t end = std::min(folders.find(':'), folders.size());
        if (end > 0 && is_program(std::filesystem::path(folders.substr(0, end)) / name)) {
            return std::filesystem::path(folders.substr(0, end)) / name;
        }
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return {};
}

ChildResult run_program(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments,
                        const std::filesystem::path& folder, const ProgramLimits& limits,
                        const Progress& progress) {
    progress.check_cancelled();
    // Everything that allocates comes before the fork.
    const std::filesystem::path log_path = folder / "printed.txt";
    const int log = ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (log < 0) {
        cannot_start(program, std::system_category().message(errno));
    }
    std::vector<std::string> words = {program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);

    const Timer timer;
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
        become(program.c_str(), pointers.data(), folder.c_str(), log, limits, parent);
    }
    const int fork_error = errno;
    ::close(log);
    if (pid < 0) {
        cannot_start(program, std::system_category().message(fork_error));
    }
    ::setpgid(pid, pid);  // in both, so that it holds whoever comes first
    ChildGuard child(pid);
    ChildResult result;
    int status = 0;
    while (!child.has_ended(status)) {
        progress.check_cancelled();
        std::error_code ignored;
        const std::uintmax_t printed = std::filesystem::file_size(log_path, ignored);
        result.has_flooded = !ignored && printed > kMostPrinted;
        result.timed_out = timer.seconds() > limits.seconds;
        if (result.has_flooded || result.timed_out) {
            child.kill_and_wait();
            result.signal = SIGKILL;
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (result.signal == 0) {
        result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    }
    result.output = tail_of(log_path);
    if (result.signal == 0 && result.exit_code == kCannotStart) {
        cannot_start(program, "it is not an executable for this machine");
    }
    return result;
}

}  // namespace sinew
