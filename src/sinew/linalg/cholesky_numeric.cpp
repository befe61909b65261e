#include "sinew/linalg/cholesky_numeric.h"

#include "sinew/base/arrays.h"
#include "sinew/base/parallel.h"
#include "sinew/linalg/dense_blocks.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace sinew::cholesky {
namespace {

// On and below the diagonal: C[i, j] -= sum_k L[i, k] L[j, k] for i < rows, j < columns. Large ones
// in blocks of columns, in parallel.
template <class T>
void update_lower(int rows, int columns, int k, const T* L, int ldl, T* C, int ldc) {
    constexpr int kBlock = 192;
    if (rows == 0 || columns == 0) {
        return;
    }
    const auto block = [&](int begin, int end) {
        const T* from = L + begin;
        T* to = C + static_cast<std::ptrdiff_t>(begin) * ldc + begin;
        const int width = end - begin;
        subtract_square(width, k, from, ldl, to, ldc);
        if (rows > end) {
            subtract_product(rows - end, width, k, from + width, ldl, from, ldl, to + width, ldc);
        }
    };
    parallel_for(at((columns + kBlock - 1) / kBlock), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
            const int begin = static_cast<int>(b) * kBlock;
            block(begin, std::min(begin + kBlock, columns));
        }
    });
}

// Cholesky factor of the leading n x n block in place. Returns the first column whose pivot is not
// above its floor, or -1.
template <class T>
int factor_block(T* F, int ld, int n, const T* floor) {
    for (int j = 0; j < n; ++j) {
        T* column = F + static_cast<std::ptrdiff_t>(j) * ld;
        for (int k = 0; k < j; ++k) {
            const T* left = F + static_cast<std::ptrdiff_t>(k) * ld;
            const T factor = left[j];
            for (int i = j; i < n; ++i) {
                column[i] -= factor * left[i];
            }
        }
        if (!(column[j] > floor[j])) {
            return j;
        }
        const T root = std::sqrt(column[j]);
        const T inverse = T{1} / root;
        column[j] = root;
        for (int i = j + 1; i < n; ++i) {
            column[i] *= inverse;
        }
    }
    return -1;
}

// X = L^-1 for a lower triangular L of n <= kMaxPanel columns; X is dense, n x n.
template <class T>
void invert_block(const T* L, int ld, int n, T* X) {
    std::fill_n(X, at(n) * at(n), T{0});
    for (int j = 0; j < n; ++j) {
        T* x = X + static_cast<std::ptrdiff_t>(j) * n;
        x[j] = T{1};
        for (int k = j; k < n; ++k) {
            const T* column = L + static_cast<std::ptrdiff_t>(k) * ld;
            x[k] /= column[k];
            const T value = x[k];
            for (int i = k + 1; i < n; ++i) {
                x[i] -= value * column[i];
            }
        }
    }
}

template <class T>
struct Failure {
    int column = -1;
    T value = T{0};
};

template <class T, class S>
class Multifrontal {
public:
    Multifrontal(const Plan& plan, const Layout& layout, const SparseSymmetric& A, S* data)
        : plan_(plan), layout_(layout), A_(A), data_(data), updates_(plan.supernodes.size()) {
        children_.resize(plan.supernodes.size());
        for (std::size_t s = 0; s < plan.supernodes.size(); ++s) {
            if (plan.supernodes[s].parent >= 0) {
                children_[at(plan.supernodes[s].parent)].push_back(static_cast<int>(s));
            }
        }
    }

    FactorResult run() {
        std::vector<Failure<T>> failures(plan_.parts.size());
        const std::size_t independent = plan_.parts.size() - 1;
        parallel_for(independent, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t p = first; p < last; ++p) {
                failures[p] = factor_part(plan_.parts[p]);
            }
        });
        const auto failed = [](const Failure<T>& f) { return f.column >= 0; };
        if (std::none_of(failures.begin(), failures.end(), failed)) {
            failures.back() = factor_part(plan_.parts.back());
        }
        const auto first = std::find_if(failures.begin(), failures.end(), failed);
        if (first == failures.end()) {
            return {.is_positive_definite = true};
        }
        return {.is_positive_definite = false,
                .pivot = plan_.old_of_new[at(first->column)],
                .pivot_value = static_cast<double>(first->value)};
    }

