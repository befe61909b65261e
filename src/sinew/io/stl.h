#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Reads an STL file, text or binary, one part per solid. STL stores each triangle's corners anew:
/// corners with the same coordinates become one vertex, numbered by first appearance. Normals and
/// the two attribute bytes are passed over.
/// @param file  named in errors
/// @throws InputError with the line or the byte
std::vector<MeshPart> parse_stl(std::string_view bytes, std::string_view file);

struct StlOptions {
    bool is_ascii = false;  ///< text, one solid per part, bits kept; binary is one solid of floats
};

/// @throws InputError when a part is not valid, or too large for binary STL
std::string format_stl(std::span<const MeshPart> parts, const StlOptions& options = {});

}  // namespace sinew
