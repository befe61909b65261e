#pragma once

#include "sinew/body/body.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// Girths where a tape is laid on people, m, by named points of the skin rather than by joints:
/// chest level with the nipples; waist the narrowest level between 12 cm below the nipples and the
/// navel; waist_navel level with the navel; hips the widest level below it down to the crotch;
/// thighs half way from hip to knee and calves where they are widest, across their bones; neck
/// across its spine, sloping down to the front. Upper arms as girths() has them. Where a point is
/// absent, girths() fills in.
/// @param person  skin and skeleton in one pose that stands, Y up, facing +Z
/// @param named   nipple_L, nipple_R, navel on that skin (scan_landmark_names)
std::vector<std::pair<std::string, double>> scan_girths(const Body& person,
                                                        std::span<const Landmark> named);

/// Named points of one skin at the same places of another with these triangles.
std::vector<Landmark> landmarks_carried(std::span<const Landmark> named, const Points& from,
                                        const Points& to, const Triangles& triangles);

}  // namespace sinew
