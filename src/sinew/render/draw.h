#pragma once

#include "sinew/mesh/arrays.h"
#include "sinew/render/colour_map.h"
#include "sinew/render/image.h"
#include "sinew/render/scene.h"

#include <span>
#include <string_view>

namespace sinew {

// Flat drawing on pictures. Coordinates are pixels, x to the right, y down, (0, 0) the top left
// corner of the first pixel; edges are smooth; what lies outside is left out.

void fill_rectangle(Image& image, const Vec2& low, const Vec2& high, Rgb8 colour);
/// A line with round ends.
void draw_line(Image& image, const Vec2& from, const Vec2& to, double width, Rgb8 colour);
void draw_polyline(Image& image, std::span<const Vec2> points, double width, Rgb8 colour);
void draw_disc(Image& image, const Vec2& centre, double radius, Rgb8 colour);

struct ColourBarOptions {
    ColourMap map = ColourMap::Viridis;
    double low = 0.0;
    double high = 1.0;
    std::string title = {};
    std::string unit = {};
    double text_size = 20.0;  ///< pixels
    Rgb8 ink = {52, 55, 60};
};

/// An upright bar with ticks and labels on its right and the title above.
void draw_colour_bar(Image& image, const Vec2& low, const Vec2& high, const ColourBarOptions& bar);

}  // namespace sinew
