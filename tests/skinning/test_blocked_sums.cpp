#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/skinning/blocked_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace sinew {
namespace {

Points random_points(Eigen::Index count, Seed seed) {
    Random random(seed);
    Points points(count, 3);
    for (Eigen::Index i = 0; i < points.size(); ++i) {
        points.data()[i] = random.uniform(-1.0, 1.0);
    }
    return points;
}

// Sums of 7 of 60 rows each, with weights of both signs that add up to 1.
struct Example {
    explicit Example(Eigen::Index sums) : places(random_points(sums, Seed{2})) {
        Random random(Seed{3});
        for (Eigen::Index j = 0; j < sums; ++j) {
            float sum = 0.0f;
            for (std::size_t i = 0; i < kCount; ++i) {
                index.push_back(static_cast<Index>((7 * j + 11 * static_cast<Index>(i)) % 60));
                weight.push_back(static_cast<float>(random.uniform(-0.3, 1.0)));
                sum += weight.back();
            }
            for (std::size_t i = 0; i < kCount; ++i) {
                weight[weight.size() - 1 - i] /= sum;
            }
        }
    }
    BlockedSums blocked() const {
        return {index, weight, kCount, ordered_in_blocks(places)};
    }

    static constexpr std::size_t kCount = 7;
    Points rows = random_points(60, Seed{1});
    Points places;
    std::vector<Index> index = {};
    std::vector<float> weight = {};
};

TEST(BlockedSums, AreThoseOfOneVertexAtATime) {
    for (const Eigen::Index sums : {1, 7, 8, 9, 500}) {
        const Example example(sums);
        Points found = Points::Constant(sums, 3, -7.0);
        example.blocked().apply(example.rows, found);
        for (std::size_t j = 0; j < at(sums); ++j) {
            Vec3 expected = Vec3::Zero();
            double largest = 0.0;
            double all = 0.0;
            for (std::size_t i = 7 * j; i < 7 * j + 7; ++i) {
                expected +=
                    static_cast<double>(example.weight[i]) * point(example.rows, example.index[i]);
                largest = std::max(largest, std::abs(static_cast<double>(example.weight[i])));
                all += std::abs(static_cast<double>(example.weight[i]));
            }
            // Seven weights, each rounded by at most 1/65534 of the largest, of rows below 1; then
            // all are scaled by what their sum, 1, has lost by that.
            EXPECT_LT((point(found, static_cast<Eigen::Index>(j)) - expected).cwiseAbs().maxCoeff(),
                      7.0 / 65534.0 * largest * (1.0 + all) + 1e-6);
        }
    }
    Points none(0, 3);
    Example(0).blocked().apply(random_points(60, Seed{1}), none);
    EXPECT_EQ(none.rows(), 0);
}

TEST(BlockedSums, FollowRowsThatAllMoveAlike) {
    const Example example(100);
    const BlockedSums blocked = example.blocked();
    Points before(100, 3);
    Points after(100, 3);
    blocked.apply(example.rows, before);
    const Eigen::RowVector3d way(2.0, -1.0, 0.5);
    blocked.apply(example.rows.rowwise() + way, after);
    EXPECT_LT((after - (before.rowwise() + way)).cwiseAbs().maxCoeff(), 5e-6);
}

TEST(BlockedSums, EveryVertexIsInOneBlockNearTheOthers) {
    const Points places = random_points(1000, Seed{5});
    std::vector<Index> order = ordered_in_blocks(places);
    double spread = 0.0;
    for (std::size_t b = 0; b < 125; ++b) {
        Vec3 low = point(places, order[8 * b]);
        Vec3 high = low;
        for (std::size_t i = 8 * b; i < 8 * b + 8; ++i) {
            low = low.cwiseMin(point(places, order[i]));
            high = high.cwiseMax(point(places, order[i]));
        }
        spread += (high - low).maxCoeff() / 125.0;
    }
    // 125 blocks in a cube of side 2: each about 0.4 wide.
    EXPECT_LT(spread, 0.6);
    std::sort(order.begin(), order.end());
    std::vector<Index> all(1000);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all);
}

TEST(BlockedSums, AreTheSameOnAnyNumberOfThreads) {
    const Example example(5000);
    const BlockedSums blocked = example.blocked();
    Points one(5000, 3);
    Points two(5000, 3);
    {
        const ThreadLimit limit(1);
        blocked.apply(example.rows, one);
    }
    blocked.apply(example.rows, two);
    EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace sinew
