#include "sinew/base/error.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace sinew {

namespace {

std::string sentence(const ErrorParts& p) {
    return fmt::format("{}: {}; needed: {}. What to do: {}.", p.where, p.found, p.needs, p.remedy);
}

}  // namespace

InputError::InputError(ErrorParts parts)
    : std::runtime_error(sentence(parts)), parts_(std::move(parts)) {
    SINEW_ASSERT(!parts_.where.empty() && !parts_.found.empty() && !parts_.needs.empty() &&
                     !parts_.remedy.empty(),
                 "an error lacks one of its four parts: {}", what());
}

InputError InputError::within(std::string_view outer) const {
    ErrorParts parts = parts_;
    parts.where = fmt::format("{}, {}", outer, parts_.where);
    return InputError(std::move(parts));
}

void assertion_failed(const char* expression, const std::string& detail, const char* file,
                      int line) {
    // The one place that writes to stderr: the process ends here, no caller can report it.
    std::fprintf(stderr, "%s:%d: broken promise: %s (%s)\n", file, line, expression,
                 detail.c_str());
    std::abort();
}

}  // namespace sinew
