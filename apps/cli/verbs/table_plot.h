#pragma once

#include "sinew/base/text.h"
#include "sinew/body/musculoskeletal.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cli/verbs/plot_file.h"

namespace sinew::cli {

/// Draws columns of a table over time: those whose names contain one of `parts`, or all; of these
/// at most eight, those with the greatest values, and the title says so.
inline void plot_table(const std::string& file, const MotionTable& table,
                       const std::vector<std::string>& parts, const PlotOptions& options) {
    constexpr std::size_t kMost = 8;  // colours that can be told apart
    std::vector<std::pair<double, std::size_t>> chosen;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const bool counts =
            parts.empty() || std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
                return lower(table.columns[c]).find(lower(part)) != std::string::npos;
            });
        double peak = 0.0;
        for (std::size_t r = 0; r < table.times.size(); ++r) {
            peak = std::max(peak, std::abs(table.at(r, c)));
        }
        if (counts) {
            chosen.emplace_back(-peak, c);
        }
    }
    PlotOptions shown = options;
    if (chosen.size() > kMost) {
        shown.title += " (the " + std::to_string(kMost) + " greatest of " +
                       std::to_string(chosen.size()) + ")";
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.resize(std::min(chosen.size(), kMost));
    std::sort(chosen.begin(), chosen.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<Series> series;
    for (const auto& [peak, c] : chosen) {
        Series line{.name = table.columns[c], .x = table.times};
        for (std::size_t r = 0; r < table.times.size(); ++r) {
            line.y.push_back(table.at(r, c));
        }
        series.push_back(std::move(line));
    }
    write_plot(file, series, shown);
}

}  // namespace sinew::cli
