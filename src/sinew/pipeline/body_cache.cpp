#include "sinew/pipeline/body_cache.h"

#include "sinew/base/error.h"
#include "sinew/base/version.h"
#include "sinew/io/archive.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/file_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

// Files under names made of what they depend on, written without a name until they are whole, with
// a checksum. Several programs may share the folder. What was used longest ago goes when it grows
// too large.

namespace sinew {

namespace fs = std::filesystem;

namespace {

constexpr const char* kBytes = ".bytes";
constexpr std::size_t kHashLength = 16;  // characters of content_hash_text

}  // namespace

BodyCache::BodyCache(fs::path folder, double max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {}

fs::path BodyCache::default_folder() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && fs::path(cache).is_absolute()) {
        return fs::path(cache) / "sinew";
    }
    if (const char* home = std::getenv("HOME"); home && *home) {
        return fs::path(home) / ".cache" / "sinew";
    }
    return {};
}

fs::path BodyCache::file_of(std::string_view stage, const std::string& key,
                            std::string_view ending) const {
    return folder_ / fmt::format("{}-{}{}", stage, key, ending);
}

std::optional<Body> BodyCache::find(std::string_view stage, const std::string& key,
                                    const Progress& progress) const {
    std::error_code error;
    const fs::path file = file_of(stage, key);
    if (folder_.empty() || !fs::is_regular_file(file, error)) {
        return std::nullopt;
    }
    try {
        Body body = read_archive(file);
        fs::last_write_time(file, fs::file_time_type::clock::now(), error);
        progress.info(fmt::format("{} taken from the cache", stage));
        return body;
    } catch (const InputError& e) {
        progress.warn(fmt::format("cache dropped: {}", e.what()));
        fs::remove(file, error);
        return std::nullopt;
    }
}

void BodyCache::keep(std::string_view stage, const std::string& key, const Body& body,
                     const Progress& progress) const {
    try_to_keep([&] { write_archive(file_of(stage, key), body); }, progress);
}

void BodyCache::keep_archive(std::string_view stage, const std::string& key, std::string_view bytes,
                             const Progress& progress) const {
    try_to_keep([&] { write_file_bytes(file_of(stage, key), bytes); }, progress);
}

// Bytes after their hash.
std::optional<std::string> BodyCache::find_bytes(std::string_view stage, const std::string& key,
                                                 const Progress& progress) const {
    std::error_code error;
    const fs::path file = file_of(stage, key, kBytes);
    if (folder_.empty() || !fs::is_regular_file(file, error)) {
        return std::nullopt;
    }
    try {
        std::string bytes = read_file_bytes(file);
        const std::string hash = bytes.substr(0, kHashLength);
        bytes.erase(0, kHashLength);
        if (content_hash_text(bytes) == hash) {
            fs::last_write_time(file, fs::file_time_type::clock::now(), error);
            return bytes;
        }
        progress.warn(fmt::format("cache dropped: {} is damaged", file.string()));
    } catch (const InputError& e) {
        progress.warn(fmt::format("cache dropped: {}", e.what()));
    }
    fs::remove(file, error);
    return std::nullopt;
}

void BodyCache::keep_bytes(std::string_view stage, const std::string& key, std::string_view bytes,
                           const Progress& progress) const {
    try_to_keep(
        [&] {
            write_file_bytes(file_of(stage, key, kBytes),
                             content_hash_text(bytes) + std::string(bytes));
        },
        progress);
}

void BodyCache::try_to_keep(const std::function<void()>& write, const Progress& progress) const {
    if (folder_.empty()) {
        return;
    }
    try {
        fs::create_directories(folder_);
        write();
        drop_oldest();
    } catch (const InputError& e) {
        progress.warn(fmt::format("not cached: {}", e.what()));
    } catch (const fs::filesystem_error& e) {
        progress.warn(fmt::format("not cached: {}", e.what()));
    }
}

void BodyCache::drop_oldest() const {
    struct Entry {
        fs::file_time_type time;
        fs::path file;
        double bytes;
    };
    std::vector<Entry> entries;
    double total = 0.0;
    std::error_code error;
    for (const fs::directory_entry& item : fs::directory_iterator(folder_, error)) {
        const fs::path ending = item.path().extension();
        if ((ending != ".sinew" && ending != kBytes) || !item.is_regular_file(error)) {
            continue;
        }
        const auto bytes = static_cast<double>(item.file_size(error));
        entries.push_back({item.last_write_time(error), item.path(), bytes});
        total += bytes;
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.time < b.time; });
    // The newest stays, whatever its size.
    for (std::size_t i = 0; i + 1 < entries.size() && total > max_bytes_; ++i) {
        fs::remove(entries[i].file, error);
        total -= entries[i].bytes;
    }
}

std::string program_key() {
    std::string key = version();
    const fs::path self = "/proc/self/exe";
    std::error_code error;
    if (fs::exists(self, error)) {
        try {
            key += "-" + file_hash_text(fs::read_symlink(self));
        } catch (const std::exception&) {
            key += "-unknown";  // replaced while it runs: the version has to do
        }
    }
    return key;
}

}  // namespace sinew
