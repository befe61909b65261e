#pragma once

#include "sinew/fit/pose_rig.h"
#include "sinew/fit/registration.h"
#include "sinew/fit/scan_index.h"

#include <vector>

namespace sinew {

DistanceMeasures measures_of(std::vector<double> distances);

/// Distances, confidence per vertex and region, and whether the result may be trusted.
/// @param x  the skin in the frame of the scan, m
void measure_fit(const Points& x, const PoseRig& rig, const ScanIndex& index, const Scan& scan,
                 const Body& body, RegisteredSkin& result);

}  // namespace sinew
