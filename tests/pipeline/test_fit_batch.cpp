#include "sinew/base/error.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/mesh_files.h"
#include "sinew/pipeline/fit_batch.h"

#include <gtest/gtest.h>

#include "tests/support/limb_body.h"
#include "tests/support/shapes.h"
#include "tests/support/temporary_folder.h"

namespace sinew {
namespace {

TEST(FitList, ReadsColumnsInAnyOrder) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "list.csv",
                     "sex, scan ,landmarks\n# a remark\nfemale,a.ply,a.json\n,sub/b.obj,\n");
    const std::vector<FitRow> rows = read_fit_list(folder / "list.csv", {.up = ScanUp::Z});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].name, "a");
    EXPECT_EQ(rows[0].job.sex, ScanSex::Female);
    EXPECT_EQ(rows[0].job.landmarks, (std::filesystem::path(folder / "a.json")).string());
    EXPECT_EQ(rows[1].job.sex, ScanSex::Auto);
    EXPECT_EQ(rows[1].job.up, ScanUp::Z);
    EXPECT_TRUE(rows[1].job.landmarks.empty());
}

TEST(FitList, WrongListsAreRefusedWithTheLine) {
    const support::TemporaryFolder folder;
    const auto refuses = [&](const char* text, const char* where) {
        write_file_bytes(folder / "list.csv", text);
        try {
            read_fit_list(folder / "list.csv", {});
            ADD_FAILURE() << text;
        } catch (const InputError& error) {
            EXPECT_EQ(error.parts().where, where) << text;
        }
    };
    refuses("scn\na.ply\n", "list.csv, line 1");
    refuses("scan,sex\na.ply,mail\n", "list.csv, line 2");
    refuses("scan,sex\n,male\n", "list.csv, line 2");
    refuses("scan\na.ply,male\n", "list.csv, line 2");
    refuses("scan\na.ply\nsub/a.obj\n", "list.csv, line 3");
}

TEST(FitBatch, ABadScanDoesNotStopTheOthers) {
    const support::TemporaryFolder folder;
    write_archive(folder / "limb.sinew", support::limb_body({.along = 6}));
    const std::vector<MeshPart> few = {{.name = "few", .mesh = support::sphere(1, 0.5)}};
    const std::vector<MeshPart> ball = {{.name = "ball", .mesh = support::sphere(4, 0.5)}};
    write_surface(folder / "few.ply", few);
    write_surface(folder / "ball.ply", ball);
    write_file_bytes(folder / "list.csv", "scan\nabsent.ply\nfew.ply\nball.ply\n");
    FitJob common;
    common.template_body = std::filesystem::path(folder / "limb.sinew").string();
    std::filesystem::create_directory(folder / "out");
    const std::vector<FitBatchRow> rows =
        fit_batch(read_fit_list(folder / "list.csv", common), folder / "out");
    ASSERT_EQ(rows.size(), 3U);
    for (const FitBatchRow& row : rows) {
        EXPECT_EQ(row.status, "refused");
    }
    EXPECT_NE(rows[1].message.find("points"), std::string::npos) << rows[1].message;
    // A limb has not the joints of a human.
    EXPECT_NE(rows[2].message.find("joint"), std::string::npos) << rows[2].message;
    const std::string table = read_file_bytes(folder / "out" / "summary.csv");
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4);
}

class FitBatchFolder : public ::testing::Test {
protected:
    // Three scans that are no people: refusing is what a limb of a template can do.
    FitBatchFolder() {
        write_archive(folder_ / "limb.sinew", support::limb_body({.along = 6}));
        std::string list = "scan,weight_kg\n";
        for (int i = 0; i < 3; ++i) {
            const std::string name = "ball_" + std::to_string(i) + ".ply";
            const std::vector<MeshPart> ball = {
                {.name = "ball", .mesh = support::sphere(3, 0.4 + 0.1 * i)}};
            write_surface(folder_ / name, ball);
            list += name + ",70\n";
        }
        write_file_bytes(folder_ / "list.csv", list);
        common_.template_body = std::filesystem::path(folder_ / "limb.sinew").string();
        common_.makes_body = true;
    }
    std::vector<FitBatchRow> run(const std::string& out, BatchPart part) {
        std::filesystem::create_directories(folder_ / out);
        return fit_batch(read_fit_list(folder_ / "list.csv", common_), folder_ / out, part);
    }
    std::string bytes(const std::string& file) {
        return read_file_bytes(folder_ / file);
    }

    support::TemporaryFolder folder_;
    FitJob common_;
};

TEST_F(FitBatchFolder, WorkersOnPartsLeaveTheSameBytesAsOne) {
    run("one", {});
    const std::vector<FitBatchRow> first = run("parts", batch_part("2/2"));
    EXPECT_EQ(first[0].status, "waiting");
    EXPECT_EQ(first[1].status, "refused");
    run("parts", batch_part("1/2"));
    for (const char* file : {"summary.csv", "ball_0.json", "ball_1.json", "ball_2.json"}) {
        EXPECT_EQ(bytes(std::string("one/") + file), bytes(std::string("parts/") + file)) << file;
    }
}

TEST_F(FitBatchFolder, ResultsWithTheSameKeyAreKeptAndOthersMadeAgain) {
    run("out", {});
    // Told by an earlier run: taken as it is.
    std::string told = bytes("out/ball_1.json");
    const std::size_t begin = told.find("\"refused\"");
    ASSERT_NE(begin, std::string::npos);
    told = told.substr(0, begin) + "\"refused\": \"told before\"}";
    write_file_bytes(folder_ / "out/ball_1.json", told);
    EXPECT_EQ(run("out", {})[1].message, "told before");
    // Another weight is another job.
    std::string list = bytes("list.csv");
    list.replace(list.find("ball_1.ply,70"), 13, "ball_1.ply,71");
    write_file_bytes(folder_ / "list.csv", list);
    EXPECT_NE(run("out", {})[1].message, "told before");
    // So is another scan, and half a file is none.
    write_file_bytes(folder_ / "out/ball_0.json", "{ \"key\": \"");
    EXPECT_EQ(run("out", {})[0].status, "refused");
}

TEST(FitBatch, PartsAreReadAndRefused) {
    EXPECT_EQ(batch_part("2/4").part, 1U);
    EXPECT_EQ(batch_part("2/4").of, 4U);
    for (const char* text : {"", "2", "0/4", "5/4", "1/0", "a/2", "1/2/3", "-1/2"}) {
        EXPECT_THROW(batch_part(text), InputError) << text;
    }
}

TEST(FitList, NumbersAreReadAndTheirRangesHold) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "list.csv", "scan,weight_kg,body_fat,muscle_kg\na.ply,61.5,,20\n");
    const std::vector<FitRow> rows = read_fit_list(folder / "list.csv", {.body_fat = 0.3});
    EXPECT_EQ(rows.at(0).job.weight, 61.5);
    EXPECT_EQ(rows.at(0).job.body_fat, 0.3);
    EXPECT_EQ(rows.at(0).job.muscle, 20.0);
    for (const char* number : {"heavy", "6O", "5", "1e9", "nan"}) {
        write_file_bytes(folder / "list.csv", std::string("scan,weight_kg\na.ply,") + number);
        EXPECT_THROW(read_fit_list(folder / "list.csv", {}), InputError) << number;
    }
}

}  // namespace
}  // namespace sinew
