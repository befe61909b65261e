#include "sinew/io/archive_header.h"

#include "sinew/base/error.h"
#include "sinew/io/archive.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/hdf5_file.h"

#include <fmt/format.h>

#include <cstring>

namespace sinew {

namespace {

// Starts like PNG's: a byte that is no text, the name, and line ends that a text copy would change.
constexpr std::string_view kMagic = "\x89SINEW\r\n";
constexpr std::string_view kTitle = "Sinew body archive. HDF5 begins at byte 512.\n";
constexpr std::size_t kVersionAt = 8, kLengthAt = 16, kChecksumAt = 24, kTitleAt = 32;

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
    for (std::size_t k = 0; k < sizeof(T); ++k) {
        bytes[at + k] = static_cast<char>((value >> (8 * k)) & 0xff);
    }
}

template <class T>
T get(std::string_view bytes, std::size_t at) {
    T value = 0;
    for (std::size_t k = 0; k < sizeof(T); ++k) {
        value |= static_cast<T>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
    }
    return value;
}

}  // namespace

bool is_archive(std::string_view first_bytes) {
    return first_bytes.starts_with(kMagic);
}

namespace detail {

void seal_archive(std::string& bytes) {
    const std::string_view payload = std::string_view(bytes).substr(kUserBlockBytes);
    const std::uint64_t checksum = content_hash(payload);
    const std::uint64_t length = payload.size();
    std::memset(bytes.data(), 0, kUserBlockBytes);
    std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
    put<std::uint32_t>(bytes, kVersionAt, kArchiveVersion);
    put<std::uint64_t>(bytes, kLengthAt, length);
    put<std::uint64_t>(bytes, kChecksumAt, checksum);
    std::memcpy(bytes.data() + kTitleAt, kTitle.data(), kTitle.size());
}

std::uint32_t require_sealed_archive(std::string_view bytes, const std::string& where) {
    const auto refuse = [&](std::string found, std::string needs, std::string remedy) {
        throw InputError({.where = where,
                          .found = std::move(found),
                          .needs = std::move(needs),
                          .remedy = std::move(remedy)});
    };
    if (!is_archive(bytes)) {
        refuse("content that is no body archive", "a .sinew file",
               "name a file that 'sinew build' wrote");
    }
    if (bytes.size() < kUserBlockBytes) {
        refuse(fmt::format("{} bytes", bytes.size()), "a whole header of 512 bytes",
               "copy the file again; it is truncated");
    }
    const auto version = get<std::uint32_t>(bytes, kVersionAt);
    if (version > kArchiveVersion) {
        refuse(fmt::format("written by a newer Sinew (format {})", version),
               fmt::format("a format that this one reads, up to {}", kArchiveVersion),
               "update Sinew");
    }
    const std::string_view payload = bytes.substr(kUserBlockBytes);
    const auto length = get<std::uint64_t>(bytes, kLengthAt);
    if (version == 0 || length != payload.size()) {
        refuse(fmt::format("{} bytes behind the header", payload.size()),
               fmt::format("{}, as the header says", length),
               "copy the file again; it is truncated or damaged");
    }
    if (content_hash(payload) != get<std::uint64_t>(bytes, kChecksumAt)) {
        refuse("a checksum that does not match", "undamaged content",
               "copy the file again, or build the body again");
    }
    return version;
}

}  // namespace detail

}  // namespace sinew
