#include "sinew/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace sinew {

namespace {

// Edits (insert, delete, replace, swap of neighbours) that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = std::min(now[j], before[j - 2] + 1);
            }
        }
        std::swap(before, last);
        std::swap(last, now);
    }
    return last[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, std::span<const std::string> candidates) {
    const std::string wanted = lower(word);
    // Two edits make any file ending out of another.
    constexpr std::size_t kShort = 4;
    std::size_t best =
        wanted.size() <= kShort ? 2 : std::max<std::size_t>(2, wanted.size() / 3) + 1;
    std::string nearest;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(wanted, lower(candidate));
        if (distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const std::string nearest = nearest_word(word, candidates);
    return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> words;
    std::size_t begin = 0;
    for (;;) {
        const std::size_t end = text.find(separator, begin);
        words.emplace_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos) {
            return words;
        }
        begin = end + 1;
    }
}

std::string join(std::span<const std::string> words, std::string_view separator) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += i > 0 ? separator : std::string_view();
        text += words[i];
    }
    return text;
}

}  // namespace sinew
