#include "sinew/base/error.h"
#include "sinew/io/base64.h"
#include "sinew/pipeline/fit_report.h"
#include "sinew/render/png.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

FitSummary some_summary() {
    FitSummary s;
    s.input = "folder/<anna>.ply";
    s.sex = "female";
    s.stature = 1.6;
    s.mass = 64.0;
    s.fat = 0.281 * 64.0;  // the median of [Kyle2001]
    s.muscle = 20.0;
    s.witnesses = {{"navy_body_fat", 0.3}, {"lee_muscle_kg", 21.0}};
    s.girths = {{"waist", 0.8}};
    s.notes = {"a < b & \"c\""};
    return s;
}

std::string value_of(const std::vector<ReportTable>& tables, const std::string& name) {
    for (const ReportTable& table : tables) {
        for (const ReportLine& line : table.lines) {
            if (line.name == name) {
                return line.value;
            }
        }
    }
    return "absent";
}

TEST(FitReport, TablesTellMassesAndTheirPercentile) {
    const std::vector<ReportTable> tables = fit_tables(some_summary());
    EXPECT_EQ(value_of(tables, "body mass index"), "25.0 kg/m²");
    EXPECT_EQ(value_of(tables, "percentile of body fat (Kyle 2001)"), "50");
    EXPECT_EQ(value_of(tables, "waist"), "80.0 cm");
    EXPECT_EQ(value_of(tables, "body fat by girths (Hodgdon 1984, Siri 1961)"), "30.0 %");
    FitSummary skin = some_summary();
    skin.mass = {};
    EXPECT_EQ(value_of(fit_tables(skin), "fat"), "absent");
}

// The page needs no other file, and what others wrote cannot become markup.
TEST(FitReport, ThePageHoldsItsPicturesAndEscapesText) {
    Image image(3, 2);
    image.set(1, 1, {10, 20, 30});
    const std::string page =
        report_html(fit_report_page(some_summary(), {{.image = image, .caption = "scan"}}));
    const std::string mark = "base64,";
    const std::size_t begin = page.find(mark) + mark.size();
    std::size_t used = 0;
    EXPECT_EQ(decode_png(decode_base64(std::string_view(page).substr(begin), used)), image);
    EXPECT_NE(page.find("&lt;anna&gt;.ply"), std::string::npos);
    EXPECT_NE(page.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
    EXPECT_EQ(page.find("<anna>"), std::string::npos);
    for (const char* outside : {"http://", "https://", "src=\"/", "<script", "<link"}) {
        EXPECT_EQ(page.find(outside), std::string::npos) << outside;
    }
}

TEST(FitReport, TheSheetHasPicturesAndNumbers) {
    const Image image(420, 620);
    const Image sheet =
        report_sheet(fit_report_page(some_summary(), {{.image = image, .caption = "scan"}}));
    EXPECT_GT(sheet.width, 3 * 420);
    EXPECT_GT(sheet.height, 620);
}

}  // namespace
}  // namespace sinew
