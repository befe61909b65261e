#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

/// Entries of a symmetric matrix in the order in which they are added. An entry off the diagonal is
/// given once and stands for both of its positions; entries at the same one add up.
class Triplets {
public:
    explicit Triplets(int size) : size_(size) {}

    /// Adds `value` at (i, j) and, where i != j, at (j, i).
    void add(int i, int j, double value) {
        rows_.push_back(i);
        columns_.push_back(j);
        values_.push_back(value);
    }

    /// Adds weight * q q^T on the unknowns `index`. An index may appear more than once.
    void add_outer(std::span<const int> index, std::span<const double> q, double weight);

    void clear();

    int size() const {
        return size_;
    }
    std::span<const int> rows() const {
        return rows_;
    }
    std::span<const int> columns() const {
        return columns_;
    }
    std::span<const double> values() const {
        return values_;
    }

private:
    int size_;
    std::vector<int> rows_;
    std::vector<int> columns_;
    std::vector<double> values_;
};

/// A symmetric matrix by rows (equally, by columns), both triangles stored, column numbers
/// ascending in each row: entries of row i are [start[i], start[i + 1]).
struct SparseSymmetric {
    int size = 0;
    std::vector<std::int64_t> start = {0};
    std::vector<int> column = {};
    std::vector<double> value = {};

    std::int64_t entries() const {
        return static_cast<std::int64_t>(column.size());
    }
};

/// Sums triplets into a matrix and remembers where each went, so that new values on the same
/// entries cost one pass. Values of one entry are summed in the order in which they were added.
class SparseAssembly {
public:
    /// Every diagonal entry exists, zero where no triplet names it.
    /// @throws InputError when an index lies outside [0, size)
    explicit SparseAssembly(const Triplets& triplets);

    /// Same entries in the same order, other values.
    /// @throws InputError when the number of triplets differs
    void refill(const Triplets& triplets);

    const SparseSymmetric& matrix() const {
        return matrix_;
    }

private:
    SparseSymmetric matrix_;
    std::vector<std::int64_t> slot_;    // of triplet k at (i, j)
    std::vector<std::int64_t> mirror_;  // of triplet k at (j, i); -1 on the diagonal
};

SparseSymmetric assemble(const Triplets& triplets);

/// y = A x for `columns` interleaved right-hand sides (1 or 3): x and y are size x columns,
/// row-major. In parallel over rows, the same bits for any thread count.
void multiply(const SparseSymmetric& A, std::span<const double> x, int columns,
              std::span<double> y);

/// The rows and columns of A that `keep` lists (ascending), renumbered in that order.
SparseSymmetric submatrix(const SparseSymmetric& A, std::span<const int> keep);

}  // namespace sinew
