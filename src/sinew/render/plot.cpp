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

constexpr double kLegendRow = 1.6;     // lines of text
constexpr double kLegendMargin = 5.0;  // of text, at the sides

constexpr Rgb8 kInk = {60, 63, 68};
constexpr Rgb8 kGrid = {228, 231, 235};
constexpr Rgb8 kSeriesColours[] = {{46, 104, 165}, {194, 72, 58},  {58, 138, 92},   {214, 146, 47},
                                   {125, 90, 160}, {94, 101, 110}, {196, 106, 148}, {84, 156, 170}};

/// What a plot is drawn on: pixels or vectors.
class Canvas {
public:
    virtual ~Canvas() = default;
    virtual void line(const Vec2& a, const Vec2& b, double width, Rgb8 colour) = 0;
    virtual void disc(const Vec2& centre, double radius, Rgb8 colour) = 0;
    virtual void rectangle(const Vec2& low, const Vec2& high, Rgb8 colour) = 0;
    virtual void text(const std::string& label, double x, double y, const TextStyle& style) = 0;
};

class PixelCanvas final : public Canvas {
public:
    explicit PixelCanvas(Image& image) : image_(image) {}
    void line(const Vec2& a, const Vec2& b, double width, Rgb8 colour) override {
        draw_line(image_, a, b, width, colour);
    }
    void disc(const Vec2& centre, double radius, Rgb8 colour) override {
        draw_disc(image_, centre, radius, colour);
    }
    void rectangle(const Vec2& low, const Vec2& high, Rgb8 colour) override {
        fill_rectangle(image_, low, high, colour);
    }
    void text(const std::string& label, double x, double y, const TextStyle& style) override {
        draw_text(image_, label, x, y, style);
    }

private:
    Image& image_;
};

class SvgCanvas final : public Canvas {
public:
    SvgCanvas(int width, int height)
        : out_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                           "height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                           "font-family=\"DejaVu Sans, sans-serif\">\n"
                           "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                           width, height)) {}
    void line(const Vec2& a, const Vec2& b, double width, Rgb8 colour) override {
        out_ += fmt::format(
            "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\" "
            "stroke-width=\"{:.2f}\" stroke-linecap=\"round\"/>\n",
            a.x(), a.y(), b.x(), b.y(), hex(colour), width);
    }
    void disc(const Vec2& centre, double radius, Rgb8 colour) override {
        out_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"/>\n",
                            centre.x(), centre.y(), radius, hex(colour));
    }
    void rectangle(const Vec2& low, const Vec2& high, Rgb8 colour) override {
        out_ += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
            "fill=\"{}\"/>\n",
            low.x(), low.y(), high.x() - low.x(), high.y() - low.y(), hex(colour));
    }
    void text(const std::string& label, double x, double y, const TextStyle& style) override {
        const char* anchor = style.align == TextAlign::Centre  ? "middle"
                             : style.align == TextAlign::Right ? "end"
                                                               : "start";
        out_ += fmt::format(
            "<text x=\"{0:.2f}\" y=\"{1:.2f}\" font-size=\"{2:.2f}\" fill=\"{3}\" "
            "text-anchor=\"{4}\"{5}>{6}</text>\n",
            x, y, style.size, hex(style.colour), anchor,
            style.is_vertical ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", x, y) : "",
            escaped(label));
    }
    std::string finish() {
        return std::move(out_) + "</svg>\n";
    }

private:
    static std::string hex(Rgb8 c) {
        return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
    }
    static std::string escaped(const std::string& text) {
        std::string out;
        for (const char c : text) {
            out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
        }
        return out;
    }
    std::string out_;
};

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
    std::vector<Vec2> legend = {};  // of each named series: pixels from the left, row
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

// As many names in a row as fit, in the order given.
std::vector<Vec2> place_legend(std::span<const Series> series, double text, double width) {
    std::vector<Vec2> places;
    double x = 0.0;
    double row = 0.0;
    for (const Series& s : series) {
        if (s.name.empty()) {
            continue;
        }
        const double needed = 2.6 * text + text_width(s.name, text);
        if (x > 0.0 && x + needed > width) {
            x = 0.0;
            row += 1.0;
        }
        places.emplace_back(x, row);
        x += needed;
    }
    return places;
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
    l.legend = place_legend(series, l.text, o.width - kLegendMargin * l.text);
    const double rows = l.legend.empty() ? 0.0 : l.legend.back().y() + 1.0;
    l.y.to = l.text * ((o.title.empty() ? 1.0 : 3.0) + kLegendRow * rows);
    for (const auto& [value, label] :
         l.y.ticks(std::max(2, static_cast<int>((l.y.from - l.y.to) / (3.0 * l.text))))) {
        widest = std::max(widest, text_width(label, l.text));
    }
    l.x.from = widest + l.text * (o.y_label.empty() ? 1.6 : 3.2);
    l.x.to = o.width - 1.4 * l.text;
    return l;
}

