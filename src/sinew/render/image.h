#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sinew {

/// 8-bit sRGB colour of a pixel.
using Rgb8 = std::array<std::uint8_t, 3>;

/// A picture: rows from top to bottom, pixels from left to right, three bytes (sRGB) each.
struct Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> bytes = {};  ///< 3 * width * height

    Image() = default;
    /// @throws InputError  when a side is below 1 or the picture has more than kMaxPixels
    Image(int width, int height, Rgb8 fill = {255, 255, 255});

    Rgb8 at(int x, int y) const;
    void set(int x, int y, Rgb8 colour);
    bool operator==(const Image&) const = default;
};

/// 100 megapixels: larger pictures are refused before any memory is taken.
inline constexpr std::int64_t kMaxPixels = 100'000'000;

/// @throws InputError  naming `where` when a side is below 1 or there are too many pixels
void require_picture_size(std::int64_t width, std::int64_t height, const char* where);

/// Copies `source` into `target` with its top left corner at (x, y); what hangs over is left out.
void paste(Image& target, const Image& source, int x, int y);

/// Scales by averaging areas (down) or bilinear interpolation (up), in linear light.
Image resized(const Image& image, int width, int height);

}  // namespace sinew
