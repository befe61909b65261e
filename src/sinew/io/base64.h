#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sinew {

/// Bytes of base64 text, in its usual alphabet or that of addresses, up to the first character that
/// is neither; padding ('=') behind it is passed over.
/// @param used  how many characters were taken, padding too
std::string decode_base64(std::string_view text, std::size_t& used);

/// Bytes as base64 text in its usual alphabet, padded.
std::string encode_base64(std::string_view bytes);

}  // namespace sinew
