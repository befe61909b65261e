#pragma once

#include "sinew/base/fields.h"
#include "sinew/render/image.h"

#include <concepts>
#include <span>
#include <string>

namespace sinew {

struct SheetPicture {
    Image image = {};
    std::string caption = {};  ///< below the picture
};

struct SheetOptions {
    int columns = 0;         ///< 0 = one row up to four pictures, else about square
    int gap = 16;            ///< between pictures and at the border, pixels
    double text_size = 22;   ///< of captions, pixels; the title is larger
    std::string title = {};  ///< above all
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SheetOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.columns,
      Field{.name = "columns", .help = "pictures in a row; 0 chooses", .min = 0, .max = 1000});
    v(o.gap,
      Field{.name = "gap", .help = "between pictures", .unit = "pixels", .min = 0, .max = 1000});
    v(o.text_size,
      Field{.name = "text_size", .help = "of captions", .unit = "pixels", .min = 4, .max = 400});
    v(o.title, Field{.name = "title", .help = "above all pictures"});
}

/// Several pictures in a grid on white, row by row, each centred in its cell above its caption.
/// @throws InputError  when there is no picture, one is empty, or the sheet would be too large
Image contact_sheet(std::span<const SheetPicture> pictures, const SheetOptions& options = {});

}  // namespace sinew
