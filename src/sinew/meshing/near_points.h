#pragma once

#include "sinew/mesh/arrays.h"

#include <vector>

namespace sinew {

/// For each point the first of those that stay within `tolerance` of it; itself where it stays. A
/// point stays when none before it that stays is as near, so what is joined lies within the
/// tolerance of what it is joined to.
/// @param tolerance  m, >= 0; 0: the same place
std::vector<Index> first_within(const Points& points, double tolerance);

}  // namespace sinew
