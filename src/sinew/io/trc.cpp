#include "sinew/io/trc.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

namespace sinew {

namespace {

constexpr double kUnseen = std::numeric_limits<double>::quiet_NaN();
constexpr double kDigit = 1e-4;           // s; times with more digits are taken as they are
constexpr double kPrintedTime = 5.01e-4;  // s; half of the last of three digits
constexpr double kOfFrame = 0.25;         // of a frame that a time may be off by rounding
constexpr std::size_t kLeastShare = 8;    // markers that one byte of the file may stand for

// Lines of a text with their cells. Line ends may be LF, CRLF or CR.
class TrcLines {
public:
    TrcLines(std::string_view text, std::string_view file) : text_(text), file_(file) {}

    bool at_end() const {
        return at_ >= text_.size();
    }
    std::size_t number() const {
        return number_;
    }
    // The next line's cells, blanks at either end of each cut off.
    std::vector<std::string_view> next() {
        std::size_t end = text_.find_first_of("\r\n", at_);
        end = end == std::string_view::npos ? text_.size() : end;
        std::string_view line = text_.substr(at_, end - at_);
        at_ = end;
        if (at_ < text_.size()) {
            at_ += text_.substr(at_, 2) == "\r\n" ? 2 : 1;
        }
        ++number_;
        std::vector<std::string_view> cells;
        const bool has_tabs = line.find('\t') != std::string_view::npos;
        while (true) {
            const std::size_t stop = has_tabs ? line.find('\t') : line.find(' ');
            cells.push_back(trim(line.substr(0, stop)));
            if (stop == std::string_view::npos) {
                break;
            }
            line.remove_prefix(stop + 1);
        }
        while (!cells.empty() && cells.back().empty()) {
            cells.pop_back();
        }
        return cells;
    }
    [[noreturn]] void fail(std::string found, std::string needs) const {
        throw InputError({.where = fmt::format("{}, line {}", file_, number_),
                          .found = std::move(found),
                          .needs = std::move(needs),
                          .remedy = "export the markers again; the file is damaged"});
    }

private:
    static std::string_view trim(std::string_view cell) {
        while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) {
            cell.remove_prefix(1);
        }
        while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) {
            cell.remove_suffix(1);
        }
        return cell;
    }
    std::string_view text_;
    std::string_view file_;
    std::size_t at_ = 0;
    std::size_t number_ = 0;
};

// Rate and unit, from the two lines of keys and values.
double read_trc_header(TrcLines& lines, MarkerData& data) {
    const auto first = lines.next();
    if (first.empty() || first[0] != "PathFileType") {
        lines.fail(first.empty() ? std::string("an empty line") : sinew::quoted(first[0]),
                   "'PathFileType', the beginning of a .trc file");
    }
    const auto keys = lines.next();
    const auto values = lines.next();
    double unit = 0.0;
    for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) {
        if (keys[i] == "DataRate") {
            parse_number(values[i], data.rate);
        } else if (keys[i] == "Units") {
            const std::string name = lower(values[i]);
            unit = name == "mm"                      ? 1e-3
                   : name == "cm"                    ? 1e-2
                   : name == "m" || name == "meters" ? 1.0
                                                     : 0.0;
            if (unit == 0.0) {
                lines.fail(fmt::format("Units {}", sinew::quoted(values[i])), "mm, cm or m");
            }
        }
    }
    if (unit == 0.0) {
        unit = 1e-3;
        data.notes.emplace_back("the file does not say its unit: taken as millimetres");
    }
    return unit;
}

void read_trc_names(TrcLines& lines, MarkerData& data) {
    const auto cells = lines.next();
    if (cells.size() < 3 || !lower(cells[0]).starts_with("frame") || lower(cells[1]) != "time") {
        lines.fail("no line of marker names", "'Frame#', 'Time' and the names of markers");
    }
    std::set<std::string> seen;
    for (std::size_t i = 2; i < cells.size(); ++i) {
        if (cells[i].empty()) {
            continue;
        }
        std::string name(cells[i]);
        if (!seen.insert(name).second) {
            lines.fail(fmt::format("two markers named {}", sinew::quoted(name)),
                       "names that are given once");
        }
        data.names.push_back(std::move(name));
    }
    lines.next();  // X1 Y1 Z1 ...
}

