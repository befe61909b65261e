#include "sinew/linalg/sparse_symmetric.h"

#include "sinew/base/arrays.h"
#include "sinew/base/error.h"
#include "sinew/base/parallel.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew {
namespace {

constexpr std::size_t kRows = 2048;  // per piece of parallel work

// One side of a triplet on its way into a row.
struct Entry {
    int column;
    std::int64_t source;  // 2 k for (i, j) of triplet k, 2 k + 1 for its mirror image
};

void check_indices(const Triplets& t) {
    for (std::size_t k = 0; k < t.values().size(); ++k) {
        const int low = std::min(t.rows()[k], t.columns()[k]);
        const int high = std::max(t.rows()[k], t.columns()[k]);
        if (low < 0 || high >= t.size()) {
            throw InputError({.where = fmt::format("entry {} of a sparse matrix", k),
                              .found = fmt::format("place ({}, {})", t.rows()[k], t.columns()[k]),
                              .needs = fmt::format("row and column from 0 to {}", t.size() - 1),
                              .remedy = "check the indices of the constraint that added it"});
        }
    }
}

template <int K>
void multiply_rows(const SparseSymmetric& A, const double* x, double* y) {
    parallel_for(static_cast<std::size_t>(A.size), kRows, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            double sum[K] = {};
            for (std::int64_t e = A.start[i]; e < A.start[i + 1]; ++e) {
                const double a = A.value[at(e)];
                const double* from =
                    x + static_cast<std::size_t>(K) * static_cast<std::size_t>(A.column[at(e)]);
                for (int k = 0; k < K; ++k) {
                    sum[k] += a * from[k];
                }
            }
            for (int k = 0; k < K; ++k) {
                y[K * i + static_cast<std::size_t>(k)] = sum[k];
            }
        }
    });
}

}  // namespace

void Triplets::add_outer(std::span<const int> index, std::span<const double> q, double weight) {
    for (std::size_t a = 0; a < index.size(); ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            // Two places of q on one unknown meet on the diagonal from both sides.
            const double twice = a != b && index[a] == index[b] ? 2.0 : 1.0;
            add(index[a], index[b], twice * weight * q[a] * q[b]);
        }
    }
}

void Triplets::clear() {
    rows_.clear();
    columns_.clear();
    values_.clear();
}

SparseAssembly::SparseAssembly(const Triplets& t) {
    check_indices(t);
    const std::size_t count = t.values().size();
    const auto n = static_cast<std::size_t>(t.size());
    slot_.assign(count, -1);
    mirror_.assign(count, -1);

    // Entries by row, in the order in which they were added; each row starts with its diagonal.
    std::vector<std::int64_t> begin(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        begin[i + 1] = 1;
    }
    for (std::size_t k = 0; k < count; ++k) {
        const auto i = static_cast<std::size_t>(t.rows()[k]);
        const auto j = static_cast<std::size_t>(t.columns()[k]);
        ++begin[i + 1];
        if (i != j) {
            ++begin[j + 1];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        begin[i + 1] += begin[i];
    }
    std::vector<Entry> entries(static_cast<std::size_t>(begin[n]));
    std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
    const auto put = [&](int row, int column, std::int64_t source) {
        entries[at(next[at(row)]++)] = {column, source};
    };
    for (std::size_t i = 0; i < n; ++i) {
        put(static_cast<int>(i), static_cast<int>(i), -1);
    }
    for (std::size_t k = 0; k < count; ++k) {
        const auto source = static_cast<std::int64_t>(2 * k);
        put(t.rows()[k], t.columns()[k], source);
        if (t.rows()[k] != t.columns()[k]) {
            put(t.columns()[k], t.rows()[k], source + 1);
        }
    }

    // Rows sorted by column; equal columns share a slot.
    std::vector<std::int64_t> distinct(n + 1, 0);
    const auto for_rows = [&](const auto& body) {
        parallel_for(n, kRows, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                body(i, entries.begin() + begin[i], entries.begin() + begin[i + 1]);
            }
        });
    };
    for_rows([&](std::size_t i, auto first, auto last) {
        std::sort(first, last, [](const Entry& a, const Entry& b) {
            return a.column != b.column ? a.column < b.column : a.source < b.source;
        });
        std::int64_t slots = 0;
        for (auto e = first; e != last; ++e) {
            slots += e == first || e->column != std::prev(e)->column;
        }
        distinct[i + 1] = slots;
    });
    for (std::size_t i = 0; i < n; ++i) {
        distinct[i + 1] += distinct[i];
    }
    matrix_.size = t.size();
    matrix_.start = std::move(distinct);
    matrix_.column.resize(static_cast<std::size_t>(matrix_.start[n]));
    matrix_.value.resize(matrix_.column.size());
    for_rows([&](std::size_t i, auto first, auto last) {
        std::int64_t slot = matrix_.start[i] - 1;
        for (auto e = first; e != last; ++e) {
            slot += e == first || e->column != std::prev(e)->column;
            matrix_.column[at(slot)] = e->column;
            if (e->source >= 0) {
                auto& map = e->source % 2 == 0 ? slot_ : mirror_;
                map[at(e->source / 2)] = slot;
            }
        }
    });
    refill(t);
}

void SparseAssembly::refill(const Triplets& t) {
    if (t.values().size() != slot_.size() || t.size() != matrix_.size) {
        throw InputError({.where = "sparse assembly",
                          .found = fmt::format("{} entries for a pattern of {}", t.values().size(),
                                               slot_.size()),
                          .needs = "the entries of the first assembly, in the same order",
                          .remedy = "assemble anew when constraints are added or removed"});
    }
    std::fill(matrix_.value.begin(), matrix_.value.end(), 0.0);
    for (std::size_t k = 0; k < slot_.size(); ++k) {
        const double value = t.values()[k];
        matrix_.value[at(slot_[k])] += value;
        if (mirror_[k] >= 0) {
            matrix_.value[at(mirror_[k])] += value;
        }
    }
}

SparseSymmetric assemble(const Triplets& triplets) {
    return SparseAssembly(triplets).matrix();
}

void multiply(const SparseSymmetric& A, std::span<const double> x, int columns,
              std::span<double> y) {
    SINEW_ASSERT(columns == 1 || columns == 3, "columns {}", columns);
    SINEW_ASSERT(x.size() == static_cast<std::size_t>(A.size * columns) && y.size() == x.size(),
                 "{} and {} values for {} rows", x.size(), y.size(), A.size);
    if (columns == 3) {
        multiply_rows<3>(A, x.data(), y.data());
    } else {
        multiply_rows<1>(A, x.data(), y.data());
    }
}

SparseSymmetric submatrix(const SparseSymmetric& A, std::span<const int> keep) {
    std::vector<int> number(static_cast<std::size_t>(A.size), -1);
    for (std::size_t k = 0; k < keep.size(); ++k) {
        number[at(keep[k])] = static_cast<int>(k);
    }
    SparseSymmetric B;
    B.size = static_cast<int>(keep.size());
    B.start.reserve(keep.size() + 1);
    for (const int i : keep) {
        for (std::int64_t e = A.start[at(i)]; e < A.start[static_cast<std::size_t>(i) + 1]; ++e) {
            const int j = number[at(A.column[at(e)])];
            if (j >= 0) {
                B.column.push_back(j);
                B.value.push_back(A.value[at(e)]);
            }
        }
        B.start.push_back(B.entries());
    }
    return B;
}

}  // namespace sinew
