#include "sinew/base/error.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/read_options.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"

namespace sinew {

TEST(Files, WhatIsWrittenIsReadBack) {
    const support::TemporaryFolder folder;
    const std::string content("a\0b\n", 4);
    write_file_bytes(folder / "x.bin", content);
    EXPECT_EQ(read_file_bytes(folder / "x.bin"), content);
}

TEST(Files, UnreadableThingsAreRefused) {
    const support::TemporaryFolder folder;
    EXPECT_THROW(read_file_bytes(folder / "absent"), InputError);
    EXPECT_THROW(read_file_bytes(folder.path()), InputError);
    EXPECT_THROW(read_file_bytes("/dev/zero"), InputError);
    write_file_bytes(folder / "empty", "");
    EXPECT_THROW(read_file_bytes(folder / "empty"), InputError);
    write_file_bytes(folder / "sparse", "x");
    std::filesystem::resize_file(folder / "sparse", std::uintmax_t{5} << 30);
    EXPECT_THROW(read_file_bytes(folder / "sparse"), InputError);
}

TEST(Files, AnAbandonedWriteLeavesTheOldFileAndNoTrace) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "x", "old");
    {
        const AtomicFile file(folder / "x");
        std::filesystem::resize_file(file.temporary(), 100);
    }
    EXPECT_EQ(read_file_bytes(folder / "x"), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// Also of a process that is killed in the middle, hence no destructor here.
TEST(Files, AnUnfinishedWriteShowsNoNameInItsFolder) {
    const support::TemporaryFolder folder;
    const AtomicFile file(folder / "x");
    std::filesystem::resize_file(file.temporary(), 100);
    const bool has_unnamed_files = file.temporary().string().starts_with("/proc/self/fd/");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}),
              has_unnamed_files ? 0 : 1);
}

TEST(Files, ALinkStaysALinkAndAPipeAPipe) {
    const support::TemporaryFolder folder;
    write_file_bytes(folder / "x", "old");
    std::filesystem::create_symlink(folder / "x", folder / "link");
    write_file_bytes(folder / "link", "new");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(read_file_bytes(folder / "x"), "new");
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_THROW(write_file_bytes(folder / "pipe", "a"), InputError);
    EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

TEST(Files, WritingWhereThereIsNoFolderIsRefused) {
    const support::TemporaryFolder folder;
    EXPECT_THROW(write_file_bytes(folder / "no" / "x", "a"), InputError);
    EXPECT_THROW(write_file_bytes(folder.path(), "a"), InputError);
}

// Z up, facing -Y (Blender's front) becomes Y up, facing +Z.
TEST(ReadOptions, ZUpInMillimetresBecomesYUpInMetres) {
    Points p(2, 3);
    p << 0, 0, 1700, 0, -100, 0;
    convert_to_metres_y_up(p, {.unit = Unit::Millimetre, .up = UpAxis::Z});
    EXPECT_TRUE(p.row(0).isApprox(Eigen::RowVector3d(0, 1.7, 0)));
    EXPECT_TRUE(p.row(1).isApprox(Eigen::RowVector3d(0, 0, 0.1)));
}

}  // namespace sinew
