#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sinew::detail {

/// Fills the first 512 bytes of an archive: magic, version, length and checksum of the rest.
void seal_archive(std::string& bytes);
/// Returns the version. @throws InputError for anything but a whole archive of a known version
std::uint32_t require_sealed_archive(std::string_view bytes, const std::string& where);

}  // namespace sinew::detail
