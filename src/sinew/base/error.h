#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace sinew {

/// What a person needs to know to mend bad input. None may be empty.
struct ErrorParts {
    std::string where;   ///< file and position: "arm.obj, line 12"
    std::string found;   ///< what is there: "face index 9 of 8 vertices"
    std::string needs;   ///< what would be right: "an index from 1 to 8"
    std::string remedy;  ///< what to do: "export the mesh again"
};

/// Bad input: a file, an option, a mesh that cannot be used. The command line exits with 2.
class InputError : public std::runtime_error {
public:
    explicit InputError(ErrorParts parts);

    const ErrorParts& parts() const {
        return parts_;
    }

    /// The same error seen from further out: `outer` is put before `where`.
    InputError within(std::string_view outer) const;

private:
    ErrorParts parts_;
};

/// The caller asked for the work to stop (Progress::cancel). Nothing was written.
class Cancelled : public std::runtime_error {
public:
    Cancelled() : std::runtime_error("cancelled") {}
};

[[noreturn]] void assertion_failed(const char* expression, const std::string& detail,
                                   const char* file, int line);

}  // namespace sinew

/// A promise inside the code, checked in every build but `release`.
/// SINEW_ASSERT(n == m, "n {} m {}", n, m): the detail is formatted only when the promise is
/// broken.
#ifdef SINEW_CHECKED
#include <fmt/format.h>
#define SINEW_ASSERT(expression, ...)                                                    \
    do {                                                                                 \
        if (!(expression)) {                                                             \
            ::sinew::assertion_failed(#expression, ::fmt::format(__VA_ARGS__), __FILE__, \
                                      __LINE__);                                         \
        }                                                                                \
    } while (false)
#else
#define SINEW_ASSERT(expression, ...) static_cast<void>(0)
#endif
