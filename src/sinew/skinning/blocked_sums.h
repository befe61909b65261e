#pragma once

#include "sinew/mesh/arrays.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

/// Numbers 0 .. n-1 of points, ordered so that each `BlockedSums::kBlock` that follow each other
/// are near each other.
std::vector<Index> ordered_in_blocks(const Points& places);

/// Weighted sums of rows, sum_j = sum_i w_ij row_i, many at a time. What is read bounds the speed:
/// vertices that are near each other need nearly the same rows, so eight of them share one list of
/// all that any needs, and their weights are 16 bits wide. A weight is rounded by at most 1/65534
/// of the vertex's largest; then all are scaled so that their sum stays what it is, and rows which
/// all move alike take their sums along.
class BlockedSums {
public:
    static constexpr std::size_t kBlock = 8;

    BlockedSums() = default;
    /// @param index   `count` rows per sum
    /// @param weight  of these, finite
    /// @param order   of the sums, as `ordered_in_blocks` gives it
    BlockedSums(std::span<const Index> index, std::span<const float> weight, std::size_t count,
                std::span<const Index> order);

    /// In parallel; `sums` has a row per sum and is written once.
    void apply(const Points& rows, Points& sums) const;

private:
    std::vector<Index> order_ = {};           // eight sums per block; the last may have fewer
    std::vector<std::uint32_t> begin_ = {0};  // of each block's rows
    std::vector<Index> row_ = {};
    std::vector<std::int16_t> weight_ = {};  // eight per row
    std::vector<float> scale_ = {};          // of weights, eight per block
};

}  // namespace sinew
