#include "sinew/base/random.h"
#include "sinew/contact/moving_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sinew {
namespace {

std::vector<Bounds> random_boxes(std::size_t count, double size, Seed seed) {
    Random random(seed);
    std::vector<Bounds> boxes(count);
    for (Bounds& b : boxes) {
        const Vec3 p(random.uniform(), random.uniform(), random.uniform());
        b.add(p);
        b.add(p + size * Vec3(random.uniform(), random.uniform(), random.uniform()));
    }
    return boxes;
}

bool overlap(const Bounds& a, const Bounds& b) {
    return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

void expect_finds_all(const MovingTree& tree, const std::vector<Bounds>& boxes, Seed seed) {
    std::size_t surplus = 0;
    std::size_t total = 0;
    for (const Bounds& query : random_boxes(200, 0.1, seed)) {
        std::vector<Index> found;
        tree.find_overlapping(query, found);
        std::sort(found.begin(), found.end());
        ASSERT_TRUE(std::adjacent_find(found.begin(), found.end()) == found.end());
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const bool is_found =
                std::binary_search(found.begin(), found.end(), static_cast<Index>(i));
            if (overlap(boxes[i], query)) {
                ASSERT_TRUE(is_found) << i;
                ++total;
            } else {
                surplus += is_found ? 1 : 0;
            }
        }
    }
    // Only boxes that touch within single precision are offered too much.
    EXPECT_LE(surplus, total / 100);
}

TEST(MovingTree, FindsWhatTestingAllBoxesFinds) {
    for (const std::size_t count : {1u, 7u, 8u, 9u, 64u, 65u, 700u, 3000u}) {
        const std::vector<Bounds> boxes = random_boxes(count, 0.05, Seed{count});
        const MovingTree tree(boxes);
        EXPECT_EQ(tree.size(), count);
        expect_finds_all(tree, boxes, Seed{11});
    }
}

TEST(MovingTree, FollowsBoxesHoweverFarTheyMove) {
    MovingTree tree(random_boxes(2000, 0.05, Seed{1}));
    for (std::uint64_t frame = 0; frame < 4; ++frame) {
        const std::vector<Bounds> moved = random_boxes(2000, 0.05, Seed{100 + frame});
        tree.refit(moved);
        expect_finds_all(tree, moved, Seed{12 + frame});
    }
}

TEST(MovingTree, FollowsAFewBoxesAsItFollowsAll) {
    std::vector<Bounds> boxes = random_boxes(2000, 0.05, Seed{1});
    MovingTree tree(boxes);
    for (std::uint64_t round = 0; round < 3; ++round) {
        const std::vector<Bounds> elsewhere = random_boxes(2000, 0.05, Seed{200 + round});
        std::vector<Index> moved;
        for (Index i = static_cast<Index>(round); i < 2000; i += 37) {
            boxes[static_cast<std::size_t>(i)] = elsewhere[static_cast<std::size_t>(i)];
            moved.push_back(i);
        }
        tree.refit(boxes, moved);
        expect_finds_all(tree, boxes, Seed{22 + round});
    }
}

// Single precision is coarser far from the origin, and at zero there is no last digit.
TEST(MovingTree, BoxesThatAreOnePlaceAreFoundAtAnyPlace) {
    for (const double x : {0.0, 1e-42, 1e-30, 0.1, -1.0 / 3.0, 12345.678, -1e7 / 3.0}) {
        const Bounds box{.low = Vec3::Constant(x), .high = Vec3::Constant(x)};
        const MovingTree tree{std::span<const Bounds>(&box, 1)};
        std::vector<Index> found;
        tree.find_overlapping(box, found);
        EXPECT_EQ(found.size(), 1u) << x;
    }
}

TEST(MovingTree, AnEmptyTreeFindsNothing) {
    const MovingTree tree{std::span<const Bounds>()};
    std::vector<Index> found;
    tree.find_overlapping({.low = -Vec3::Ones(), .high = Vec3::Ones()}, found);
    EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace sinew
