#include "sinew/render/plot.h"

#include "sinew/base/error.h"
#include "sinew/render/colour_map.h"
#include "sinew/render/draw.h"
#include "sinew/render/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr Rgb8 kInk = {60, 63, 68};
constexpr Rgb8 kGrid = {228, 231, 235};
constexpr Rgb8 kSeriesColours[] = {{46, 104, 165}, {194, 72, 58},  {58, 138, 92},   {214, 146, 47},
                                   {125, 90, 160}, {94, 101, 110}, {196, 106, 148}, {84, 156, 170}};

/// One axis: values (or their logarithms) to pixels.
struct Axis {
    bool is_log = false;
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    double from = 0.0;  ///< pixel of `low`
    double to = 1.0;    ///< pixel of `high`

    double scaled(double v) const {
        return is_log ? (v > 0.0 ? std::log10(v) : std::numeric_limits<double>::quiet_NaN()) : v;
    }
    void add(double v) {
        const double s = scaled(v);
        if (std::isfinite(s)) {
            low = std::min(low, s);
            high = std::max(high, s);
        }
    }
    /// Leaves some air and never has zero length.
    void settle(double air) {
        if (!(low <= high)) {
            low = 0.0;
            high = 1.0;
        }
        const double span = high - low;
        const double pad =
            span > 0.0 ? air * span : std::max(0.5 * std::abs(low), is_log ? 0.5 : 1e-9);
        low -= pad;
        high += pad;
    }
    double pixel(double v) const {
        return from + (to - from) * (scaled(v) - low) / (high - low);
    }
    std::vector<std::pair<double, std::string>> ticks(int count) const {
        std::vector<std::pair<double, std::string>> result;
        if (!is_log) {
            const std::vector<double> values = ticks_between(low, high, count);
            const double step = values.size() > 1 ? values[1] - values[0] : high - low;
            for (const double v : values) {
                result.emplace_back(v, tick_label(v, step));
            }
            return result;
        }
        const double every = std::max(1.0, std::ceil((high - low) / count));
        for (double e = std::ceil(low); e <= high; e += every) {
            const double v = std::pow(10.0, e);
            result.emplace_back(
                v, std::abs(e) <= 4 ? fmt::format("{:g}", v) : fmt::format("{:.0e}", v));
        }
        return result;
    }
};

struct Layout {
    Axis x;
    Axis y;
    double text = 18.0;
};

double line_width(const Layout& l) {
    return std::max(1.5, l.text / 7.0);
}

void require_matching(std::span<const Series> series) {
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series[i].x.size() != series[i].y.size()) {
            throw InputError(
                {.where = fmt::format("plot, series {} '{}'", i, series[i].name),
                 .found = fmt::format("{} x and {} y", series[i].x.size(), series[i].y.size()),
                 .needs = "as many of either",
                 .remedy = "give one y for each x"});
        }
    }
}

/// Width of one bar in x: the smallest distance between neighbours, a little less than all of it.
double bar_width(const Series& s) {
    std::vector<double> x = s.x;
    std::sort(x.begin(), x.end());
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < x.size(); ++i) {
        if (x[i] > x[i - 1]) {
            least = std::min(least, x[i] - x[i - 1]);
        }
    }
    return 0.8 * (std::isfinite(least) ? least : 1.0);
}

Layout lay_out(std::span<const Series> series, const PlotOptions& o) {
    Layout l;
    l.text = o.text_size;
    l.x.is_log = o.log_x;
    l.y.is_log = o.log_y;
    bool has_bars = false;
    for (const Series& s : series) {
        const bool is_bars = s.form == SeriesForm::Bars;
        has_bars = has_bars || is_bars;
        const double half = is_bars ? 0.6 * bar_width(s) : 0.0;
        for (std::size_t i = 0; i < s.x.size(); ++i) {
            if (std::isfinite(l.x.scaled(s.x[i])) && std::isfinite(l.y.scaled(s.y[i]))) {
                l.x.add(s.x[i] - half);
                l.x.add(s.x[i] + half);
                l.y.add(s.y[i]);
            }
        }
    }
    const bool from_zero = !o.log_y && (o.zero_y || has_bars);
    if (from_zero) {
        l.y.add(0.0);
    }
    const bool rests_on_zero = from_zero && l.y.low == 0.0;
    l.x.settle(has_bars ? 0.01 : 0.03);
    l.y.settle(0.06);
    if (rests_on_zero && l.y.high > 0.0) {
        l.y.low = 0.0;
    }
    // Room for labels: the widest y label, titles, a margin.
    double widest = 0.0;
    l.y.from = o.height - l.text * (o.x_label.empty() ? 2.4 : 4.0);
    const bool has_legend =
        std::any_of(series.begin(), series.end(), [](const Series& s) { return !s.name.empty(); });
    l.y.to = l.text * ((o.title.empty() ? 1.0 : 3.0) + (has_legend ? 1.6 : 0.0));
    for (const auto& [value, label] :
         l.y.ticks(std::max(2, static_cast<int>((l.y.from - l.y.to) / (3.0 * l.text))))) {
        widest = std::max(widest, text_width(label, l.text));
    }
    l.x.from = widest + l.text * (o.y_label.empty() ? 1.6 : 3.2);
    l.x.to = o.width - 1.4 * l.text;
    return l;
}

