#pragma once

// Where the numbers of a factor go, and how they are computed. Inside of linalg; users include
// cholesky.h.

#include "sinew/linalg/cholesky.h"
#include "sinew/linalg/cholesky_panels.h"
#include "sinew/linalg/cholesky_symbolic.h"

#include <vector>

namespace sinew::cholesky {

/// Panels of all supernodes in order, with their places in memory.
struct Layout {
    std::vector<Panel> panels = {};
    std::vector<int> panel_of_supernode = {0};  ///< supernode s: panels [s], [s + 1]
    std::vector<int> rows = {};                 ///< of panels, counted within their part
    std::int64_t values = 0;                    ///< stored numbers
};

Layout make_layout(const Plan& plan);

/// Multifrontal factorisation in precision T [Liu1992], stored in precision S.
template <class T, class S>
FactorResult factorise(const Plan& plan, const Layout& layout, const SparseSymmetric& A, S* data);

}  // namespace sinew::cholesky
