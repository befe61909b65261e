#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/atlas.h"
#include "sinew/build/atlas_template.h"
#include "sinew/io/atlas_files.h"

#include <filesystem>

namespace sinew {

/// Reads an atlas (docs/formats.md, "Atlases") and makes a Template of it: meshes mended, the skin
/// closed and without handles, joints estimated where the manifest has none, ends and bellies of
/// muscles found. The same bytes for any number of threads.
/// @param report  what was done to every part, and which could not be used and why
/// @throws InputError  for a manifest that is wrong, and for an atlas without usable skin or bones
/// @throws Cancelled
Template read_atlas_template(const std::filesystem::path& folder,
                             const AtlasReadOptions& read_options,
                             const AtlasTemplateOptions& options, const Progress& progress,
                             AtlasReport& report);

}  // namespace sinew
