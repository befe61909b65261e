#pragma once

#include "sinew/body/body.h"

#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// Length of a tape around the skin in a plane, m: the convex hull of the loop of the section that
/// goes round `centre`, or else comes nearest to it. 0 where the plane misses the skin.
double tape_girth(const Points& skin, const Triangles& triangles, const Vec3& centre,
                  const Vec3& normal);

/// What a tailor measures, m: neck, chest, waist and hips level with the ground; upper arms, thighs
/// and calves across their bones, where they are thickest in most people. Girths whose joints the
/// skeleton does not have are left out.
std::vector<std::pair<std::string, double>> girths(const Body& body);

}  // namespace sinew
