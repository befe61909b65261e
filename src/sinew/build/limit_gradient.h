#pragma once

#include "sinew/mesh/connectivity.h"

#include <vector>

namespace sinew {

/// Lowers values at vertices until none exceeds a neighbour's by more than `slope` times the path
/// between them. The largest such function below the given one; n log n.
void limit_gradient(std::vector<double>& values, const Points& points, const Lists& neighbours,
                    double slope);

}  // namespace sinew
