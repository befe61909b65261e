#include "sinew/solver/reduced_system.h"

#include "sinew/base/parallel.h"
#include "sinew/linalg/cholesky.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace sinew {

namespace {

/// Solutions of single precision factors are refined to this residual, and in so many steps at
/// most; those that do not come near it need a factor in double.
constexpr double kRefined = 1e-9;
constexpr double kBarelyRefined = 1e-6;
constexpr int kRefinements = 12;

/// Columns of the whole (both halves) block row of every vertex, ascending.
std::vector<std::vector<Index>> whole_rows(const BlockHessian& pattern) {
    std::vector<std::vector<Index>> rows(static_cast<std::size_t>(pattern.vertices()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t s = pattern.row_start()[i]; s < pattern.row_start()[i + 1]; ++s) {
            const Index j = pattern.columns()[s];
            rows[i].push_back(j);
            if (static_cast<std::size_t>(j) != i) {
                rows[at(j)].push_back(static_cast<Index>(i));
            }
        }
    }
    for (std::vector<Index>& row : rows) {
        std::sort(row.begin(), row.end());
    }
    return rows;
}

}  // namespace

struct ReducedSystem::Data {
    std::vector<Mat3> basis;  // of each vertex; the first `dimension` columns are free
    std::vector<int> dimension;
    std::vector<int> offset;  // first unknown of each vertex
    int unknowns = 0;
    SparseSymmetric matrix;
    std::vector<int> before;           // unknowns before block (i, j) in its row, by slot
    std::vector<int> mirrored;         // unknowns before block (j, i) in its row, by slot
    std::vector<int> diagonal_before;  // unknowns before the diagonal block of each vertex
    double mean_diagonal = 0.0;
    std::optional<SparseCholesky> factor;  // nothing when there are no unknowns
    std::optional<SparseCholesky> single;  // the same in single precision, once asked for
    bool is_single = false;                // the last factorisation

    bool factorise(Precision precision) {
        is_single = precision == Precision::Single;
        if (is_single) {
            if (!single) {
                single.emplace(*factor, CholeskyOptions{.factor_in_float = true});
            }
            if (single->factor(matrix).is_positive_definite) {
                return true;
            }
        }
        // Small pivots of a stiff system drown in single precision: double says whether they are
        // positive.
        is_single = false;
        return factor->factor(matrix).is_positive_definite;
    }

    void solve(std::span<const double> b, std::span<double> y) {
        if (is_single) {
            SparseCholesky::Workspace workspace = single->make_workspace();
            const RefineResult refined =
                solve_refined(*single, matrix, b, 1, y, workspace,
                              {.max_steps = kRefinements, .tolerance = kRefined});
            if (refined.residual <= kBarelyRefined || !factorise(Precision::Double)) {
                return;
            }
        }
        SparseCholesky::Workspace workspace = factor->make_workspace();
        factor->solve(b, 1, y, workspace);
    }

    void number_unknowns(Eigen::Index vertices, const VertexConstraints& constraints) {
        const auto n = static_cast<std::size_t>(vertices);
        basis.assign(n, Mat3::Identity());
        dimension.assign(n, 3);
        offset.assign(n, 0);
        for (const auto& [v, freedom] : constraints.freedoms()) {
            basis[at(v)] = freedom.basis;
            dimension[at(v)] = freedom.dimension;
        }
        for (std::size_t v = 0; v < n; ++v) {
            offset[v] = unknowns;
            unknowns += dimension[v];
        }
    }

