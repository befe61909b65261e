#pragma once

#include "sinew/render/image.h"

#include <string_view>

namespace sinew {

enum class TextAlign { Left, Centre, Right };

struct TextStyle {
    double size = 24.0;  ///< height of a line, pixels, [4, 2000]
    Rgb8 colour = {40, 42, 46};
    TextAlign align = TextAlign::Left;
    bool is_vertical = false;  ///< reads upwards instead of to the right
};

/// Pixels that a line of text takes along its direction.
double text_width(std::string_view text, double size);

/// Draws one line of UTF-8 text in DejaVu Sans (built into the library), smooth-edged.
/// @param x,y  left end, middle or right end (by `align`) of the base line; what lies outside the
///             picture is left out. Bytes that are not UTF-8 show as a replacement sign.
/// @throws InputError  for a size out of range
void draw_text(Image& image, std::string_view text, double x, double y,
               const TextStyle& style = {});

}  // namespace sinew
