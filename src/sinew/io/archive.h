#pragma once

#include "sinew/body/body.h"
#include "sinew/body/summary.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

// The body archive, .sinew: HDF5 behind a header of 512 bytes (magic, version, length, checksum).
// docs/formats.md lists every dataset. Damage is found by the checksum before anything is parsed.

/// The version that is written, and the newest that is read.
inline constexpr std::uint32_t kArchiveVersion = 1;

/// Writes the file whole or not at all; the same body gives the same bytes.
/// @throws InputError  when the body is not valid or the file cannot be written
void write_archive(const std::filesystem::path& path, const Body& body);

/// Reads a body and checks all of it (require_valid).
/// @throws InputError  for a file that is absent, damaged, from a newer Sinew, or not an archive
Body read_archive(const std::filesystem::path& path);

/// What is asked first about a body (`sinew info`), without reading its arrays.
struct ArchiveSummary {
    BodySummary body;
    Provenance provenance;
    std::uint32_t version = 0;
    std::uint64_t file_bytes = 0;
};
ArchiveSummary read_archive_summary(const std::filesystem::path& path);

/// The file's content, for caches and tests.
std::string archive_bytes(const Body& body);
Body parse_archive(std::string_view bytes, const std::string& where);
ArchiveSummary parse_archive_summary(std::string_view bytes, const std::string& where);

/// Whether these first bytes of a file are those of an archive.
bool is_archive(std::string_view first_bytes);

}  // namespace sinew
