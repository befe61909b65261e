#pragma once

#include "sinew/io/gltf.h"
#include "sinew/io/gltf_document.h"

#include <string>
#include <vector>

namespace sinew::detail {

/// Materials of a document with their textures and images; empty where it has none. Extensions
/// other than KHR_materials_* and KHR_texture_transform are left out, as are images that cannot be
/// read, with a note. All materials are left out where one names a texture that does not exist.
GltfLooks looks_of(const GltfDocument& doc, std::vector<std::string>& notes);

}  // namespace sinew::detail
