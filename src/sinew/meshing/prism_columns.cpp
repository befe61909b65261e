#include "sinew/meshing/prism_columns.h"

#include <algorithm>
#include <array>

namespace sinew {

Tets prism_columns(const Triangles& triangles, Eigen::Index vertices) {
    // With corners A < B < C of the outer surface, a b c below them: every side wall is cut from
    // the lower outer vertex to the higher inner vertex, so columns side by side agree.
    Tets tets(3 * triangles.rows(), 4);
    const auto inner = static_cast<Index>(vertices);
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        std::array<Index, 3> v = {triangles(t, 0), triangles(t, 1), triangles(t, 2)};
        const bool is_odd = (v[0] > v[1]) != ((v[0] > v[2]) != (v[1] > v[2]));
        std::sort(v.begin(), v.end());
        const auto [A, B, C] = v;
        const Index a = A + inner, b = B + inner, c = C + inner;
        tets.row(3 * t) << A, B, C, c;
        tets.row(3 * t + 1) << A, B, b, c;
        tets.row(3 * t + 2) << A, a, b, c;
        // As listed, the middle one is positive for an even order of the corners, the others are
        // for an odd one.
        for (int k = 0; k < 3; ++k) {
            if (is_odd == (k == 1)) {
                std::swap(tets(3 * t + k, 2), tets(3 * t + k, 3));
            }
        }
    }
    return tets;
}

}  // namespace sinew
