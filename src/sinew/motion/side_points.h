#pragma once

#include "sinew/body/musculoskeletal.h"

namespace sinew {

/// The model as MuJoCo's files can hold it as far as sides of wrap surfaces go: halves of spheres
/// and cylinders (side_axis, side_sign) become side points, or nothing, or the surface is left out,
/// whichever keeps the lengths of the muscles over it nearest to the model's own over the ranges of
/// the coordinates that move them. Cylinders do not end any more where that is so.
MusculoskeletalModel with_side_points(const MusculoskeletalModel& model);

}  // namespace sinew
