#pragma once

#include "sinew/body/marker_data.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

/// Reads marker trajectories (.trc): three header lines, a line of names, a line of axes, rows of
/// frame, time and three numbers per marker, separated by tabs. Empty cells are markers that were
/// not seen. Lengths become metres by the header's Units (mm, cm, m). Times that are those of the
/// header's DataRate rounded to three or four digits become exact.
/// @throws InputError with the file and the line
MarkerData read_trc(const std::filesystem::path& path);
MarkerData parse_trc(std::string_view text, std::string_view file);

/// Writes it in millimetres. Markers that were not seen become empty cells.
std::string format_trc(const MarkerData& data, std::string_view file);

}  // namespace sinew
