#include "sinew/skinning/blocked_sums.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

// Sums of weighted rows, eight results at a time. Neighbouring results share most of their rows, so
// results are ordered in space (a k-d split into blocks of eight), each row of a block is read
// once, and the eight weights that go with it lie side by side for one vector instruction. Weights
// are rounded to 16 bits with a scale per sum such that each sum of weights is exact up to rounding
// of that scale: what is translated stays in shape.

namespace sinew {
namespace {

constexpr std::size_t kBlock = BlockedSums::kBlock;
constexpr std::size_t kBlocksPerPiece = 32;
constexpr std::size_t kAhead = 2;            // blocks whose sums are asked for in time
constexpr std::size_t kWeightsAhead = 1024;  // weights that are, past the end of a page
constexpr float kLargestWeight = std::numeric_limits<std::int16_t>::max();

typedef float EightSums __attribute__((vector_size(kBlock * sizeof(float))));
typedef std::int16_t EightWeights __attribute__((vector_size(kBlock * sizeof(std::int16_t))));

// Halves a set of points across its longest side, in whole blocks, until a block is left.
void order_part(const Points& places, std::span<Index> part) {
    if (part.size() <= kBlock) {
        return;
    }
    Vec3 low = point(places, part[0]);
    Vec3 high = low;
    for (const Index i : part) {
        low = low.cwiseMin(point(places, i));
        high = high.cwiseMax(point(places, i));
    }
    int axis = 0;
    (high - low).maxCoeff(&axis);
    const std::size_t blocks = (part.size() + kBlock - 1) / kBlock;
    const std::size_t middle = blocks / 2 * kBlock;
    std::nth_element(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(middle), part.end(),
                     [&](Index a, Index b) {
                         return std::pair(places(a, axis), a) < std::pair(places(b, axis), b);
                     });
    order_part(places, part.first(middle));
    order_part(places, part.subspan(middle));
}

// The weights of one sum in 16 bits, and the scale with which their sum is that of the weights.
float rounded(std::span<const float> weight, std::vector<std::int16_t>& out) {
    float largest = 0.0f;
    float sum = 0.0f;
    for (const float w : weight) {
        SINEW_ASSERT(std::isfinite(w), "weight {}", w);
        largest = std::max(largest, std::abs(w));
        sum += w;
    }
    out.assign(weight.size(), 0);
    if (largest == 0.0f) {
        return 0.0f;
    }
    int whole = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        out[i] = static_cast<std::int16_t>(std::lround(kLargestWeight * (weight[i] / largest)));
        whole += out[i];
    }
    const float scale = largest / kLargestWeight;
    // A sum that is small against the weights has no scale that is good for both.
    return std::abs(sum) > 0.01f * largest ? sum / static_cast<float>(whole) : scale;
}

}  // namespace

std::vector<Index> ordered_in_blocks(const Points& places) {
    std::vector<Index> order(at(places.rows()));
    std::iota(order.begin(), order.end(), 0);
    order_part(places, order);
    return order;
}

BlockedSums::BlockedSums(std::span<const Index> index, std::span<const float> weight,
                         std::size_t count, std::span<const Index> order)
    : order_(order.begin(), order.end()) {
    SINEW_ASSERT(index.size() == weight.size() && index.size() == count * order.size(),
                 "{} rows and {} weights for {} sums", index.size(), weight.size(), order.size());
    const std::size_t blocks = (order.size() + kBlock - 1) / kBlock;
    scale_.assign(kBlock * blocks, 0.0f);
    std::vector<Index> rows;
    std::vector<std::int16_t> numbers;
    for (std::size_t b = 0; b < blocks; ++b) {
        const auto sums = order.subspan(kBlock * b, std::min(kBlock, order.size() - kBlock * b));
        rows.clear();
        for (const Index j : sums) {
            const auto own = index.subspan(count * at(j), count);
            rows.insert(rows.end(), own.begin(), own.end());
        }
        std::sort(rows.begin(), rows.end());
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        const std::size_t first = row_.size();
        row_.insert(row_.end(), rows.begin(), rows.end());
        if (rows.size() % 2 != 0) {
            row_.push_back(rows.back());  // rows are taken in pairs; this one has no weight
        }
        begin_.push_back(static_cast<std::uint32_t>(row_.size()));
        weight_.resize(kBlock * row_.size(), 0);
        for (std::size_t lane = 0; lane < sums.size(); ++lane) {
            const std::size_t from = count * at(sums[lane]);
            scale_[kBlock * b + lane] = rounded(weight.subspan(from, count), numbers);
            for (std::size_t i = 0; i < count; ++i) {
                const auto place = std::lower_bound(rows.begin(), rows.end(), index[from + i]);
                const auto row = first + static_cast<std::size_t>(place - rows.begin());
                std::int16_t& w = weight_[kBlock * row + lane];
                w = static_cast<std::int16_t>(w + numbers[i]);
            }
        }
    }
}

void BlockedSums::apply(const Points& rows, Points& sums) const {
    SINEW_ASSERT(at(sums.rows()) == order_.size(), "{} rows for {} sums", sums.rows(),
                 order_.size());
    const Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> single = rows.cast<float>();
    parallel_for(begin_.size() - 1, kBlocksPerPiece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            // What the next blocks write is asked for in time.
            for (std::size_t j = kBlock * (b + kAhead);
                 j < std::min(kBlock * (b + kAhead + 1), order_.size()); ++j) {
                __builtin_prefetch(sums.row(order_[j]).data(), 1);
            }
            // Two sets of sums that need not wait for each other.
            EightSums sum[2][3] = {};
            for (std::size_t i = begin_[b]; i < begin_[b + 1]; i += 2) {
                __builtin_prefetch(&weight_[kBlock * i] + kWeightsAhead);
                for (std::size_t k = 0; k < 2; ++k) {
                    EightWeights number;
                    std::memcpy(&number, &weight_[kBlock * (i + k)], sizeof number);
                    const EightSums w = __builtin_convertvector(number, EightSums);
                    const float* row = single.data() + 3 * row_[i + k];
                    for (int axis = 0; axis < 3; ++axis) {
                        sum[k][axis] += w * row[axis];
                    }
                }
            }
            EightSums scale;
            std::memcpy(&scale, &scale_[kBlock * b], sizeof scale);
            float scaled[3][kBlock];
            for (int axis = 0; axis < 3; ++axis) {
                const EightSums all = (sum[0][axis] + sum[1][axis]) * scale;
                std::memcpy(scaled[axis], &all, sizeof all);
            }
            const std::size_t filled = std::min(kBlock, order_.size() - kBlock * b);
            for (std::size_t lane = 0; lane < filled; ++lane) {
                double* to = sums.row(order_[kBlock * b + lane]).data();
                for (int axis = 0; axis < 3; ++axis) {
                    to[axis] = static_cast<double>(scaled[axis][lane]);
                }
            }
        }
    });
}

}  // namespace sinew
