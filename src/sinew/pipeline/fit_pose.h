#pragma once

#include "sinew/pipeline/fit_scan.h"

namespace sinew {

/// The pose of the person that the job names (`pose_only`) in its scan: by the blended skin first,
/// then by the flesh itself, as every frame of a motion shows it (skinning/body_skinning.h): held
/// in the pose, compared, the pose mended, until that brings nothing more.
/// @throws InputError  when the person cannot be moved, or the scan shows no person; Cancelled
FittedScan fit_pose(const FitJob& job, const Progress& progress = {});

}  // namespace sinew
