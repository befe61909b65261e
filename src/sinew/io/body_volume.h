#pragma once

#include "sinew/body/body.h"

#include <filesystem>
#include <string>

namespace sinew {

/// Writes a body's tetrahedra with tissue, muscle, fractions and fibre direction of each
/// (body/tissue_cells.h), for other programs. `.vtu` has them as cell data, and the names that the
/// numbers stand for as field data `tissue_names` and `muscle_names`. `.msh` has a physical group
/// for every muscle ("biceps_l", its tendon "biceps_l tendon") and every other tissue, and the
/// numbers as element data. Other formats hold the tetrahedra with their regions.
/// @returns what was written, in words
/// @throws InputError  when the body has no tetrahedra, the format holds none, or cannot be written
std::string write_body_volume(const std::filesystem::path& path, const Body& body);

}  // namespace sinew
