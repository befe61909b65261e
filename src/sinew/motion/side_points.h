#pragma once

#include "sinew/body/musculoskeletal.h"

namespace sinew {

/// The model as MuJoCo's files can hold it as far as wrap surfaces go: halves of spheres and
/// cylinders (side_axis, side_sign) become side points, or nothing, or the surface is left out, and
/// ellipsoids become spheres or cylinders, whichever keeps the lengths of the muscles over it
/// nearest to the model's own over the ranges of the coordinates that move them, one by one and at
/// 60 random poses; cylinders under one piece of one path at 10 000 and beside them. Cylinders do
/// not end any more where that is so.
MusculoskeletalModel with_side_points(const MusculoskeletalModel& model);

/// A model without conditional points, and what became of them.
struct OneSidedPoints {
    MusculoskeletalModel model;
    int one_sided = 0;  ///< a sphere of 0.5 mm that the path passes on one side
    int kept = 0;       ///< always there
    int left_out = 0;
};

/// Conditional points for MuJoCo, which has none. Most stand for a bone that the path lies on while
/// a joint is bent far enough: a small sphere with a side site does the same, since the path leaves
/// it where the straight line passes on that side. Of each point, always there, left out or a
/// sphere, that is taken which keeps the muscle's length nearest to the model's over the ranges of
/// the coordinates that move it.
OneSidedPoints with_one_sided_points(const MusculoskeletalModel& model);

}  // namespace sinew
