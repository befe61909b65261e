#pragma once

#include "sinew/base/progress.h"
#include "sinew/growth/bone_editing.h"

#include <span>

namespace sinew {

/// A body whose skeleton has got any other shape, torsion and heads of other sizes included, and
/// its flesh with it. Where edit_bones stretches flesh as little as it can, here flesh grows as the
/// bone beside it does: a bone twice as thick wears twice the flesh, one twice as long flesh twice
/// as long, a body that is scaled as a whole stays similar.
///
/// Each bone sample s has the affine map x -> x_s' + A_s (x - x_s); points of the flesh take the
/// harmonic interpolation of these maps (growth/harmonic_fields.h),
///
///   x' = A(x) x + b(x),   Laplace(A) = Laplace(b) = 0,   A(x_s) = A_s,  b(x_s) = x_s' - A_s x_s.
///
/// Feet stay on the ground.
/// @param skeleton  bones, samples and joints as edit_skeleton gives them
/// @param maps      A_s, one per sample, det > 0
/// @throws Cancelled
EditedBody follow_skeleton(const Body& body, const EditedSkeleton& skeleton,
                           std::span<const Mat3> maps, const Progress& progress = {});

}  // namespace sinew
