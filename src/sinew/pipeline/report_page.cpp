#include "sinew/pipeline/report_page.h"

#include "sinew/base/version.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/base64.h"
#include "sinew/render/png.h"
#include "sinew/render/text.h"

#include <fmt/format.h>

#include <algorithm>

// One list of pictures and one of tables make the page and the sheet.

namespace sinew {

namespace {

constexpr int kTextWidth = 420;  // of tables, where there are no pictures
constexpr int kTextHeight = 620;
constexpr int kColumns = 4;

constexpr const char* kStyle =
    "body{font:15px/1.4 system-ui,sans-serif;margin:24px;color:#222;max-width:1340px}"
    "h1{font-size:24px}h2{font-size:17px;margin:0 0 6px}"
    "figure{display:inline-block;margin:0 12px 12px 0}figcaption{text-align:center;color:#555}"
    "section{display:inline-block;vertical-align:top;margin:0 36px 20px 0}"
    "table{border-collapse:collapse}td{padding:2px 14px 2px 0;border-bottom:1px solid #eee}"
    "td+td{text-align:right;font-variant-numeric:tabular-nums}";

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        safe += c == '<'   ? std::string("&lt;")
                : c == '>' ? std::string("&gt;")
                : c == '&' ? std::string("&amp;")
                : c == '"' ? std::string("&quot;")
                           : std::string(1, c);
    }
    return safe;
}

// Lines of text as a picture, for sheets.
Image text_picture(const std::vector<ReportTable>& tables, int width, int height) {
    Image image(width, height);
    constexpr double kSize = 13.0;
    double y = kSize + 4.0;
    for (const ReportTable& table : tables) {
        draw_text(image, table.title, 6.0, y, {.size = kSize + 3.0});
        y += kSize + 6.0;
        for (const ReportLine& line : table.lines) {
            draw_text(image, line.name, 14.0, y, {.size = kSize});
            draw_text(image, line.value, width - 8.0, y,
                      {.size = kSize, .align = TextAlign::Right});
            y += kSize + 3.0;
        }
        y += 8.0;
    }
    return image;
}

}  // namespace

std::string report_html(const ReportPage& report) {
    const std::string name = escaped(report.title);
    std::string page = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>"
        "<style>{1}</style></head><body>\n<h1>{0}</h1>\n<div>",
        name, kStyle);
    for (const SheetPicture& picture : report.pictures) {
        page += fmt::format(
            "<figure><img alt=\"{0}\" width=\"{1}\" height=\"{2}\" "
            "src=\"data:image/png;base64,{3}\"><figcaption>{0}</figcaption></figure>\n",
            escaped(picture.caption), picture.image.width, picture.image.height,
            encode_base64(encode_png(picture.image)));
    }
    page += "</div>\n";
    for (const ReportTable& table : report.tables) {
        page += fmt::format("<section><h2>{}</h2><table>\n", escaped(table.title));
        for (const ReportLine& line : table.lines) {
            page += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(line.name),
                                escaped(line.value));
        }
        page += "</table></section>\n";
    }
    if (!report.notes.empty()) {
        page += "<h2>Notes</h2><ul>\n";
        for (const std::string& note : report.notes) {
            page += fmt::format("<li>{}</li>\n", escaped(note));
        }
        page += "</ul>\n";
    }
    return page + fmt::format("<p>sinew {}</p></body></html>\n", escaped(version()));
}

Image report_sheet(const ReportPage& report) {
    std::vector<SheetPicture> all = report.pictures;
    const int width = all.empty() ? kTextWidth : all.front().image.width;
    const int height = all.empty() ? kTextHeight : all.front().image.height;
    const std::vector<ReportTable>& tables = report.tables;
    const auto half = static_cast<std::ptrdiff_t>((tables.size() + 1) / 2);
    all.push_back({.image = text_picture({tables.begin(), tables.begin() + half}, width, height)});
    all.push_back({.image = text_picture({tables.begin() + half, tables.end()}, width, height)});
    return contact_sheet(all, {.columns = kColumns, .title = report.title});
}

void write_report(const std::filesystem::path& path, const ReportPage& page) {
    if (path.extension() == ".png") {
        write_file_bytes(path, encode_png(report_sheet(page)));
    } else {
        write_file_bytes(path, report_html(page));
    }
}

}  // namespace sinew
