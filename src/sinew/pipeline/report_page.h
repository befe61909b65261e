#pragma once

#include "sinew/render/contact_sheet.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sinew {

/// One line of a report: a name and what was found.
struct ReportLine {
    std::string name;
    std::string value;
};
struct ReportTable {
    std::string title;
    std::vector<ReportLine> lines = {};
};

/// What there is to see and to read, whatever it is about.
struct ReportPage {
    std::string title;
    std::vector<SheetPicture> pictures = {};
    std::vector<ReportTable> tables = {};
    std::vector<std::string> notes = {};
};

/// A page of HTML that holds its pictures.
std::string report_html(const ReportPage& page);
/// The same as one picture; tables stand in two columns of the pictures' size.
Image report_sheet(const ReportPage& page);

/// In the format of the file's ending, .html or .png. @throws InputError
void write_report(const std::filesystem::path& path, const ReportPage& page);

}  // namespace sinew
