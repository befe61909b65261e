#pragma once

#include <filesystem>
#include <string_view>

namespace sinew {

/// A file that appears whole or not at all: it is written under a temporary name in the same folder
/// and renamed by commit(). Without commit() the temporary is removed and an old file stays as it
/// was.
class AtomicFile {
public:
    /// @throws InputError when the folder does not exist or cannot be written to
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Where to write until commit(). The file exists already, empty.
    const std::filesystem::path& temporary() const {
        return temporary_;
    }
    /// Flushes to disk and renames. @throws InputError when that fails
    void commit();

private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
    bool is_committed_ = false;
};

/// Tells before long work that its result could not be written. @throws InputError
void require_writable_place(const std::filesystem::path& path);

/// Writes `content` in one go. @throws InputError when the folder or the disk refuses
void write_file_bytes(const std::filesystem::path& path, std::string_view content);

}  // namespace sinew
