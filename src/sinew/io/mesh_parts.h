#pragma once

#include "sinew/mesh/triangle_mesh.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// All parts in one mesh, points and triangles one after another. Data that every part carries
/// under the same name and with as many components is kept, other data is left out.
TriangleMesh merged(std::span<const MeshPart> parts);

/// @throws InputError when there is no part or one breaks the promises of require_valid
void require_writable(std::span<const MeshPart> parts, std::string_view format);

/// "arm" for "scans/arm.obj": the name of a part whose file does not name it.
std::string part_name_from_file(std::string_view file);

/// The parts' names as one line of text each, none empty, no two alike.
std::vector<std::string> names_for_writing(std::span<const MeshPart> parts);

/// One part named after the file, in a list, as readers of single-part formats return it.
std::vector<MeshPart> single_part(TriangleMesh mesh, std::string_view file);

}  // namespace sinew
