#include "sinew/io/guarded_child.h"

#include "sinew/base/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>

namespace sinew {

namespace {

using Clock = std::chrono::steady_clock;

// The first byte of an answer says what follows.
constexpr char kResult = 'r';
constexpr char kRefused = 'e';  // the parts of an InputError, each ended by a zero byte
constexpr char kOutOfMemory = 'm';
constexpr char kFailed = 'x';

[[noreturn]] void refuse(const std::string& where, std::string found) {
    throw InputError({.where = where,
                      .found = std::move(found),
                      .needs = "a file that can be read in reasonable time and memory",
                      .remedy = "export the file again, or convert it to glTF (.glb)"});
}

void limit(int resource, std::uint64_t value) {
    const rlimit bound{value, value};
    ::setrlimit(static_cast<__rlimit_resource>(resource), &bound);
}

void write_all(int handle, const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t now = ::write(handle, bytes.data() + done, bytes.size() - done);
        if (now <= 0 && errno != EINTR) {
            return;
        }
        done += now > 0 ? static_cast<std::size_t>(now) : 0;
    }
}

/// Never returns: the copy must not run anything that the process does at its end.
[[noreturn]] void work_and_answer(const std::function<std::string()>& work,
                                  const ChildLimits& limits, int handle) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, static_cast<std::uint64_t>(limits.cpu_seconds));
#ifndef SINEW_SANITIZED
    limit(RLIMIT_AS, limits.memory_bytes);
#endif
    // A crash handler of the whole program has no business here.
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGINT, SIGTERM}) {
        ::signal(number, SIG_DFL);
    }
    // What the library prints would mix with what the program prints.
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        ::dup2(nowhere, STDOUT_FILENO);
        ::dup2(nowhere, STDERR_FILENO);
    }
    std::string answer;
    try {
        answer = kResult + work();
    } catch (const InputError& error) {
        const ErrorParts& parts = error.parts();
        answer = kRefused + parts.where + '\0' + parts.found + '\0' + parts.needs + '\0' +
                 parts.remedy + '\0';
    } catch (const std::bad_alloc&) {
        answer = kOutOfMemory;
    } catch (...) {
        answer = kFailed;
    }
    write_all(handle, answer);
    ::_exit(0);
}

/// All that the child sends, until it closes its end or its time is over.
struct Answer {
    std::string bytes;
    bool is_late = false;
    bool is_too_long = false;
};

Answer collect(int handle, const ChildLimits& limits) {
    Answer answer;
    const auto deadline = Clock::now() + std::chrono::seconds(limits.wall_seconds);
    char buffer[1 << 16];
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd wait{handle, POLLIN, 0};
        const int ready = left <= 0 ? 0 : ::poll(&wait, 1, static_cast<int>(left));
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready <= 0) {
            answer.is_late = true;
            return answer;
        }
        const ssize_t got = ::read(handle, buffer, sizeof(buffer));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return answer;
        }
        answer.bytes.append(buffer, static_cast<std::size_t>(got));
        if (answer.bytes.size() > limits.answer_bytes) {
            answer.is_too_long = true;
            return answer;
        }
    }
}

[[noreturn]] void rethrow(const std::string& bytes, const std::string& where) {
    std::string part[4];
    std::size_t at = 1;
    for (std::string& text : part) {
        const std::size_t end = bytes.find('\0', at);
        if (end == std::string::npos || end == at) {
            refuse(where, "a reader that failed");
        }
        text = bytes.substr(at, end - at);
        at = end + 1;
    }
    throw InputError({.where = part[0], .found = part[1], .needs = part[2], .remedy = part[3]});
}

}  // namespace

std::string run_in_guarded_child(const std::function<std::string()>& work, const std::string& where,
                                 const ChildLimits& limits) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        refuse(where, fmt::format("no pipe to a reader: {}", std::strerror(errno)));
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        work_and_answer(work, limits, ends[1]);
    }
    const int fork_error = errno;
    ::close(ends[1]);
    if (child < 0) {
        ::close(ends[0]);
        refuse(where, fmt::format("no process for a reader: {}", std::strerror(fork_error)));
    }
    Answer answer;
    try {
        answer = collect(ends[0], limits);
    } catch (...) {
        ::close(ends[0]);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        throw;
    }
    ::close(ends[0]);
    if (answer.is_late || answer.is_too_long) {
        ::kill(child, SIGKILL);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (answer.is_late) {
        refuse(where, fmt::format("a file that took more than {} s", limits.wall_seconds));
    }
    if (answer.is_too_long) {
        refuse(where, "content of enormous size");
    }
    if (WIFSIGNALED(status)) {
        refuse(where,
               WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL
                   ? fmt::format("a file that took more than {} s", limits.cpu_seconds)
                   : fmt::format("a file that crashes its reader (signal {})", WTERMSIG(status)));
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || answer.bytes.empty()) {
        refuse(where, "a file that ends its reader");
    }
    switch (answer.bytes.front()) {
        case kResult:
            return answer.bytes.substr(1);
        case kRefused:
            rethrow(answer.bytes, where);
        case kOutOfMemory:
            refuse(where, fmt::format("a file that needs more than {} MB of memory",
                                      limits.memory_bytes >> 20));
        default:
            refuse(where, "a file that its reader cannot understand");
    }
}

}  // namespace sinew