    void lay_out(const BlockHessian& pattern) {
        const std::vector<std::vector<Index>> rows = whole_rows(pattern);
        matrix.size = unknowns;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (int r = 0; r < dimension[i]; ++r) {
                for (const Index j : rows[i]) {
                    const auto column = static_cast<std::size_t>(j);
                    for (int c = 0; c < dimension[column]; ++c) {
                        matrix.column.push_back(offset[column] + c);
                    }
                }
                matrix.start.push_back(matrix.entries());
            }
        }
        matrix.value.assign(matrix.column.size(), 0.0);
        place_blocks(pattern, rows);
    }

    void place_blocks(const BlockHessian& pattern, const std::vector<std::vector<Index>>& rows) {
        const auto unknowns_before = [&](std::size_t i, Index j) {
            int sum = 0;
            for (const Index column : rows[i]) {
                if (column == j) {
                    break;
                }
                sum += dimension[at(column)];
            }
            return sum;
        };
        diagonal_before.resize(rows.size());
        before.resize(pattern.columns().size());
        mirrored.resize(pattern.columns().size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            diagonal_before[i] = unknowns_before(i, static_cast<Index>(i));
            for (std::size_t s = pattern.row_start()[i]; s < pattern.row_start()[i + 1]; ++s) {
                const Index j = pattern.columns()[s];
                before[s] = unknowns_before(i, j);
                mirrored[s] = unknowns_before(static_cast<std::size_t>(j), static_cast<Index>(i));
            }
        }
    }

    /// Block (i, j) of the reduced matrix is Q_i^T H_ij Q_j.
    void take_values(const BlockHessian& H) {
        constexpr std::size_t kGrain = 512;
        double* const values = matrix.value.data();
        const std::int64_t* const start = matrix.start.data();
        parallel_for(basis.size(), kGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                for (std::size_t s = H.row_start()[i]; s < H.row_start()[i + 1]; ++s) {
                    const auto j = static_cast<std::size_t>(H.columns()[s]);
                    Mat3 block = H.block(s);
                    if (dimension[i] < 3 || dimension[j] < 3) {
                        block = basis[i].transpose() * block * basis[j];
                    }
                    for (int r = 0; r < dimension[i]; ++r) {
                        for (int c = 0; c < dimension[j]; ++c) {
                            values[start[offset[i] + r] + before[s] + c] = block(r, c);
                            values[start[offset[j] + c] + mirrored[s] + r] = block(r, c);
                        }
                    }
                }
            }
        });
    }

    /// Adds to the diagonal and returns what its mean was before.
    double shift_diagonal(double shift) {
        double sum = 0.0;
        for (std::size_t v = 0; v < basis.size(); ++v) {
            for (int r = 0; r < dimension[v]; ++r) {
                const auto row = static_cast<std::size_t>(offset[v] + r);
                double& entry = matrix.value[at(matrix.start[row] + diagonal_before[v] + r)];
                sum += entry;
                entry += shift;
            }
        }
        return unknowns > 0 ? sum / unknowns : 0.0;
    }
};

ReducedSystem::ReducedSystem(const BlockHessian& pattern, const VertexConstraints& constraints)
    : data_(std::make_unique<Data>()) {
    data_->number_unknowns(pattern.vertices(), constraints);
    data_->lay_out(pattern);
    if (data_->unknowns > 0) {
        data_->factor.emplace(data_->matrix, CholeskyOptions{.store_double = true});
    }
}

ReducedSystem::~ReducedSystem() = default;
ReducedSystem::ReducedSystem(ReducedSystem&&) noexcept = default;
ReducedSystem& ReducedSystem::operator=(ReducedSystem&&) noexcept = default;

Eigen::Index ReducedSystem::unknowns() const {
    return data_->unknowns;
}

double ReducedSystem::mean_diagonal() const {
    return data_->mean_diagonal;
}

bool ReducedSystem::factorise(const BlockHessian& H, double shift, Precision precision) {
    data_->take_values(H);
    data_->mean_diagonal = data_->shift_diagonal(shift);
    return !data_->factor || data_->factorise(precision);
}

Points ReducedSystem::solve(const Points& b) const {
    Eigen::VectorXd rhs(data_->unknowns);
    for (std::size_t v = 0; v < data_->basis.size(); ++v) {
        const int k = data_->dimension[v];
        rhs.segment(data_->offset[v], k) =
            data_->basis[v].leftCols(k).transpose() * point(b, static_cast<Eigen::Index>(v));
    }
    Eigen::VectorXd y = Eigen::VectorXd::Zero(data_->unknowns);
    if (data_->factor) {
        const auto n = static_cast<std::size_t>(data_->unknowns);
        data_->solve({rhs.data(), n}, {y.data(), n});
    }
    Points x(b.rows(), 3);
    for (std::size_t v = 0; v < data_->basis.size(); ++v) {
        const int k = data_->dimension[v];
        x.row(static_cast<Eigen::Index>(v)) =
            (data_->basis[v].leftCols(k) * y.segment(data_->offset[v], k)).transpose();
    }
    return x;
}

}  // namespace sinew
