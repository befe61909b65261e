#include "sinew/io/content_hash.h"

#include "sinew/io/file_bytes.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace sinew {

std::uint64_t content_hash(std::string_view bytes) {
    return XXH64(bytes.data(), bytes.size(), 0);
}

std::string content_hash_text(std::string_view bytes) {
    return fmt::format("{:016x}", content_hash(bytes));
}

std::string file_hash_text(const std::filesystem::path& path) {
    return content_hash_text(read_file_bytes(path));
}

}  // namespace sinew
