#include "sinew/io/csv_file.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/file_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sinew {

namespace {

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    const std::size_t end = text.find_last_not_of(" \t\r");
    return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

std::string place_of(const std::string& file, std::size_t line) {
    return fmt::format("{}, line {}", file, line);
}

std::vector<std::string> cells_of(std::string_view line, const std::string& where) {
    std::vector<std::string> cells;
    std::string cell;
    bool is_quoted = false;   // inside quotes
    bool was_quoted = false;  // this cell had some: its blanks count
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (is_quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
            cell += line[++i];
        } else if (c == '"' && (is_quoted || trimmed(cell).empty())) {
            is_quoted = !is_quoted;
            cell = is_quoted ? "" : cell;
            was_quoted = true;
        } else if (c == ',' && !is_quoted) {
            cells.push_back(was_quoted ? cell : trimmed(cell));
            cell.clear();
            was_quoted = false;
        } else if (is_quoted || !was_quoted) {
            cell += c;
        }
    }
    if (is_quoted) {
        throw InputError({.where = where,
                          .found = "a quote that is not closed",
                          .needs = "a pair of quotes around a cell",
                          .remedy = "close it, or write a quote within a cell twice"});
    }
    cells.push_back(was_quoted ? cell : trimmed(cell));
    return cells;
}

}  // namespace

std::string CsvTable::where(const Row& row) const {
    return place_of(file, row.line);
}

const std::string& CsvTable::cell(const Row& row, std::string_view column) const {
    static const std::string kNothing;
    const auto it = std::find(columns.begin(), columns.end(), column);
    return it == columns.end() ? kNothing
                               : row.cells[static_cast<std::size_t>(it - columns.begin())];
}

bool CsvTable::has(std::string_view column) const {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
}

CsvTable parse_csv(std::string_view text, const std::string& file) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";  // of UTF-8, as spreadsheets write it
    text.remove_prefix(text.starts_with(kMark) ? kMark.size() : 0);
    CsvTable table{.file = file};
    const std::vector<std::string> lines = split(text, '\n');
    for (std::size_t n = 0; n < lines.size(); ++n) {
        const std::string line = trimmed(lines[n]);
        if (line.empty() || line[0] == '#') {
            continue;
        }
        const std::string where = place_of(file, n + 1);
        std::vector<std::string> cells = cells_of(line, where);
        if (table.columns.empty()) {
            const std::set<std::string> names(cells.begin(), cells.end());
            if (names.size() != cells.size() || names.contains("")) {
                throw InputError({.where = where,
                                  .found = "a column without a name, or one name twice",
                                  .needs = "one name per column",
                                  .remedy = "correct the line of names"});
            }
            table.columns = std::move(cells);
            table.names_line = n + 1;
            continue;
        }
        if (cells.size() > table.columns.size()) {
            throw InputError({.where = where,
                              .found = fmt::format("{} cells", cells.size()),
                              .needs = fmt::format("at most {}, one per column: {}",
                                                   table.columns.size(), join(table.columns, ",")),
                              .remedy = "put cells with commas in quotes"});
        }
        cells.resize(table.columns.size());
        table.rows.push_back({.line = n + 1, .cells = std::move(cells)});
    }
    if (table.columns.empty()) {
        throw InputError({.where = file,
                          .found = "no line",
                          .needs = "a line of column names",
                          .remedy = "write one, such as 'scan,sex'"});
    }
    return table;
}

CsvTable read_csv(const std::filesystem::path& path) {
    return parse_csv(read_file_bytes(path), path.filename().string());
}

void require_columns(const CsvTable& table, std::span<const std::string> known) {
    for (const std::string& name : table.columns) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            throw InputError(
                {.where = place_of(table.file, table.names_line),
                 .found = fmt::format("unknown column '{}'{}", name, did_you_mean(name, known)),
                 .needs = fmt::format("columns among: {}", join(known, ", ")),
                 .remedy = "rename the column, or take it away"});
        }
    }
}

std::string csv_cell(std::string_view text) {
    if (text.find_first_of(",\"\n#") == std::string_view::npos && trimmed(text) == text) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' ? ' ' : c);
    }
    return quoted + "\"";
}

}  // namespace sinew
