#include "sinew/energy/block_hessian.h"

#include "sinew/base/error.h"

#include <algorithm>

namespace sinew {

BlockPattern::BlockPattern(Eigen::Index vertices) : vertices_(vertices) {}

void BlockPattern::couple(std::span<const Index> vertices) {
    for (const Index i : vertices) {
        for (const Index j : vertices) {
            if (i > j) {
                pairs_.push_back(static_cast<std::uint64_t>(i) << 32 |
                                 static_cast<std::uint64_t>(j));
            }
        }
    }
}

std::vector<std::uint64_t> BlockPattern::sorted_pairs() const {
    std::vector<std::uint64_t> pairs = pairs_;
    pairs.reserve(pairs.size() + static_cast<std::size_t>(vertices_));
    for (Eigen::Index v = 0; v < vertices_; ++v) {
        pairs.push_back(static_cast<std::uint64_t>(v) << 32 | static_cast<std::uint64_t>(v));
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

BlockHessian::BlockHessian(const BlockPattern& pattern) {
    const std::vector<std::uint64_t> pairs = pattern.sorted_pairs();
    row_start_.assign(static_cast<std::size_t>(pattern.vertices()) + 1, 0);
    columns_.reserve(pairs.size());
    for (const std::uint64_t pair : pairs) {
        ++row_start_[static_cast<std::size_t>(pair >> 32) + 1];
        columns_.push_back(static_cast<Index>(pair & 0xffffffffU));
    }
    for (std::size_t i = 1; i < row_start_.size(); ++i) {
        row_start_[i] += row_start_[i - 1];
    }
    values_.assign(9 * columns_.size(), 0.0);
}

void BlockHessian::set_zero() {
    std::fill(values_.begin(), values_.end(), 0.0);
}

std::size_t BlockHessian::slot(Index i, Index j) const {
    const auto row = static_cast<std::size_t>(i);
    const auto begin = columns_.begin() + static_cast<std::ptrdiff_t>(row_start_[row]);
    const auto end = columns_.begin() + static_cast<std::ptrdiff_t>(row_start_[row + 1]);
    const auto found = std::lower_bound(begin, end, j);
    SINEW_ASSERT(found != end && *found == j, "block ({}, {}) is not part of the pattern", i, j);
    return static_cast<std::size_t>(found - columns_.begin());
}

void BlockHessian::add(Index i, Index j, const Mat3& value) {
    if (i >= j) {
        block(slot(i, j)) += value;
    } else {
        block(slot(j, i)) += value.transpose();
    }
}

Points BlockHessian::times(const Points& x) const {
    Points y = Points::Zero(x.rows(), 3);
    for (Eigen::Index i = 0; i < vertices(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        for (std::size_t s = row_start_[row]; s < row_start_[row + 1]; ++s) {
            const Index j = columns_[s];
            y.row(i) += x.row(j) * block(s).transpose();
            if (j != i) {
                y.row(j) += x.row(i) * block(s);
            }
        }
    }
    return y;
}

}  // namespace sinew
