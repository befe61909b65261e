#pragma once

#include "sinew/body/body.h"

#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// The closed loops in which a plane cuts the skin.
std::vector<std::vector<Vec3>> section_loops(const Points& skin, const Triangles& triangles,
                                             const Vec3& centre, const Vec3& normal);
/// The loop that goes round `centre`, or else comes nearest to it; empty where there is none.
std::vector<Vec3> loop_around(const Points& skin, const Triangles& triangles, const Vec3& centre,
                              const Vec3& normal);
/// Length of a tape around points in a plane, m: the perimeter of their convex hull.
double tape_length(const std::vector<Vec3>& points, const Vec3& normal);

/// Length of a tape around the skin in a plane, m: the convex hull of the loop of the section that
/// goes round `centre`, or else comes nearest to it. 0 where the plane misses the skin.
double tape_girth(const Points& skin, const Triangles& triangles, const Vec3& centre,
                  const Vec3& normal);

/// What a tailor measures, m: neck, chest, waist and hips level with the ground; upper arms, thighs
/// and calves across their bones, where they are thickest in most people. Girths whose joints the
/// skeleton does not have are left out.
std::vector<std::pair<std::string, double>> girths(const Body& body);

}  // namespace sinew
