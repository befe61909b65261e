#include "sinew/io/file_bytes.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

namespace sinew {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, std::string found, std::string needs,
                         std::string remedy) {
    throw InputError({.where = path.string(),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = std::move(remedy)});
}

}  // namespace

std::string read_file_bytes(const std::filesystem::path& path, std::uint64_t max_bytes) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
        refuse(path, "no such file", "a file that exists", "check the spelling and the folder");
    }
    if (fs::is_directory(status)) {
        refuse(path, "a folder", "a file", "name a file inside it");
    }
    if (!fs::is_regular_file(status)) {
        refuse(path, "a device, pipe or socket", "a regular file",
               "copy its content to a file first");
    }
    const std::uint64_t size = fs::file_size(path, error);
    if (error) {
        refuse(path, error.message(), "a readable file", "check its permissions");
    }
    if (size == 0) {
        refuse(path, "0 bytes", "content", "write the file again");
    }
    if (size > max_bytes) {
        refuse(path, fmt::format("{:.1f} GB", static_cast<double>(size) * 1e-9),
               fmt::format("at most {:.1f} GB", static_cast<double>(max_bytes) * 1e-9),
               "split or simplify it");
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               &std::fclose);
    if (!file) {
        refuse(path, std::strerror(errno), "a readable file", "check its permissions");
    }
    std::string bytes(size, '\0');
    const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), file.get());
    if (got != bytes.size()) {
        refuse(path, fmt::format("only {} of {} bytes could be read", got, size), "a readable file",
               "check the disk, or copy the file again");
    }
    return bytes;
}

}  // namespace sinew
