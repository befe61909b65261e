#pragma once

#include "sinew/mesh/arrays.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

/// Collects which vertices influence each other, before any number is known.
class BlockPattern {
public:
    explicit BlockPattern(Eigen::Index vertices);

    /// Every vertex of the list is coupled to every other and to itself.
    void couple(std::span<const Index> vertices);

    Eigen::Index vertices() const {
        return vertices_;
    }
    /// Coupled pairs (row << 32 | column) with row >= column, sorted, each once; the diagonal is
    /// always part of it.
    std::vector<std::uint64_t> sorted_pairs() const;

private:
    Eigen::Index vertices_;
    std::vector<std::uint64_t> pairs_;
};

/// Symmetric matrix of 3x3 blocks, one block row per vertex: block (i, j) is d2E / dx_i dx_j.
/// Blocks with i >= j are stored, row by row with ascending columns. The pattern never changes, so
/// that the symbolic part of a factorisation can be kept.
class BlockHessian {
public:
    explicit BlockHessian(const BlockPattern& pattern);

    void set_zero();

    /// Where block (i, j), i >= j, is stored. The pair must be part of the pattern.
    std::size_t slot(Index i, Index j) const;
    /// The block in that slot.
    Eigen::Map<Mat3> block(std::size_t slot) {
        return Eigen::Map<Mat3>(values_.data() + 9 * slot);
    }
    Eigen::Map<const Mat3> block(std::size_t slot) const {
        return Eigen::Map<const Mat3>(values_.data() + 9 * slot);
    }
    /// Adds to block (i, j), whichever of its two halves is stored.
    void add(Index i, Index j, const Mat3& value);

    Eigen::Index vertices() const {
        return static_cast<Eigen::Index>(row_start_.size()) - 1;
    }
    /// Slots of block row i are row_start()[i] .. row_start()[i + 1]; columns()[slot] names the
    /// column.
    std::span<const std::size_t> row_start() const {
        return row_start_;
    }
    std::span<const Index> columns() const {
        return columns_;
    }

    /// y = H x for all three coordinates.
    Points times(const Points& x) const;

private:
    std::vector<std::size_t> row_start_;
    std::vector<Index> columns_;
    std::vector<double> values_;
};

}  // namespace sinew
