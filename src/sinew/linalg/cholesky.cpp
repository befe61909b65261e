#include "sinew/linalg/cholesky.h"

#include "sinew/base/arrays.h"
#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/linalg/cholesky_numeric.h"

#include <algorithm>
#include <cmath>

namespace sinew {

using cholesky::Part;
using cholesky::row_stride;

namespace {

constexpr int kMaxStride = 4;

}  // namespace

struct SparseCholesky::Data {
    CholeskyOptions options;
    cholesky::Plan plan;
    cholesky::Layout layout;
    cholesky::AlignedArray<float> in_float;
    cholesky::AlignedArray<double> in_double;
    bool is_factored = false;

    template <class S>
    const S* values() const {
        if constexpr (sizeof(S) == 8) {
            return in_double.data();
        } else {
            return in_float.data();
        }
    }

    template <class S, int Columns>
    void solve(const double* b, double* x, S* memory, const std::vector<std::size_t>& place) const;
    template <class S, int Columns>
    void load(const Part& part, const double* b, S* y) const;
    template <class S, int Columns>
    void store(const Part& part, const S* y, double* x) const;
    template <class S, int Columns>
    void go_up(const Part& part, S* y, S* scratch) const;
    template <class S, int Columns>
    void go_down(const Part& part, S* y, S* scratch) const;
};

struct SparseCholesky::Workspace::Data {
    std::vector<std::size_t> place;  // of each part's vector, in values; its scratch stands before
    cholesky::AlignedArray<float> in_float;
    cholesky::AlignedArray<double> in_double;
};

SparseCholesky::Workspace::Workspace(std::unique_ptr<Data> data) : data_(std::move(data)) {}
SparseCholesky::Workspace::~Workspace() = default;
SparseCholesky::Workspace::Workspace(Workspace&&) noexcept = default;
SparseCholesky::Workspace& SparseCholesky::Workspace::operator=(Workspace&&) noexcept = default;

SparseCholesky::SparseCholesky(const SparseSymmetric& A, const CholeskyOptions& options)
    : data_(std::make_unique<Data>()) {
    data_->options = options;
    data_->plan = cholesky::make_plan(A);
    data_->layout = cholesky::make_layout(data_->plan);
}
SparseCholesky::SparseCholesky(const SparseCholesky& same_pattern, const CholeskyOptions& options)
    : data_(std::make_unique<Data>()) {
    data_->options = options;
    data_->plan = same_pattern.data_->plan;
    data_->layout = same_pattern.data_->layout;
}
SparseCholesky::~SparseCholesky() = default;
SparseCholesky::SparseCholesky(SparseCholesky&&) noexcept = default;
SparseCholesky& SparseCholesky::operator=(SparseCholesky&&) noexcept = default;

FactorResult SparseCholesky::factor(const SparseSymmetric& A) {
    Data& d = *data_;
    SINEW_ASSERT(A.size == d.plan.size, "matrix of {} rows for a plan of {}", A.size, d.plan.size);
    const std::size_t values = at(d.layout.values);
    FactorResult result;
    if (d.options.store_double) {
        if (d.in_double.size() != values) {
            d.in_double = cholesky::AlignedArray<double>(values);
        }
        result = cholesky::factorise<double, double>(d.plan, d.layout, A, d.in_double.data());
    } else {
        if (d.in_float.size() != values) {
            d.in_float = cholesky::AlignedArray<float>(values);
        }
        result = d.options.factor_in_float
                     ? cholesky::factorise<float, float>(d.plan, d.layout, A, d.in_float.data())
                     : cholesky::factorise<double, float>(d.plan, d.layout, A, d.in_float.data());
    }
    d.is_factored = result.is_positive_definite;
    return result;
}

SparseCholesky::Workspace SparseCholesky::make_workspace() const {
    auto w = std::make_unique<Workspace::Data>();
    std::size_t values = 0;
    for (const Part& part : data_->plan.parts) {
        values += cholesky::kScratch;
        w->place.push_back(values);
        values += (at(part.local_size()) + 1) * kMaxStride;
        values = (values + 15) / 16 * 16;
    }
    if (data_->options.store_double) {
        w->in_double = cholesky::AlignedArray<double>(values);
        std::fill_n(w->in_double.data(), values, 0.0);
    } else {
        w->in_float = cholesky::AlignedArray<float>(values);
        std::fill_n(w->in_float.data(), values, 0.0f);
    }
    return Workspace(std::move(w));
}

// The part's rows of b, in the order of elimination; zero outside and in the padding row.
template <class S, int Columns>
void SparseCholesky::Data::load(const Part& part, const double* b, S* y) const {
    constexpr int stride = row_stride(Columns);
    S* to = y;
    for (int j = part.column; j < part.column_end; ++j, to += stride) {
        const double* from = b + Columns * static_cast<std::ptrdiff_t>(plan.old_of_new[at(j)]);
        for (int c = 0; c < Columns; ++c) {
            to[c] = static_cast<S>(from[c]);
        }
    }
    std::fill_n(to, (part.outside.size() + 1) * stride, S{0});
}

template <class S, int Columns>
void SparseCholesky::Data::store(const Part& part, const S* y, double* x) const {
    constexpr int stride = row_stride(Columns);
    for (int j = part.column; j < part.column_end; ++j, y += stride) {
        double* to = x + Columns * static_cast<std::ptrdiff_t>(plan.old_of_new[at(j)]);
        for (int c = 0; c < Columns; ++c) {
            to[c] = static_cast<double>(y[c]);
        }
    }
}

template <class S, int Columns>
void SparseCholesky::Data::go_up(const Part& part, S* y, S* scratch) const {
    for (int p = layout.panel_of_supernode[at(part.first)];
         p < layout.panel_of_supernode[at(part.last)]; ++p) {
        cholesky::forward<S, Columns>(layout.panels[at(p)], values<S>(), layout.rows.data(), y,
                                      scratch);
    }
}

template <class S, int Columns>
void SparseCholesky::Data::go_down(const Part& part, S* y, S* scratch) const {
    for (int p = layout.panel_of_supernode[at(part.last)] - 1;
         p >= layout.panel_of_supernode[at(part.first)]; --p) {
        cholesky::backward<S, Columns>(layout.panels[at(p)], values<S>(), layout.rows.data(), y,
                                       scratch);
    }
}

template <class S, int Columns>
void SparseCholesky::Data::solve(const double* b, double* x, S* memory,
                                 const std::vector<std::size_t>& place) const {
    constexpr int stride = row_stride(Columns);
    const std::size_t top_number = plan.parts.size() - 1;
    const Part& top = plan.parts[top_number];
    const auto vector_of = [&](std::size_t p) { return memory + place[p]; };
    const auto scratch_of = [&](std::size_t p) { return vector_of(p) - cholesky::kScratch; };

    // Independent parts, up.
    parallel_for(top_number, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t p = first; p < last; ++p) {
            load<S, Columns>(plan.parts[p], b, vector_of(p));
            go_up<S, Columns>(plan.parts[p], vector_of(p), scratch_of(p));
        }
    });
    // What they leave for the top is added in their order.
    S* y_top = vector_of(top_number);
    load<S, Columns>(top, b, y_top);
    for (std::size_t p = 0; p < top_number; ++p) {
        const Part& part = plan.parts[p];
        const S* from =
            vector_of(p) + static_cast<std::ptrdiff_t>(stride) * (part.column_end - part.column);
        for (const int r : part.outside) {
            S* to = y_top + static_cast<std::ptrdiff_t>(stride) * (r - top.column);
            for (int c = 0; c < Columns; ++c) {
                to[c] += from[c];
            }
            from += stride;
        }
    }
    go_up<S, Columns>(top, y_top, scratch_of(top_number));
    go_down<S, Columns>(top, y_top, scratch_of(top_number));
    // Independent parts, down.
    parallel_for(top_number, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t p = first; p < last; ++p) {
            const Part& part = plan.parts[p];
            S* to = vector_of(p) +
                    static_cast<std::ptrdiff_t>(stride) * (part.column_end - part.column);
            for (const int r : part.outside) {
                std::copy_n(y_top + static_cast<std::ptrdiff_t>(stride) * (r - top.column), stride,
                            to);
                to += stride;
            }
            go_down<S, Columns>(part, vector_of(p), scratch_of(p));
            store<S, Columns>(part, vector_of(p), x);
        }
    });
    store<S, Columns>(top, y_top, x);
}

