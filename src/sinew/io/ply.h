#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Reads a PLY file (ascii, binary of either byte order) into one part. Polygons and triangle
/// strips become triangles. Of the vertices' and faces' properties, red green blue (alpha) become
/// the colour attribute (whole numbers are scaled to [0, 1]), nx ny nz the attribute "normal", a_0
/// a_1
/// ... the attribute "a", every other number an attribute of its own; further lists and elements
/// are passed over.
/// @param file  named in errors
/// @throws InputError with the line or the byte
std::vector<MeshPart> parse_ply(std::string_view bytes, std::string_view file);

enum class PlyEncoding { LittleEndian, BigEndian, Ascii };

struct PlyOptions {
    PlyEncoding encoding = PlyEncoding::LittleEndian;
    bool use_float32 = false;  ///< half the size; numbers no longer read back bit by bit
};

/// All parts as one mesh, with the data that all parts share. Colours that are whole 255ths are
/// written as bytes, as most programs expect, others as numbers.
/// @throws InputError when a part is not valid
std::string format_ply(std::span<const MeshPart> parts, const PlyOptions& options = {});

}  // namespace sinew
