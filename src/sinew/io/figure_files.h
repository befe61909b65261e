#pragma once

#include "sinew/body/figure_table.h"

#include <filesystem>

namespace sinew {

/// Reads the table of the built-in figure: `figure.json` in `folder` and the files it names. The
/// layout is described in data/figure/README.md. Read strictly: a key that is not known, a list of
/// the wrong length or a number out of range is an error that names the file and the part.
/// @param folder  normally data_folder() / "figure"
/// @throws InputError
FigureTable read_figure(const std::filesystem::path& folder);

}  // namespace sinew
