#include "sinew/base/error.h"
#include "sinew/io/base64.h"
#include "sinew/io/csv_file.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

TEST(Csv, CellsKeepCommasQuotesAndBlanksInQuotes) {
    const CsvTable table = parse_csv(
        "\xef\xbb\xbfscan , note\r\n\n# a remark\r\na.ply,\" \"\"tall\"\", thin \"\r\nb.ply\n",
        "t.csv");
    ASSERT_EQ(table.columns, (std::vector<std::string>{"scan", "note"}));
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.cell(table.rows[0], "note"), " \"tall\", thin ");
    EXPECT_EQ(table.cell(table.rows[1], "note"), "");
    EXPECT_EQ(table.cell(table.rows[1], "absent"), "");
    EXPECT_EQ(table.where(table.rows[1]), "t.csv, line 5");
}

TEST(Csv, WhatIsWrittenIsReadBack) {
    for (const std::string text : {"plain", "a,b", "say \"no\"", " blanks ", "# no remark", ""}) {
        const CsvTable table = parse_csv("name,text\nx," + csv_cell(text) + "\n", "t.csv");
        EXPECT_EQ(table.cell(table.rows.at(0), "text"), text);
    }
    EXPECT_EQ(csv_cell("two\nlines"), "\"two lines\"");
}

TEST(Csv, WrongTablesAreRefusedWithTheLine) {
    const auto where = [](const char* text) {
        try {
            parse_csv(text, "t.csv");
            return std::string("nothing");
        } catch (const InputError& error) {
            return error.parts().where;
        }
    };
    EXPECT_EQ(where(""), "t.csv");
    EXPECT_EQ(where("a,a\n"), "t.csv, line 1");
    EXPECT_EQ(where("a,\n"), "t.csv, line 1");
    EXPECT_EQ(where("a,b\n1,2,3\n"), "t.csv, line 2");
    EXPECT_EQ(where("a,b\n\n\"open,2\n"), "t.csv, line 3");
}

// RFC 4648, section 10.
TEST(Base64, TheVectorsOfRfc4648) {
    EXPECT_EQ(encode_base64(""), "");
    EXPECT_EQ(encode_base64("f"), "Zg==");
    EXPECT_EQ(encode_base64("fo"), "Zm8=");
    EXPECT_EQ(encode_base64("foo"), "Zm9v");
    EXPECT_EQ(encode_base64("foob"), "Zm9vYg==");
    EXPECT_EQ(encode_base64("fooba"), "Zm9vYmE=");
    EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
    std::string all;
    for (int c = 0; c < 256; ++c) {
        all += static_cast<char>(c);
    }
    std::size_t used = 0;
    EXPECT_EQ(decode_base64(encode_base64(all), used), all);
}

}  // namespace
}  // namespace sinew
