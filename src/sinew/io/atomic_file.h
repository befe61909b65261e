#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace sinew {

/// A file that appears whole or not at all: it is written without a name in the same folder (where
/// the file system has no such files, under a hidden one) and takes its name by commit(). Without
/// commit(), also when the process is killed, nothing is left of it and an old file stays as it
/// was.
class AtomicFile {
public:
    /// @throws InputError when the folder does not exist or cannot be written to, or when a folder,
    /// a device or a pipe has that name
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Where to write until commit(), by this process only. The file exists already, empty.
    const std::filesystem::path& temporary() const {
        return temporary_;
    }
    /// Flushes to disk and renames. @throws InputError when that fails
    void commit();

private:
    int make_named();
    void give_name();

    std::filesystem::path target_;
    std::filesystem::path temporary_;
    int handle_ = -1;
    bool is_named_ = false;
    bool is_committed_ = false;
};

/// An AtomicFile that is written piece by piece, for what is too long for memory.
class AtomicStream {
public:
    /// @throws InputError as AtomicFile
    explicit AtomicStream(const std::filesystem::path& target);
    /// @throws InputError when the disk refuses
    void write(std::string_view bytes);
    /// Adds what the other one holds so far.
    void append(AtomicStream& other);
    /// What was written from byte `begin` on. @throws InputError when there is less
    void read(std::size_t begin, std::span<char> bytes);
    void commit();

private:
    void require(bool is_written);
    void flush();

    std::filesystem::path target_;
    AtomicFile file_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> out_;
};

/// Tells before long work that its result could not be written. @throws InputError
void require_writable_place(const std::filesystem::path& path);

/// Writes `content` in one go. @throws InputError when the folder or the disk refuses
void write_file_bytes(const std::filesystem::path& path, std::string_view content);

}  // namespace sinew