void draw_axes(Canvas& canvas, const Layout& l, const PlotOptions& o) {
    const double thin = std::max(1.0, l.text / 18.0);
    const TextStyle centre{.size = l.text, .colour = kInk, .align = TextAlign::Centre};
    const TextStyle right{.size = l.text, .colour = kInk, .align = TextAlign::Right};
    const int y_count = std::max(2, static_cast<int>((l.y.from - l.y.to) / (3.0 * l.text)));
    for (const auto& [value, label] : l.y.ticks(y_count)) {
        const double y = l.y.pixel(value);
        canvas.line({l.x.from, y}, {l.x.to, y}, thin, kGrid);
        canvas.text(label, l.x.from - 0.5 * l.text, y + 0.36 * l.text, right);
    }
    const double below = l.y.from + 1.4 * l.text;
    if (o.categories.empty()) {
        const int x_count = std::max(2, static_cast<int>((l.x.to - l.x.from) / (6.0 * l.text)));
        for (const auto& [value, label] : l.x.ticks(x_count)) {
            const double x = l.x.pixel(value);
            canvas.line({x, l.y.from}, {x, l.y.to}, thin, kGrid);
            canvas.text(label, x, below, centre);
        }
    }
    for (std::size_t i = 0; i < o.categories.size(); ++i) {
        canvas.text(o.categories[i], l.x.pixel(static_cast<double>(i)), below, centre);
    }
    canvas.line({l.x.from, l.y.from}, {l.x.to, l.y.from}, 1.4 * thin, kInk);
    canvas.line({l.x.from, l.y.from}, {l.x.from, l.y.to}, 1.4 * thin, kInk);
    const double middle = 0.5 * (l.x.from + l.x.to);
    if (!o.title.empty()) {
        TextStyle title = centre;
        title.size = 1.25 * l.text;
        canvas.text(o.title, middle, 1.8 * l.text, title);
    }
    if (!o.x_label.empty()) {
        canvas.text(o.x_label, middle, o.height - 0.8 * l.text, centre);
    }
    if (!o.y_label.empty()) {
        TextStyle upright = centre;
        upright.is_vertical = true;
        canvas.text(o.y_label, 1.4 * l.text, 0.5 * (l.y.from + l.y.to), upright);
    }
}

Rgb8 colour_of(std::span<const Series> series, std::size_t i) {
    return series[i].colour.value_or(kSeriesColours[i % std::size(kSeriesColours)]);
}

void draw_series(Canvas& canvas, const Layout& l, const Series& s, Rgb8 colour, double bar_low,
                 double bar_high) {
    Vec2 before = Vec2::Constant(std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        const Vec2 at(l.x.pixel(s.x[i]), l.y.pixel(s.y[i]));
        if (at.allFinite() && s.form == SeriesForm::Dots) {
            canvas.disc(at, 0.22 * l.text, colour);
        } else if (at.allFinite() && s.form == SeriesForm::Line && before.allFinite()) {
            canvas.line(before, at, line_width(l), colour);
        } else if (at.allFinite() && s.form == SeriesForm::Bars) {
            const double zero = l.y.is_log ? l.y.from : l.y.pixel(std::max(0.0, l.y.low));
            const double x0 = l.x.pixel(s.x[i] + bar_low);
            const double x1 = l.x.pixel(s.x[i] + bar_high);
            canvas.rectangle({x0, std::min(at.y(), zero)}, {x1, std::max(at.y(), zero)}, colour);
        }
        before = at;
    }
}

/// Above the plot, in a row from the left: nothing is hidden.
void draw_legend(Canvas& canvas, const Layout& l, std::span<const Series> series) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series[i].name.empty()) {
            continue;
        }
        const Vec2 place = l.legend[next++];
        const double x = l.x.from + 0.5 * l.text + place.x();
        const double y = l.y.to - (1.0 + kLegendRow * (l.legend.back().y() - place.y())) * l.text;
        const Rgb8 colour = colour_of(series, i);
        const Vec2 middle(x + 0.5 * l.text, y);
        if (series[i].form == SeriesForm::Dots) {
            canvas.disc(middle, 0.22 * l.text, colour);
        } else if (series[i].form == SeriesForm::Bars) {
            const Vec2 half = Vec2::Constant(0.35 * l.text);
            canvas.rectangle(middle - half, middle + half, colour);
        } else {
            const Vec2 half(0.5 * l.text, 0.0);
            canvas.line(middle - half, middle + half, line_width(l), colour);
        }
        canvas.text(series[i].name, x + 1.4 * l.text, y + 0.36 * l.text,
                    {.size = l.text, .colour = kInk});
    }
}

void draw_plot(Canvas& canvas, std::span<const Series> series, const PlotOptions& options) {
    const Layout layout = lay_out(series, options);
    draw_axes(canvas, layout, options);
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
        draw_series(canvas, layout, series[i], colour_of(series, i), low, high);
    }
    draw_legend(canvas, layout, series);
}

void require_drawable(std::span<const Series> series, const PlotOptions& options) {
    check_ranges(options, "plot");
    require_picture_size(options.width, options.height, "plot");
    require_matching(series);
}

}  // namespace

Image plot(std::span<const Series> series, const PlotOptions& options) {
    require_drawable(series, options);
    Image image(options.width, options.height);
    PixelCanvas canvas(image);
    draw_plot(canvas, series, options);
    return image;
}

std::string plot_svg(std::span<const Series> series, const PlotOptions& options) {
    require_drawable(series, options);
    SvgCanvas canvas(options.width, options.height);
    draw_plot(canvas, series, options);
    return canvas.finish();
}

}  // namespace sinew