void draw_axes(Image& image, const Layout& l, const PlotOptions& o) {
    const double thin = std::max(1.0, l.text / 18.0);
    const TextStyle centre{.size = l.text, .colour = kInk, .align = TextAlign::Centre};
    const TextStyle right{.size = l.text, .colour = kInk, .align = TextAlign::Right};
    const int y_count = std::max(2, static_cast<int>((l.y.from - l.y.to) / (3.0 * l.text)));
    for (const auto& [value, label] : l.y.ticks(y_count)) {
        const double y = l.y.pixel(value);
        draw_line(image, {l.x.from, y}, {l.x.to, y}, thin, kGrid);
        draw_text(image, label, l.x.from - 0.5 * l.text, y + 0.36 * l.text, right);
    }
    const double below = l.y.from + 1.4 * l.text;
    if (o.categories.empty()) {
        const int x_count = std::max(2, static_cast<int>((l.x.to - l.x.from) / (6.0 * l.text)));
        for (const auto& [value, label] : l.x.ticks(x_count)) {
            const double x = l.x.pixel(value);
            draw_line(image, {x, l.y.from}, {x, l.y.to}, thin, kGrid);
            draw_text(image, label, x, below, centre);
        }
    }
    for (std::size_t i = 0; i < o.categories.size(); ++i) {
        draw_text(image, o.categories[i], l.x.pixel(static_cast<double>(i)), below, centre);
    }
    draw_line(image, {l.x.from, l.y.from}, {l.x.to, l.y.from}, 1.4 * thin, kInk);
    draw_line(image, {l.x.from, l.y.from}, {l.x.from, l.y.to}, 1.4 * thin, kInk);
    const double middle = 0.5 * (l.x.from + l.x.to);
    if (!o.title.empty()) {
        TextStyle title = centre;
        title.size = 1.25 * l.text;
        draw_text(image, o.title, middle, 1.8 * l.text, title);
    }
    if (!o.x_label.empty()) {
        draw_text(image, o.x_label, middle, o.height - 0.8 * l.text, centre);
    }
    if (!o.y_label.empty()) {
        TextStyle upright = centre;
        upright.is_vertical = true;
        draw_text(image, o.y_label, 1.4 * l.text, 0.5 * (l.y.from + l.y.to), upright);
    }
}

Rgb8 colour_of(std::span<const Series> series, std::size_t i) {
    return series[i].colour.value_or(kSeriesColours[i % std::size(kSeriesColours)]);
}

void draw_series(Image& image, const Layout& l, const Series& s, Rgb8 colour, double bar_low,
                 double bar_high) {
    Vec2 before = Vec2::Constant(std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        const Vec2 at(l.x.pixel(s.x[i]), l.y.pixel(s.y[i]));
        if (at.allFinite() && s.form == SeriesForm::Dots) {
            draw_disc(image, at, 0.22 * l.text, colour);
        } else if (at.allFinite() && s.form == SeriesForm::Line && before.allFinite()) {
            draw_line(image, before, at, line_width(l), colour);
        } else if (at.allFinite() && s.form == SeriesForm::Bars) {
            const double zero = l.y.is_log ? l.y.from : l.y.pixel(std::max(0.0, l.y.low));
            const double x0 = l.x.pixel(s.x[i] + bar_low);
            const double x1 = l.x.pixel(s.x[i] + bar_high);
            fill_rectangle(image, {x0, std::min(at.y(), zero)}, {x1, std::max(at.y(), zero)},
                           colour);
        }
        before = at;
    }
}

/// Above the plot, in a row from the left: nothing is hidden.
void draw_legend(Image& image, const Layout& l, std::span<const Series> series) {
    double x = l.x.from + 0.5 * l.text;
    const double y = l.y.to - 1.0 * l.text;
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series[i].name.empty()) {
            continue;
        }
        const Rgb8 colour = colour_of(series, i);
        const Vec2 middle(x + 0.5 * l.text, y);
        if (series[i].form == SeriesForm::Dots) {
            draw_disc(image, middle, 0.22 * l.text, colour);
        } else if (series[i].form == SeriesForm::Bars) {
            const Vec2 half = Vec2::Constant(0.35 * l.text);
            fill_rectangle(image, middle - half, middle + half, colour);
        } else {
            const Vec2 half(0.5 * l.text, 0.0);
            draw_line(image, middle - half, middle + half, line_width(l), colour);
        }
        draw_text(image, series[i].name, x + 1.4 * l.text, y + 0.36 * l.text,
                  {.size = l.text, .colour = kInk});
        x += 2.6 * l.text + text_width(series[i].name, l.text);
    }
}

}  // namespace

Image plot(std::span<const Series> series, const PlotOptions& options) {
    check_ranges(options, "plot");
    require_picture_size(options.width, options.height, "plot");
    require_matching(series);
    Image image(options.width, options.height);
    const Layout layout = lay_out(series, options);
    draw_axes(image, layout, options);
    // Bars of several series stand side by side.
    const auto bars = std::count_if(series.begin(), series.end(),
                                    [](const Series& s) { return s.form == SeriesForm::Bars; });
    std::ptrdiff_t bar = 0;
    for (std::size_t i = 0; i < series.size(); ++i) {
        double low = 0.0;
        double high = 0.0;
        if (series[i].form == SeriesForm::Bars) {
            const double width = bar_width(series[i]);
            low = width * (static_cast<double>(bar) / static_cast<double>(bars) - 0.5);
            high = low + width / static_cast<double>(bars);
            ++bar;
        }
        draw_series(image, layout, series[i], colour_of(series, i), low, high);
    }
    draw_legend(image, layout, series);
    return image;
}

}  // namespace sinew