private:
    // Scratch memory of a part.
    struct Scratch {
        std::vector<int> place;             // row of the front in which an unknown stands
        std::vector<int> child_place = {};  // the same for the rows of one child
        std::vector<T> front;
        std::vector<T> below;    // L21 L11^-1 of a panel
        std::vector<T> inverse;  // L11^-1 of a panel
        std::vector<T> floor;    // smallest pivots accepted
    };

    Failure<T> factor_part(const Part& part) {
        Scratch scratch;
        scratch.place.resize(at(plan_.size));
        scratch.child_place.resize(at(plan_.size));
        scratch.inverse.resize(kMaxPanel * kMaxPanel);
        std::int64_t largest = 0;
        std::int64_t tallest = 0;
        for (int s = part.first; s < part.last; ++s) {
            const Supernode& node = plan_.supernodes[at(s)];
            const std::int64_t m = node.width + node.below;
            largest = std::max(largest, m * node.width);
            tallest = std::max(tallest, m);
        }
        scratch.front.resize(at(largest));
        scratch.below.resize(at(tallest * kMaxPanel));
        for (int s = part.first; s < part.last; ++s) {
            const Failure<T> failure = factor_supernode(s, scratch);
            if (failure.column >= 0) {
                return failure;
            }
        }
        return {};
    }

    Failure<T> factor_supernode(int s, Scratch& scratch) {
        const Supernode& node = plan_.supernodes[at(s)];
        assemble_front(s, scratch);
        const int m = node.width + node.below;
        T* F = scratch.front.data();
        T* U = updates_[at(s)].get();
        for (int p = layout_.panel_of_supernode[at(s)]; p < layout_.panel_of_supernode[at(s) + 1];
             ++p) {
            const Panel& panel = layout_.panels[at(p)];
            const int k =
                panel.column - layout_.panels[at(layout_.panel_of_supernode[at(s)])].column;
            const int w = panel.width;
            T* corner = F + static_cast<std::ptrdiff_t>(k) * m + k;
            const int bad = factor_block(corner, m, w, scratch.floor.data() + k);
            if (bad >= 0) {
                return {node.column + k + bad, corner[static_cast<std::ptrdiff_t>(bad) * m + bad]};
            }
            const int rest = m - k - w;
            if (rest > 0) {
                divide_by_transposed(rest, w, corner, m, corner + w, m);
                update_lower(rest, node.width - k - w, w, corner + w, m,
                             corner + static_cast<std::ptrdiff_t>(w) * m + w, m);
            }
            store_panel(panel, corner, m, rest, scratch);
        }
        update_lower(node.below, node.below, node.width, F + node.width, m, U, node.below);
        return {};
    }

    // Columns of A and the children's updates: the supernode's own columns go to the front, the
    // rest to its update matrix.
    void assemble_front(int s, Scratch& scratch) {
        const Supernode& node = plan_.supernodes[at(s)];
        const int m = node.width + node.below;
        const auto rows = plan_.rows_below(node);
        T* F = scratch.front.data();
        std::fill_n(F, at(static_cast<std::int64_t>(m) * node.width), T{0});
        const std::int64_t square = static_cast<std::int64_t>(node.below) * node.below;
        updates_[at(s)] = std::unique_ptr<T[]>(new T[at(square)]);
        T* U = updates_[at(s)].get();
        std::fill_n(U, at(square), T{0});
        for (int j = 0; j < node.width; ++j) {
            scratch.place[at(node.column + j)] = j;
        }
        for (int k = 0; k < node.below; ++k) {
            scratch.place[at(rows[at(k)])] = node.width + k;
        }
        constexpr T kFloor = sizeof(T) == 8 ? T(1e-14) : T(1e-6);  // of the diagonal of A
        scratch.floor.resize(at(node.width));
        for (int j = 0; j < node.width; ++j) {
            const auto row = at(plan_.old_of_new[at(node.column + j)]);
            T* column = F + static_cast<std::ptrdiff_t>(j) * m;
            for (auto e = A_.start[row]; e < A_.start[row + 1]; ++e) {
                const int r = plan_.new_of_old[at(A_.column[at(e)])];
                if (r >= node.column + j) {
                    column[scratch.place[at(r)]] = static_cast<T>(A_.value[at(e)]);
                }
            }
            scratch.floor[at(j)] = kFloor * std::max(column[j], T{0});
        }
        for (const int child : children_[at(s)]) {
            add_update(plan_.supernodes[at(child)], updates_[at(child)].get(), node, scratch, U);
            updates_[at(child)].reset();
        }
    }

    void add_update(const Supernode& child, const T* from, const Supernode& node, Scratch& scratch,
                    T* U) {
        const auto rows = plan_.rows_below(child);
        const int m = node.width + node.below;
        int* place = scratch.child_place.data();
        for (int k = 0; k < child.below; ++k) {
            place[k] = scratch.place[at(rows[at(k)])];
        }
        for (int j = 0; j < child.below; ++j) {
            const int to_column = place[j];
            const T* column = from + static_cast<std::ptrdiff_t>(j) * child.below;
            T* to = to_column < node.width
                        ? scratch.front.data() + static_cast<std::ptrdiff_t>(to_column) * m
                        : U + static_cast<std::ptrdiff_t>(to_column - node.width) * node.below -
                              node.width;
            for (int i = j; i < child.below; ++i) {
                to[place[i]] += column[i];
            }
        }
    }

    void store_panel(const Panel& panel, const T* corner, int ld, int rest, Scratch& scratch) {
        const int w = panel.width;
        T* inverse = scratch.inverse.data();
        T* below = scratch.below.data();
        invert_block(corner, ld, w, inverse);
        if (rest > 0) {
            for (int j = 0; j < w; ++j) {
                std::copy_n(corner + static_cast<std::ptrdiff_t>(j) * ld + w, rest,
                            below + static_cast<std::ptrdiff_t>(j) * rest);
            }
            divide_by_lower(rest, w, corner, ld, below, rest);
        }
        S* out = data_ + panel.data;
        for (int t = 0; t < panel.tiles; t += panel.strip_tiles(t)) {
            const int end = (t + panel.strip_tiles(t)) * kTile;
            for (int j = 0; j < panel.tile_columns(t); ++j) {
                for (int r = t * kTile; r < end; ++r) {
                    T value = T{0};
                    if (r < w) {
                        value = inverse[static_cast<std::ptrdiff_t>(j) * w + r];
                    } else if (r - w < rest) {
                        value = -below[static_cast<std::ptrdiff_t>(j) * rest + r - w];
                    }
                    *out++ = static_cast<S>(value);
                }
            }
        }
    }

    const Plan& plan_;
    const Layout& layout_;
    const SparseSymmetric& A_;
    S* data_;
    std::vector<std::unique_ptr<T[]>> updates_;
    std::vector<std::vector<int>> children_;
};

}  // namespace

