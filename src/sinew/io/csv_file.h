#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// A table of texts. Every row has one cell per column.
struct CsvTable {
    struct Row {
        std::size_t line = 0;  ///< of the file, from 1
        std::vector<std::string> cells = {};
    };
    std::string file;                       ///< for messages
    std::vector<std::string> columns = {};  ///< names, from the first line that is not empty
    std::size_t names_line = 0;             ///< of the file, from 1
    std::vector<Row> rows = {};

    /// Where a row stands, for messages: "scans.csv, line 3".
    std::string where(const Row& row) const;
    /// The cell of a column; empty where there is no such column.
    const std::string& cell(const Row& row, std::string_view column) const;
    bool has(std::string_view column) const;
};

/// Comma-separated values with a line of names. Cells lose blanks around them; those with commas
/// stand in double quotes, a quote in them twice. Empty lines and those that begin with # are
/// passed over; rows may end early, the cells that are missing are empty.
/// @param file  for messages
/// @throws InputError  with the line: no names, a name twice, more cells than names, an open quote
CsvTable parse_csv(std::string_view text, const std::string& file);
CsvTable read_csv(const std::filesystem::path& path);

/// Columns must be among `known`. @throws InputError  with the nearest known one
void require_columns(const CsvTable& table, std::span<const std::string> known);

/// A text as a cell, on one line.
std::string csv_cell(std::string_view text);

}  // namespace sinew
