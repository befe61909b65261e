#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// The candidate that `word` most likely means (few edits away), or "" when none is near.
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

/// ", did you mean 'biceps'?" or "" — ready to be put behind "unknown muscle 'bicpes'".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

std::string lower(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> words, std::string_view separator);

}  // namespace sinew
