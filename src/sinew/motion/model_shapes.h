#pragma once

#include "sinew/body/musculoskeletal.h"
#include "sinew/mesh/triangle_mesh.h"

#include <span>
#include <vector>

namespace sinew {

/// A model to look at: each body as its loaded meshes, else as its box (or a small one about its
/// centre of mass), each muscle as a tube along its path, 3 mm to 12 mm thick by its strength,
/// ligaments as thin pale ones. Parts and their vertices are the
/// same in every pose.
/// @param q  one number per coordinate
std::vector<MeshPart> model_shapes(const MusculoskeletalModel& model, std::span<const double> q);

}  // namespace sinew
