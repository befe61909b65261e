#pragma once

#include "sinew/body/body.h"

#include <vector>

namespace sinew {

struct RigWeight {
    Index group = 0;
    double value = 0.0;  ///< in (0, 1]
};

/// How much each skin vertex moves with each group of segments: harmonic functions in the
/// tetrahedra that are 1 at the attachments of the group's bones and 0 at those of others,
///
///   (L + c A^T A) w_g = c A^T 1_g
///
/// L the Laplacian of the tetrahedra, A the weights of the attachments, c large. Weights below a
/// hundredth are left out; the rest of each vertex sums to 1, by ascending group.
std::vector<std::vector<RigWeight>> skin_weights(const Body& body,
                                                 const std::vector<Index>& group_of_segment,
                                                 Index groups);

}  // namespace sinew
