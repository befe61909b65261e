#include "sinew/io/motion_table.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

namespace sinew {

namespace {

struct Header {
    std::string name = {};
    bool in_degrees = false;
    bool says_unit = false;
    std::int64_t rows = -1;     // -1: not said
    std::int64_t columns = -1;  // with the time; -1: not said
};

// "nRows=121", "nRows = 121", "datarows 121".
bool split_entry(std::string_view line, std::string& key, std::string& value) {
    std::size_t end = line.find_first_of("= \t");
    if (end == std::string_view::npos) {
        return false;
    }
    key = lower(line.substr(0, end));
    const std::size_t begin = line.find_first_not_of("= \t", end);
    value = begin == std::string_view::npos ? "" : std::string(line.substr(begin));
    return true;
}

Header read_header(TextCursor& cursor) {
    Header header;
    bool is_first = true;
    while (true) {
        if (cursor.at_end()) {
            cursor.fail("the end of the file", "a line 'endheader'");
        }
        const std::size_t line_number = cursor.line();
        const std::string line(cursor.rest_of_line());
        cursor.skip_line();
        if (lower(line) == "endheader") {
            return header;
        }
        std::string key;
        std::string value;
        if (split_entry(line, key, value)) {
            std::int64_t number = 0;
            if (key == "indegrees") {
                header.in_degrees = lower(value) == "yes" || lower(value) == "true";
                header.says_unit = true;
            } else if (key == "nrows" || key == "datarows") {
                if (!parse_integer(value, number) || number < 0) {
                    cursor.fail_at(line_number, sinew::quoted(value), "the number of rows");
                }
                header.rows = number;
            } else if (key == "ncolumns" || key == "datacolumns") {
                if (!parse_integer(value, number) || number < 1) {
                    cursor.fail_at(line_number, sinew::quoted(value), "the number of columns");
                }
                header.columns = number;
            }
        }
        // OpenSim's own sentence, in files that leave inDegrees out.
        if (const std::string words = lower(line);
            !header.says_unit && words.find("angles are in") != std::string::npos) {
            header.in_degrees = words.find("degrees") != std::string::npos;
            header.says_unit = header.in_degrees || words.find("radians") != std::string::npos;
        }
        if (is_first && line.find('=') == std::string::npos) {
            header.name = line.starts_with("name ") ? line.substr(5) : line;
        }
        is_first = false;
    }
}

}  // namespace

MotionTable parse_motion_table(std::string_view text, std::string_view file) {
    TextCursor cursor(text, file, {});
    const Header header = read_header(cursor);
    MotionTable table;
    table.name = header.name;
    table.in_degrees = header.in_degrees;
    table.is_unit_known = header.says_unit;
    if (cursor.at_end()) {
        cursor.fail("the end of the file", "a row of labels");
    }
    const std::size_t label_line = cursor.line();
    if (lower(cursor.word_on_line()) != "time") {
        cursor.fail_at(label_line, "a first label other than 'time'", "the label 'time'");
    }
    while (!cursor.at_line_end()) {
        table.columns.emplace_back(cursor.word_on_line());
    }
    const auto columns = static_cast<std::int64_t>(table.columns.size()) + 1;
    if (header.columns >= 0 && header.columns != columns) {
        cursor.fail_at(label_line, fmt::format("{} labels", columns),
                       fmt::format("{}, as the header says", header.columns));
    }
    while (!cursor.at_end()) {
        const std::size_t line = cursor.line();
        table.times.push_back(cursor.number("time"));
        for (std::size_t k = 0; k < table.columns.size(); ++k) {
            if (cursor.at_line_end()) {
                cursor.fail_at(line, fmt::format("{} numbers", k + 1),
                               fmt::format("{} numbers", columns));
            }
            table.values.push_back(cursor.number(table.columns[k]));
        }
        if (!cursor.at_line_end()) {
            cursor.fail_at(line, "more numbers than labels", fmt::format("{} numbers", columns));
        }
    }
    if (header.rows >= 0 && header.rows != static_cast<std::int64_t>(table.times.size())) {
        cursor.fail(fmt::format("{} rows", table.times.size()),
                    fmt::format("{}, as the header says", header.rows));
    }
    return table;
}

MotionTable read_motion_table(const std::filesystem::path& path) {
    return parse_motion_table(read_file_bytes(path), path.string());
}

std::string format_motion_table(const MotionTable& table) {
    std::string name = table.name.empty() ? "table" : table.name;
    for (char& c : name) {
        c = c == '\n' || c == '\r' || c == '=' ? ' ' : c;
    }
    std::string out =
        fmt::format("{}\nversion=1\nnRows={}\nnColumns={}\ninDegrees={}\nendheader\ntime", name,
                    table.times.size(), table.columns.size() + 1, table.in_degrees ? "yes" : "no");
    for (const std::string& column : table.columns) {
        out += '\t';
        out += column;
    }
    out += '\n';
    for (std::size_t r = 0; r < table.times.size(); ++r) {
        append_number(out, table.times[r]);
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            out += '\t';
            append_number(out, table.at(r, c));
        }
        out += '\n';
    }
    return out;
}

void write_motion_table(const std::filesystem::path& path, const MotionTable& table) {
    write_file_bytes(path, format_motion_table(table));
}

}  // namespace sinew
