#include "sinew/render/draw.h"

#include "sinew/render/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

/// Blends `colour` over the pixels of a box by cover(x, y) in [0, 1], asked at pixel middles.
template <class Cover>
void blend(Image& image, Vec2 low, Vec2 high, Rgb8 colour, const Cover& cover) {
    if (!low.allFinite() || !high.allFinite()) {
        return;
    }
    low = low.cwiseMax(0.0).cwiseMin(Vec2(image.width, image.height));
    high = high.cwiseMax(0.0).cwiseMin(Vec2(image.width, image.height));
    for (int y = static_cast<int>(low.y()); y < static_cast<int>(std::ceil(high.y())); ++y) {
        for (int x = static_cast<int>(low.x()); x < static_cast<int>(std::ceil(high.x())); ++x) {
            const double a = std::clamp<double>(cover(x + 0.5, y + 0.5), 0.0, 1.0);
            if (a <= 0.0) {
                continue;
            }
            Rgb8 pixel = image.at(x, y);
            for (std::size_t c = 0; c < 3; ++c) {
                pixel[c] = static_cast<std::uint8_t>((1.0 - a) * pixel[c] + a * colour[c] + 0.5);
            }
            image.set(x, y, pixel);
        }
    }
}

/// Distance of p from the segment a b.
double segment_distance(const Vec2& p, const Vec2& a, const Vec2& b) {
    const Vec2 d = b - a;
    const double length2 = d.squaredNorm();
    const double t = length2 > 0.0 ? std::clamp((p - a).dot(d) / length2, 0.0, 1.0) : 0.0;
    return (p - a - t * d).norm();
}

}  // namespace

void fill_rectangle(Image& image, const Vec2& low, const Vec2& high, Rgb8 colour) {
    const auto share = [](double centre, double a, double b) {
        return std::min(centre + 0.5, b) - std::max(centre - 0.5, a);
    };
    blend(image, low, high, colour, [&](double x, double y) {
        return std::max(0.0, share(x, low.x(), high.x())) *
               std::max(0.0, share(y, low.y(), high.y()));
    });
}

void draw_line(Image& image, const Vec2& from, const Vec2& to, double width, Rgb8 colour) {
    const Vec2 pad = Vec2::Constant(0.5 * width + 1.0);
    // Lines thinner than a pixel fade instead of breaking up.
    const double ink = std::min(1.0, width);
    const double half = 0.5 * std::max(1.0, width);
    blend(image, from.cwiseMin(to) - pad, from.cwiseMax(to) + pad, colour, [&](double x, double y) {
        return ink * std::clamp(half + 0.5 - segment_distance({x, y}, from, to), 0.0, 1.0);
    });
}

void draw_polyline(Image& image, std::span<const Vec2> points, double width, Rgb8 colour) {
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        draw_line(image, points[i], points[i + 1], width, colour);
    }
}

void draw_disc(Image& image, const Vec2& centre, double radius, Rgb8 colour) {
    const Vec2 pad = Vec2::Constant(radius + 1.0);
    blend(image, centre - pad, centre + pad, colour,
          [&](double x, double y) { return radius + 0.5 - (Vec2(x, y) - centre).norm(); });
}

void draw_colour_bar(Image& image, const Vec2& low, const Vec2& high, const ColourBarOptions& bar) {
    const double height = high.y() - low.y();
    for (int row = 0; row < static_cast<int>(std::ceil(height)); ++row) {
        const double y = low.y() + row;
        const double t = 1.0 - (row + 0.5) / height;
        fill_rectangle(image, {low.x(), y}, {high.x(), std::min(y + 1.0, high.y())},
                       rgb8_from_colour(map_colour(bar.map, t)));
    }
    const double thin = std::max(1.0, bar.text_size / 16.0);
    const TextStyle style{.size = bar.text_size, .colour = bar.ink};
    const int count = std::max(2, static_cast<int>(height / (3.2 * bar.text_size)));
    const std::vector<double> ticks = ticks_between(bar.low, bar.high, count);
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : bar.high - bar.low;
    for (const double value : ticks) {
        const double y = high.y() - height * (value - bar.low) / (bar.high - bar.low);
        draw_line(image, {high.x(), y}, {high.x() + 0.35 * bar.text_size, y}, thin, bar.ink);
        draw_text(image, tick_label(value, step), high.x() + 0.6 * bar.text_size,
                  y + 0.36 * bar.text_size, style);
    }
    const std::string title =
        bar.unit.empty() ? bar.title : fmt::format("{} ({})", bar.title, bar.unit);
    // The title is set so that it ends inside the picture where it can.
    const double width = text_width(title, bar.text_size);
    const double x =
        std::max(0.3 * bar.text_size, std::min(low.x(), image.width - width - 0.6 * bar.text_size));
    draw_text(image, title, x, low.y() - 0.7 * bar.text_size, style);
}

}  // namespace sinew