void SparseCholesky::solve(std::span<const double> b, int columns, std::span<double> x,
                           Workspace& workspace) const {
    SINEW_ASSERT(data_->is_factored, "size {}", size());
    SINEW_ASSERT(columns == 1 || columns == 3, "columns {}", columns);
    SINEW_ASSERT(b.size() == at(size()) * at(columns) && x.size() == b.size(), "{} and {} values",
                 b.size(), x.size());
    Workspace::Data& w = *workspace.data_;
    const auto run = [&](auto* memory) {
        using S = std::remove_pointer_t<decltype(memory)>;
        if (columns == 3) {
            data_->solve<S, 3>(b.data(), x.data(), memory, w.place);
        } else {
            data_->solve<S, 1>(b.data(), x.data(), memory, w.place);
        }
    };
    if (data_->options.store_double) {
        run(w.in_double.data());
    } else {
        run(w.in_float.data());
    }
}

int SparseCholesky::size() const {
    return data_->plan.size;
}

std::int64_t SparseCholesky::nonzeros() const {
    return data_->plan.nonzeros;
}

std::int64_t SparseCholesky::bytes() const {
    return data_->layout.values * (data_->options.store_double ? 8 : 4) +
           static_cast<std::int64_t>(data_->layout.rows.size() * sizeof(int));
}

RefineResult solve_refined(const SparseCholesky& factor, const SparseSymmetric& A,
                           std::span<const double> b, int columns, std::span<double> x,
                           SparseCholesky::Workspace& workspace, const RefineOptions& options) {
    const auto norm = [](std::span<const double> v) {
        double sum = 0.0;
        for (const double value : v) {
            sum += value * value;
        }
        return std::sqrt(sum);
    };
    const double size = norm(b);
    RefineResult result;
    if (size == 0.0) {
        std::fill(x.begin(), x.end(), 0.0);
        return result;
    }
    std::vector<double> r(b.size());
    std::vector<double> better(b.size());
    std::vector<double> best(b.size(), 0.0);
    std::copy(b.begin(), b.end(), r.begin());
    result.residual = 1.0;
    for (int step = 0; step <= options.max_steps; ++step) {
        factor.solve(r, columns, r, workspace);
        for (std::size_t i = 0; i < r.size(); ++i) {
            better[i] = best[i] + r[i];
        }
        multiply(A, better, columns, r);
        for (std::size_t i = 0; i < r.size(); ++i) {
            r[i] = b[i] - r[i];
        }
        const double residual = norm(r) / size;
        if (!(residual < result.residual)) {
            break;
        }
        best.swap(better);
        result = {step, residual};
        if (residual <= options.tolerance) {
            break;
        }
    }
    std::copy(best.begin(), best.end(), x.begin());
    return result;
}

}  // namespace sinew
