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

}  // namespace
}  // namespace sinew
