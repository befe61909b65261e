#pragma once

#include "sinew/base/text.h"
#include "sinew/io/atomic_file.h"
#include "sinew/render/plot.h"
#include "sinew/render/png.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace sinew::cli {

inline const std::vector<std::string> kPlotEndings = {".png", ".svg"};

/// Writes a plot: .svg as vectors, .png as pixels.
inline void write_plot(const std::string& file, std::span<const Series> series,
                       const PlotOptions& options) {
    if (lower(std::filesystem::path(file).extension().string()) == ".svg") {
        write_file_bytes(file, plot_svg(series, options));
    } else {
        write_file_bytes(file, encode_png(plot(series, options)));
    }
}

}  // namespace sinew::cli
