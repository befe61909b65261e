#include "sinew/base/error.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace sinew {

namespace {

/// Longer parts of a message are cut in their middle, bytes: names in damaged files may be as long
/// as these.
constexpr std::size_t kLongestPart = 2000;
constexpr std::size_t kKeptEnd = 200;

std::string shortened(std::string text) {
    if (text.size() <= kLongestPart) {
        return text;
    }
    // Not inside a letter of several bytes (UTF-8).
    const auto is_inside = [&](std::size_t i) {
        return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
    };
    std::size_t first = kLongestPart - kKeptEnd;
    std::size_t last = text.size() - kKeptEnd;
    while (first > 0 && is_inside(first)) {
        --first;
    }
    while (is_inside(last)) {
        ++last;
    }
    return fmt::format("{} ... ({} bytes) ... {}", text.substr(0, first), last - first,
                       text.substr(last));
}

ErrorParts shortened(ErrorParts p) {
    return {shortened(std::move(p.where)), shortened(std::move(p.found)),
            shortened(std::move(p.needs)), shortened(std::move(p.remedy))};
}

std::string sentence(const ErrorParts& p) {
    return fmt::format("{}: {}; needed: {}. What to do: {}.", p.where, p.found, p.needs, p.remedy);
}

}  // namespace

InputError::InputError(ErrorParts parts)
    : std::runtime_error(sentence(shortened(parts))), parts_(shortened(std::move(parts))) {
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