// Programs print times with three or four digits; frames come at the rate all the same, and unequal
// steps would be accelerations.
void even_times(MarkerData& data) {
    if (!(data.rate > 0.0) || data.times.size() < 2) {
        return;
    }
    const double frame = std::round(data.times.front() * data.rate);
    double most = 0.0;
    for (std::size_t k = 0; k < data.times.size(); ++k) {
        const double digits = data.times[k] / kDigit;
        if (std::abs(digits - std::round(digits)) > 1e-6 * std::max(std::abs(digits), 1.0)) {
            return;
        }
        most =
            std::max(most, std::abs((frame + static_cast<double>(k)) / data.rate - data.times[k]));
    }
    if (most == 0.0 || most > kPrintedTime || most * data.rate > kOfFrame) {
        return;
    }
    for (std::size_t k = 0; k < data.times.size(); ++k) {
        data.times[k] = (frame + static_cast<double>(k)) / data.rate;
    }
}

}  // namespace

MarkerData parse_trc(std::string_view text, std::string_view file) {
    MarkerData data;
    TrcLines lines(text, file);
    const double unit = read_trc_header(lines, data);
    read_trc_names(lines, data);
    while (!lines.at_end()) {
        const auto cells = lines.next();
        if (cells.empty()) {
            continue;
        }
        double time = 0.0;
        if (cells.size() < 2 || !parse_number(cells[1], time)) {
            lines.fail("a row without a time", "frame, time and coordinates");
        }
        if (!data.times.empty() && !(time > data.times.back())) {
            lines.fail(fmt::format("time {} after {}", time, data.times.back()), "times that rise");
        }
        if (cells.size() > 2 + 3 * data.names.size()) {
            lines.fail(fmt::format("{} cells", cells.size()),
                       fmt::format("at most {}", 2 + 3 * data.names.size()));
        }
        // Cells may be left out at the end of a row, but not nearly all of all rows.
        if (data.positions.size() + data.names.size() > kLeastShare * text.size()) {
            lines.fail(
                fmt::format("rows of {} cells for {} markers", cells.size(), data.names.size()),
                "three coordinates per marker");
        }
        data.times.push_back(time);
        for (std::size_t m = 0; m < data.names.size(); ++m) {
            Vec3 p = Vec3::Constant(kUnseen);
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t c = 2 + 3 * m + k;
                double value = 0.0;
                if (c >= cells.size() || cells[c].empty() || lower(cells[c]) == "nan") {
                    continue;
                }
                if (!parse_number(cells[c], value)) {
                    lines.fail(sinew::quoted(cells[c]),
                               fmt::format("a coordinate of marker '{}'", data.names[m]));
                }
                p[static_cast<Eigen::Index>(k)] = unit * value;
            }
            data.positions.push_back(p.allFinite() ? p : Vec3(Vec3::Constant(kUnseen)));
        }
    }
    if (data.times.empty()) {
        lines.fail("no frames", "at least one row");
    }
    even_times(data);
    return data;
}

MarkerData read_trc(const std::filesystem::path& path) {
    return parse_trc(read_file_bytes(path), path.string());
}

std::string format_trc(const MarkerData& data, std::string_view file) {
    const double rate = data.rate > 0.0         ? data.rate
                        : data.times.size() > 1 ? static_cast<double>(data.times.size() - 1) /
                                                      (data.times.back() - data.times.front())
                                                : 1.0;
    std::string out = fmt::format(
        "PathFileType\t4\t(X/Y/Z)\t{0}\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\t"
        "OrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n{1}\t{1}\t{2}\t{3}\tmm\t{1}\t1\t{2}\n"
        "Frame#\tTime",
        file, rate, data.times.size(), data.names.size());
    std::string axes = "\t";
    for (std::size_t m = 0; m < data.names.size(); ++m) {
        out += "\t" + data.names[m] + "\t\t";
        axes += fmt::format("\tX{0}\tY{0}\tZ{0}", m + 1);
    }
    out += "\n" + axes + "\n\n";
    for (std::size_t r = 0; r < data.times.size(); ++r) {
        out += fmt::format("{}\t", r + 1);
        append_number(out, data.times[r]);
        for (std::size_t m = 0; m < data.names.size(); ++m) {
            for (int k = 0; k < 3; ++k) {
                out += '\t';
                if (data.at(r, m).allFinite()) {
                    append_number(out, 1e3 * data.at(r, m)[k]);
                }
            }
        }
        out += '\n';
    }
    return out;
}

}  // namespace sinew
