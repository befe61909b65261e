#include "sinew/io/atomic_file.h"

#include "sinew/base/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>

namespace sinew {

namespace {

[[noreturn]] void refuse_place(const std::filesystem::path& path, std::string found,
                               std::string remedy) {
    throw InputError({.where = path.string(),
                      .found = std::move(found),
                      .needs = "a place that can be written to",
                      .remedy = std::move(remedy)});
}

// mkstemp makes files that only the owner can read; results get the usual permissions.
mode_t usual_permissions() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
    namespace fs = std::filesystem;
    if (target_.empty() || target_.filename().empty()) {
        refuse_place(target_, "no file name", "name a file, not a folder");
    }
    if (fs::is_directory(target_)) {
        refuse_place(target_, "a folder of that name exists", "name a file, not a folder");
    }
    fs::path folder = target_.parent_path();
    if (folder.empty()) {
        folder = ".";
    }
    if (!fs::is_directory(folder)) {
        refuse_place(target_, fmt::format("folder {} does not exist", folder.string()),
                     "make the folder first");
    }
    std::string name = (folder / fmt::format(".{}.XXXXXX", target_.filename().string())).string();
    const int handle = ::mkstemp(name.data());
    if (handle < 0) {
        refuse_place(target_,
                     fmt::format("cannot write in {}: {}", folder.string(), std::strerror(errno)),
                     "choose another folder or change its permissions");
    }
    ::fchmod(handle, usual_permissions());
    ::close(handle);
    temporary_ = name;
}

AtomicFile::~AtomicFile() {
    if (!is_committed_) {
        std::error_code ignored;
        std::filesystem::remove(temporary_, ignored);
    }
}

void AtomicFile::commit() {
    const int handle = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool is_flushed = handle >= 0 && ::fsync(handle) == 0;
    if (handle >= 0) {
        ::close(handle);
    }
    if (!is_flushed || ::rename(temporary_.c_str(), target_.c_str()) != 0) {
        refuse_place(target_, std::strerror(errno), "check the disk and the folder's permissions");
    }
    is_committed_ = true;
}

void require_writable_place(const std::filesystem::path& path) {
    const AtomicFile probe(path);  // never committed: leaves no trace
}

void write_file_bytes(const std::filesystem::path& path, std::string_view content) {
    AtomicFile file(path);
    {
        std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(
            std::fopen(file.temporary().c_str(), "wb"), &std::fclose);
        const bool is_written =
            out && std::fwrite(content.data(), 1, content.size(), out.get()) == content.size() &&
            std::fflush(out.get()) == 0;
        if (!is_written) {
            refuse_place(path, std::strerror(errno),
                         "free some disk space or choose another folder");
        }
    }
    file.commit();
}

}  // namespace sinew
