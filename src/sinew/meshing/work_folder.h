#pragma once

#include <filesystem>
#include <string>

namespace sinew {

/// A temporary folder for the files of a child program. It goes away with its content, also when
/// this program is killed: the next one of the same name removes it. A lock, which the system frees
/// with the program that holds it, tells folders in use from leftovers.
class WorkFolder {
public:
    /// Removes leftovers, then makes `<TMPDIR>/<name>-XXXXXX`.
    /// @throws InputError when there is no folder for temporary files, or none can be made in it
    explicit WorkFolder(const std::string& name);
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    const std::filesystem::path& path() const {
        return path_;
    }
    /// @throws InputError when there is no room
    void write(const std::string& file, const std::string& text) const;
    /// Empty when there is no such file.
    std::string read(const std::string& file) const;
    /// The disk has no room left, so that what a child wrote there may be cut short.
    bool is_full() const;

private:
    std::filesystem::path path_;
    int lock_ = -1;
};

}  // namespace sinew
