#include "sinew/base/parallel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace sinew {

namespace {

double awkward_sum(int threads) {
    const ThreadLimit limit(threads);
    return parallel_reduce(
        100'000, 777, 0.0,
        [](std::size_t begin, std::size_t end) {
            double s = 0.0;
            for (std::size_t i = begin; i < end; ++i) {
                s += std::sin(static_cast<double>(i)) / static_cast<double>(i + 1);
            }
            return s;
        },
        [](double a, double b) { return a + b; });
}

}  // namespace

TEST(Parallel, EveryElementIsVisitedOnce) {
    std::vector<int> visits(10'007, 0);
    parallel_for(visits.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            ++visits[i];
        }
    });
    EXPECT_EQ(visits, std::vector<int>(10'007, 1));
}

TEST(Parallel, SumsHaveTheSameBitsOnAnyNumberOfThreads) {
    EXPECT_EQ(awkward_sum(1), awkward_sum(2));
    EXPECT_EQ(awkward_sum(1), awkward_sum(0));
}

TEST(Parallel, ExceptionsReachTheCaller) {
    EXPECT_THROW(parallel_for(1000, 1,
                              [](std::size_t begin, std::size_t) {
                                  if (begin == 500) {
                                      throw std::runtime_error("stop");
                                  }
                              }),
                 std::runtime_error);
}

TEST(Parallel, EmptyLoopsDoNothing) {
    parallel_for(0, 8, [](std::size_t, std::size_t) { FAIL(); });
}

}  // namespace sinew
