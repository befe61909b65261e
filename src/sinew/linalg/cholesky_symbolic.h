#pragma once

// The plan of a sparse Cholesky factorisation: ordering, supernodes, their rows, and the subtrees
// that can be worked on independently. Inside of linalg; users include cholesky.h.

#include "sinew/linalg/sparse_symmetric.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sinew::cholesky {

/// Neighbouring columns of L that share their rows below the diagonal block.
struct Supernode {
    int column = 0;         ///< first column
    int width = 0;          ///< number of columns
    int parent = -1;        ///< supernode of the first row below, -1 at a root
    std::int64_t rows = 0;  ///< rows below: Plan::rows[rows, rows + below)
    int below = 0;
};

/// Consecutive supernodes that need nothing from outside (whole subtrees), or the top of the tree.
struct Part {
    int first = 0;  ///< supernodes [first, last)
    int last = 0;
    int column = 0;  ///< columns [column, column_end)
    int column_end = 0;
    std::vector<int> outside = {};  ///< rows >= column_end that the part reaches, ascending

    int local_size() const {
        return column_end - column + static_cast<int>(outside.size());
    }
};

struct Plan {
    int size = 0;
    std::vector<int> old_of_new = {};  ///< column j of L is unknown old_of_new[j]
    std::vector<int> new_of_old = {};
    std::vector<Supernode> supernodes = {};
    std::vector<int> rows = {};
    /// Independent parts, then one last part: the top of the tree, which all others feed.
    std::vector<Part> parts = {};
    std::int64_t nonzeros = 0;  ///< of L, with the zeros that relaxed supernodes add

    std::span<const int> rows_below(const Supernode& s) const {
        return {rows.data() + s.rows, static_cast<std::size_t>(s.below)};
    }
};

/// Nested dissection by METIS [Karypis1998], elimination tree and column counts [Liu1990],
/// supernodes merged while few zeros are added, and the split into parts. The split depends on the
/// matrix alone, never on the number of threads.
Plan make_plan(const SparseSymmetric& A);

}  // namespace sinew::cholesky
