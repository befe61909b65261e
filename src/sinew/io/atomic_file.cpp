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

std::filesystem::path folder_of(const std::filesystem::path& file) {
    const std::filesystem::path folder = file.parent_path();
    return folder.empty() ? std::filesystem::path(".") : folder;
}

// What a name leads to is written, not the name: a link stays a link.
std::filesystem::path followed(std::filesystem::path target) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (fs::is_symlink(target, ignored)) {
        fs::path followed = fs::canonical(target, ignored);
        if (!followed.empty()) {
            return followed;
        }
    }
    return target;
}

void require_file_place(const std::filesystem::path& target) {
    namespace fs = std::filesystem;
    if (target.empty() || target.filename().empty()) {
        refuse_place(target, "no file name", "name a file, not a folder");
    }
    std::error_code ignored;
    const fs::file_status status = fs::status(target, ignored);
    if (fs::is_directory(status)) {
        refuse_place(target, "a folder of that name exists", "name a file, not a folder");
    }
    // Renaming onto a device would replace the device.
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        refuse_place(target, "a device or pipe", "name a file");
    }
    if (!fs::is_directory(folder_of(target), ignored)) {
        refuse_place(target, fmt::format("folder {} does not exist", folder_of(target).string()),
                     "make the folder first");
    }
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(followed(std::move(target))) {
    require_file_place(target_);
    // A file without a name vanishes with the process, however that ends.
    handle_ = ::open(folder_of(target_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (handle_ >= 0) {
        temporary_ = fmt::format("/proc/self/fd/{}", handle_);
        if (::access(temporary_.c_str(), W_OK) == 0) {
            return;
        }
        ::close(handle_);
    }
    handle_ = make_named();
}

// For file systems that have no files without a name.
int AtomicFile::make_named() {
    const std::filesystem::path folder = folder_of(target_);
    std::string name = (folder / fmt::format(".{}.XXXXXX", target_.filename().string())).string();
    const int handle = ::mkstemp(name.data());
    if (handle < 0) {
        refuse_place(target_,
                     fmt::format("cannot write in {}: {}", folder.string(), std::strerror(errno)),
                     "choose another folder or change its permissions");
    }
    ::fchmod(handle, usual_permissions());
    temporary_ = name;
    is_named_ = true;
    return handle;
}

AtomicFile::~AtomicFile() {
    ::close(handle_);
    if (is_named_ && !is_committed_) {
        std::error_code ignored;
        std::filesystem::remove(temporary_, ignored);
    }
}

// A name for the file that has none, to be renamed at once: links do not replace.
void AtomicFile::give_name() {
    const std::string unnamed = temporary_;
    for (int attempt = 0; attempt < 100 && !is_named_; ++attempt) {
        const std::filesystem::path name =
            folder_of(target_) /
            fmt::format(".{}.{}-{}", target_.filename().string(), ::getpid(), attempt);
        if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            temporary_ = name;
            is_named_ = true;
        } else if (errno != EEXIST) {
            break;
        }
    }
    if (!is_named_) {
        const int copy = make_named();
        std::error_code error;
        std::filesystem::copy_file(unnamed, temporary_,
                                   std::filesystem::copy_options::overwrite_existing, error);
        const bool is_copied = !error && ::fsync(copy) == 0;
        ::close(copy);
        if (!is_copied) {
            refuse_place(target_, "the disk refuses", "free some disk space");
        }
    }
}

void AtomicFile::commit() {
    if (::fsync(handle_) != 0) {
        refuse_place(target_, std::strerror(errno), "check the disk and the folder's permissions");
    }
    if (!is_named_) {
        give_name();
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
        refuse_place(target_, std::strerror(errno), "check the disk and the folder's permissions");
    }
    is_committed_ = true;
}

void require_writable_place(const std::filesystem::path& path) {
    const AtomicFile probe(path);  // never committed: leaves no trace
}

AtomicStream::AtomicStream(const std::filesystem::path& target)
    : target_(target),
      file_(target),
      out_(std::fopen(file_.temporary().c_str(), "w+b"), &std::fclose) {
    require(out_ != nullptr);
}

void AtomicStream::require(bool is_written) {
    if (!is_written) {
        refuse_place(target_, std::strerror(errno),
                     "free some disk space or choose another folder");
    }
}

void AtomicStream::write(std::string_view bytes) {
    require(std::fwrite(bytes.data(), 1, bytes.size(), out_.get()) == bytes.size());
}

void AtomicStream::flush() {
    require(std::fflush(out_.get()) == 0);
}

void AtomicStream::append(AtomicStream& other) {
    constexpr std::size_t kBlock = std::size_t{1} << 20;
    other.flush();
    other.require(std::fseek(other.out_.get(), 0, SEEK_SET) == 0);
    std::string block(kBlock, '\0');
    std::size_t size = 0;
    while ((size = std::fread(block.data(), 1, kBlock, other.out_.get())) > 0) {
        write(std::string_view(block).substr(0, size));
    }
    other.require(std::ferror(other.out_.get()) == 0 &&
                  std::fseek(other.out_.get(), 0, SEEK_END) == 0);
}

void AtomicStream::read(std::size_t begin, std::span<char> bytes) {
    flush();
    require(std::fseek(out_.get(), static_cast<long>(begin), SEEK_SET) == 0 &&
            std::fread(bytes.data(), 1, bytes.size(), out_.get()) == bytes.size() &&
            std::fseek(out_.get(), 0, SEEK_END) == 0);
}

void AtomicStream::commit() {
    flush();
    file_.commit();
}

void write_file_bytes(const std::filesystem::path& path, std::string_view content) {
    AtomicStream file(path);
    file.write(content);
    file.commit();
}

}  // namespace sinew
