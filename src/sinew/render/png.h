#pragma once

#include "sinew/render/image.h"

#include <string>
#include <string_view>

namespace sinew {

/// The picture as the bytes of a PNG file (8-bit RGB, sRGB). The same picture gives the same bytes.
std::string encode_png(const Image& image);

/// The picture in the bytes of a PNG file; grey, palette, 16-bit and transparent (over white)
/// pictures are converted to 8-bit RGB.
/// @throws InputError  naming `where` when the bytes are not a whole PNG or the picture is too
/// large
Image decode_png(std::string_view bytes, std::string_view where = "PNG picture");

}  // namespace sinew
