#pragma once

#include <string_view>

namespace sinew {

/// Documents from outside (XML, JSON) are nested at most so deep. Readers may therefore walk them
/// by recursion: 200 levels fit any stack, and no real file comes near.
inline constexpr int kMaxNesting = 200;

/// Whether brackets of JSON stand within more than `levels` others. Brackets in texts do not count.
bool is_json_nested_deeper(std::string_view json, int levels = kMaxNesting);

}  // namespace sinew
