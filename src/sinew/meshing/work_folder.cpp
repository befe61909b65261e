#include "sinew/meshing/work_folder.h"

#include "sinew/base/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

namespace sinew {

namespace {

constexpr const char* kLock = "lock";

std::filesystem::path temporary_folder() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error) {
        const char* const set = ::getenv("TMPDIR");
        throw InputError({.where = set != nullptr ? fmt::format("TMPDIR={}", set) : "/tmp",
                          .found = error.message(),
                          .needs = "a writable folder for temporary files",
                          .remedy = "set TMPDIR to one"});
    }
    return folder;
}

// A folder whose lock can be taken belongs to a program that was killed. One without a lock is just
// being made, or somebody else's.
void remove_leftovers(const std::filesystem::path& among, const std::string& name) {
    std::error_code ignored;
    std::vector<std::filesystem::path> found;
    for (std::filesystem::directory_iterator it(among, ignored), end; !ignored && it != end;
         it.increment(ignored)) {
        if (it->path().filename().string().starts_with(name + "-")) {
            found.push_back(it->path());
        }
    }
    for (const std::filesystem::path& folder : found) {
        const int lock = ::open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (lock < 0) {
            continue;
        }
        if (::flock(lock, LOCK_EX | LOCK_NB) == 0) {
            std::filesystem::remove_all(folder, ignored);
        }
        ::close(lock);
    }
}

}  // namespace

WorkFolder::WorkFolder(const std::string& name) {
    const std::filesystem::path among = temporary_folder();
    remove_leftovers(among, name);
    std::string made = (among / (name + "-XXXXXX")).string();
    if (::mkdtemp(made.data()) == nullptr) {
        throw InputError({.where = among.string(),
                          .found = std::system_category().message(errno),
                          .needs = "a writable folder for temporary files",
                          .remedy = "set TMPDIR to one"});
    }
    path_ = made;
    // Locked before it has its name: nobody finds a lock that is still free.
    const std::filesystem::path unnamed = path_ / "unnamed";
    lock_ = ::open(unnamed.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) == 0) {
        std::error_code ignored;
        std::filesystem::rename(unnamed, path_ / kLock, ignored);
    }
}

WorkFolder::~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    if (lock_ >= 0) {
        ::close(lock_);
    }
}

void WorkFolder::write(const std::string& file, const std::string& text) const {
    std::ofstream out(path_ / file, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) {
        throw InputError({.where = (path_ / file).string(),
                          .found = "the file cannot be written",
                          .needs = fmt::format("{} bytes of free space", text.size()),
                          .remedy = "free some space, or set TMPDIR to another disk"});
    }
}

std::string WorkFolder::read(const std::string& file) const {
    std::ifstream in(path_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool WorkFolder::is_full() const {
    constexpr std::uintmax_t kNoRoom = 64 * 1024;
    std::error_code error;
    const std::filesystem::space_info room = std::filesystem::space(path_, error);
    return !error && room.available < kNoRoom;
}

}  // namespace sinew