Layout make_layout(const Plan& plan) {
    Layout layout;
    std::vector<int> local(at(plan.size));
    for (const Part& part : plan.parts) {
        for (int j = part.column; j < part.column_end; ++j) {
            local[at(j)] = j - part.column;
        }
        for (std::size_t k = 0; k < part.outside.size(); ++k) {
            local[at(part.outside[k])] = part.column_end - part.column + static_cast<int>(k);
        }
        const int nowhere = part.local_size();
        for (int s = part.first; s < part.last; ++s) {
            const Supernode& node = plan.supernodes[at(s)];
            const int count = (node.width + kMaxPanel - 1) / kMaxPanel;
            // Equal widths, in whole tiles.
            const int step = ((node.width + count - 1) / count + kTile - 1) / kTile * kTile;
            for (int k = 0; k < node.width; k += step) {
                Panel panel;
                panel.column = node.column - part.column + k;
                panel.width = std::min(step, node.width - k);
                panel.tiles = (node.width - k + node.below + kTile - 1) / kTile;
                panel.rows = static_cast<std::int64_t>(layout.rows.size());
                panel.data = layout.values;
                for (int j = k; j < node.width; ++j) {
                    layout.rows.push_back(local[at(node.column + j)]);
                }
                for (const int r : plan.rows_below(node)) {
                    layout.rows.push_back(local[at(r)]);
                }
                layout.rows.resize(at(panel.rows + static_cast<std::int64_t>(panel.tiles) * kTile),
                                   nowhere);
                layout.values += panel.tile_offset(panel.tiles);
                layout.panels.push_back(panel);
            }
            layout.panel_of_supernode.push_back(static_cast<int>(layout.panels.size()));
        }
    }
    return layout;
}

template <class T, class S>
FactorResult factorise(const Plan& plan, const Layout& layout, const SparseSymmetric& A, S* data) {
    return Multifrontal<T, S>(plan, layout, A, data).run();
}

template FactorResult factorise<float, float>(const Plan&, const Layout&, const SparseSymmetric&,
                                              float*);
template FactorResult factorise<double, float>(const Plan&, const Layout&, const SparseSymmetric&,
                                               float*);
template FactorResult factorise<double, double>(const Plan&, const Layout&, const SparseSymmetric&,
                                                double*);

}  // namespace sinew::cholesky
