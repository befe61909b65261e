#include "sinew/render/image.h"

#include "sinew/base/error.h"
#include "sinew/render/colour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

std::size_t offset_of(const Image& image, int x, int y) {
    return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                static_cast<std::size_t>(x));
}

/// Source pixels that make up each target pixel along one axis, and their weights (sum 1).
struct Taps {
    int first = 0;
    std::vector<float> weight = {};
};

std::vector<Taps> taps_along(int from, int to) {
    std::vector<Taps> taps(static_cast<std::size_t>(to));
    const double scale = static_cast<double>(from) / to;
    const double reach = std::max(1.0, scale);  // a tent, at least one source pixel wide
    for (int i = 0; i < to; ++i) {
        const double centre = (i + 0.5) * scale - 0.5;
        const int low = std::max(0, static_cast<int>(std::ceil(centre - reach)));
        const int high = std::min(from - 1, static_cast<int>(std::floor(centre + reach)));
        Taps& t = taps[static_cast<std::size_t>(i)];
        t.first = low;
        double sum = 0.0;
        for (int k = low; k <= high; ++k) {
            const double w = std::max(1e-9, 1.0 - std::abs(k - centre) / reach);
            t.weight.push_back(static_cast<float>(w));
            sum += w;
        }
        for (float& w : t.weight) {
            w = static_cast<float>(w / sum);
        }
    }
    return taps;
}

}  // namespace

void require_picture_size(std::int64_t width, std::int64_t height, const char* where) {
    const bool fits = width >= 1 && height >= 1 && width <= kMaxPixels && height <= kMaxPixels &&
                      width * height <= kMaxPixels;
    if (!fits) {
        throw InputError({.where = where,
                          .found = fmt::format("a picture of {} x {} pixels", width, height),
                          .needs = fmt::format("sides of at least 1 and at most {} million pixels",
                                               kMaxPixels / 1'000'000),
                          .remedy = "choose a smaller size, such as 1200x1600"});
    }
}

Image::Image(int w, int h, Rgb8 fill) : width(w), height(h) {
    require_picture_size(w, h, "picture");
    bytes.resize(3 * static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = fill[i % 3];
    }
}

Rgb8 Image::at(int x, int y) const {
    SINEW_ASSERT(x >= 0 && y >= 0 && x < width && y < height, "{} {}", x, y);
    const std::size_t i = offset_of(*this, x, y);
    return {bytes[i], bytes[i + 1], bytes[i + 2]};
}

void Image::set(int x, int y, Rgb8 colour) {
    SINEW_ASSERT(x >= 0 && y >= 0 && x < width && y < height, "{} {}", x, y);
    std::copy(colour.begin(), colour.end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(offset_of(*this, x, y)));
}

void paste(Image& target, const Image& source, int x, int y) {
    const int left = std::max(0, -x);
    const int right = std::min(source.width, target.width - x);
    if (left >= right) {
        return;
    }
    for (int row = std::max(0, -y); row < std::min(source.height, target.height - y); ++row) {
        const auto* from = source.bytes.data() + offset_of(source, left, row);
        std::copy(from, from + 3 * static_cast<std::ptrdiff_t>(right - left),
                  target.bytes.data() + offset_of(target, x + left, y + row));
    }
}

Image resized(const Image& image, int width, int height) {
    require_picture_size(width, height, "resized picture");
    if (image.width == width && image.height == height) {
        return image;
    }
    const std::vector<Taps> across = taps_along(image.width, width);
    const std::vector<Taps> down = taps_along(image.height, height);
    // Rows first, kept as floats in linear light, then columns.
    const auto row_floats = 3 * static_cast<std::size_t>(width);
    std::vector<float> rows(row_floats * static_cast<std::size_t>(image.height));
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < width; ++x) {
            const Taps& t = across[static_cast<std::size_t>(x)];
            float* out =
                &rows[static_cast<std::size_t>(y) * row_floats + 3 * static_cast<std::size_t>(x)];
            for (std::size_t k = 0; k < t.weight.size(); ++k) {
                const Rgb8 p = image.at(t.first + static_cast<int>(k), y);
                for (std::size_t c = 0; c < 3; ++c) {
                    out[c] += t.weight[k] * linear_from_srgb8(p[c]);
                }
            }
        }
    }
    Image result(width, height);
    for (int y = 0; y < height; ++y) {
        const Taps& t = down[static_cast<std::size_t>(y)];
        for (std::size_t i = 0; i < row_floats; ++i) {
            float sum = 0.0f;
            for (std::size_t k = 0; k < t.weight.size(); ++k) {
                sum += t.weight[k] * rows[(static_cast<std::size_t>(t.first) + k) * row_floats + i];
            }
            result.bytes[static_cast<std::size_t>(y) * row_floats + i] = srgb8_from_linear(sum);
        }
    }
    return result;
}

}  // namespace sinew
