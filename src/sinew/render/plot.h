#pragma once

#include "sinew/base/fields.h"
#include "sinew/render/image.h"

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sinew {

enum class SeriesForm { Line, Dots, Bars };

/// Numbers to draw. Points that are not finite are left out and interrupt a line.
struct Series {
    std::string name = {};  ///< in the legend; empty = not listed
    std::vector<double> x = {};
    std::vector<double> y = {};  ///< as many as x
    SeriesForm form = SeriesForm::Line;
    std::optional<Rgb8> colour = {};  ///< absent: the next of a set of distinct colours
};

struct PlotOptions {
    int width = 900;
    int height = 560;
    std::string title = {};
    std::string x_label = {};
    std::string y_label = {};
    bool log_x = false;  ///< logarithmic axis; values <= 0 are left out
    bool log_y = false;
    bool zero_y = false;    ///< the y axis starts at 0 where all values are above
    double text_size = 18;  ///< pixels
    std::vector<std::string> categories = {};  ///< labels at x = 0, 1, 2 ... instead of numbers
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, PlotOptions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.width, Field{.name = "width", .help = "of the picture", .unit = "pixels", .min = 1});
    v(o.height, Field{.name = "height", .help = "of the picture", .unit = "pixels", .min = 1});
    v(o.title, Field{.name = "title", .help = "above the plot"});
    v(o.x_label, Field{.name = "x_label", .help = "below the plot"});
    v(o.y_label, Field{.name = "y_label", .help = "beside the plot"});
    v(o.log_x, Field{.name = "log_x", .help = "logarithmic x axis"});
    v(o.log_y, Field{.name = "log_y", .help = "logarithmic y axis"});
    v(o.zero_y, Field{.name = "zero_y", .help = "y axis from 0"});
    v(o.text_size,
      Field{.name = "text_size", .help = "of labels", .unit = "pixels", .min = 4, .max = 400});
}

/// Lines, points and bars with axes, ticks and a legend, on white.
/// @throws InputError  when x and y of a series differ in length or the size is out of range
Image plot(std::span<const Series> series, const PlotOptions& options = {});
/// The same as vectors: an SVG document.
std::string plot_svg(std::span<const Series> series, const PlotOptions& options = {});

}  // namespace sinew
