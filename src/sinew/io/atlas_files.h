#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/atlas.h"
#include "sinew/io/read_options.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sinew {

/// What the manifest does not say.
struct AtlasReadOptions {
    std::optional<ReadOptions> frame =
        {};                     ///< unit and up axis; none: the manifest's, else m and Y
    std::string skin = "skin";  ///< of several skins, the one of this name; else the first
};

/// Reads the manifest `atlas.json` in `folder` and the meshes it names; the layout is described in
/// docs/formats.md. The manifest is read strictly: an unknown key, a wrong type, a name given
/// twice, a file outside the folder or a number out of range is an error that names the place;
/// files that do not exist are listed together. A mesh file that exists but cannot be read does not
/// stop the rest: its part says why (`unreadable`). Of several skins only the chosen one is kept.
/// @throws InputError  also when the body is not about as large as a human, or lies down: another
///                     unit or up axis
/// @throws Cancelled
Atlas read_atlas(const std::filesystem::path& folder, const AtlasReadOptions& options = {},
                 const Progress& progress = {});

/// The manifest alone: parts without meshes, vectors as they stand in the file.
struct AtlasManifest {
    Atlas atlas = {};
    std::optional<Unit> unit = {};
    std::optional<UpAxis> up = {};
    bool faces_back = false;  ///< the body looks along -Z (once Y is up) and has to be turned
};
/// Nothing is opened. @param where  name for messages
/// @throws InputError  as read_atlas does for the manifest
AtlasManifest parse_atlas_manifest(std::string_view json, const std::string& where);

}  // namespace sinew
