#include "sinew/render/contact_sheet.h"

#include "sinew/base/error.h"
#include "sinew/render/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

int columns_for(std::size_t count, int wanted) {
    const auto n = static_cast<int>(count);
    if (wanted > 0) {
        return std::min(wanted, n);
    }
    return n <= 4 ? n : static_cast<int>(std::ceil(std::sqrt(static_cast<double>(n))));
}

/// The text, or its beginning with an ellipsis where it is too wide.
std::string shortened(std::string text, double size, double width) {
    if (text_width(text, size) <= width) {
        return text;
    }
    while (!text.empty() && text_width(text + "…", size) > width) {
        // Whole UTF-8 letters only: drop the continuation bytes with their lead.
        while (text.size() > 1 && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) {
            text.pop_back();
        }
        text.pop_back();
    }
    return text + "…";
}

}  // namespace

Image contact_sheet(std::span<const SheetPicture> pictures, const SheetOptions& options) {
    check_ranges(options, "contact sheet");
    const auto is_empty = [](const SheetPicture& p) {
        return p.image.width < 1 || p.image.height < 1;
    };
    if (pictures.empty() || std::any_of(pictures.begin(), pictures.end(), is_empty)) {
        throw InputError({.where = "contact sheet",
                          .found = pictures.empty() ? "no pictures" : "a picture without pixels",
                          .needs = "at least one picture, none empty",
                          .remedy = "name the bodies or pictures to show"});
    }
    int cell_width = 0;
    int cell_height = 0;
    bool has_captions = false;
    for (const SheetPicture& p : pictures) {
        cell_width = std::max(cell_width, p.image.width);
        cell_height = std::max(cell_height, p.image.height);
        has_captions = has_captions || !p.caption.empty();
    }
    const int line = static_cast<int>(std::ceil(1.7 * options.text_size));
    const int below = has_captions ? line : 0;
    const double title_size = 1.4 * options.text_size;
    const int above = options.title.empty() ? 0 : static_cast<int>(std::ceil(1.9 * title_size));
    const int columns = columns_for(pictures.size(), options.columns);
    const auto rows =
        static_cast<std::int64_t>((pictures.size() + static_cast<std::size_t>(columns) - 1) /
                                  static_cast<std::size_t>(columns));
    const std::int64_t width =
        options.gap + columns * (static_cast<std::int64_t>(cell_width) + options.gap);
    const std::int64_t height =
        above + options.gap + rows * (static_cast<std::int64_t>(cell_height) + below + options.gap);
    require_picture_size(width, height, "contact sheet");

    Image sheet(static_cast<int>(width), static_cast<int>(height));
    const TextStyle title{.size = title_size, .align = TextAlign::Centre};
    if (above > 0) {
        draw_text(sheet, shortened(options.title, title_size, static_cast<double>(width)),
                  0.5 * static_cast<double>(width), options.gap + title_size, title);
    }
    const TextStyle caption{.size = options.text_size, .align = TextAlign::Centre};
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const auto n = static_cast<int>(i);
        const Image& image = pictures[i].image;
        const int x = options.gap + (n % columns) * (cell_width + options.gap);
        const int y = above + options.gap + (n / columns) * (cell_height + below + options.gap);
        paste(sheet, image, x + (cell_width - image.width) / 2,
              y + (cell_height - image.height) / 2);
        if (!pictures[i].caption.empty()) {
            draw_text(sheet, shortened(pictures[i].caption, options.text_size, cell_width),
                      x + 0.5 * cell_width, y + cell_height + 1.2 * options.text_size, caption);
        }
    }
    return sheet;
}

}  // namespace sinew
