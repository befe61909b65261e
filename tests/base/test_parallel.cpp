#include "sinew/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>
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

// A loop that one element has failed ends soon, but what runs inside it is whole until then: nobody
// may read results of an inner loop that were never made.
TEST(Parallel, LoopsInsideALoopThatHasFailedAreWhole) {
    std::atomic<bool> has_failed = false;
    std::atomic<int> halves = 0;
    EXPECT_THROW(parallel_for(2, 1,
                              [&](std::size_t begin, std::size_t) {
                                  if (begin == 1) {
                                      has_failed = true;
                                      throw std::runtime_error("stop");
                                  }
                                  while (!has_failed && thread_count() > 1) {
                                      std::this_thread::yield();
                                  }
                                  std::this_thread::sleep_for(std::chrono::milliseconds(50));
                                  std::vector<int> visits(1000, 0);
                                  parallel_for(visits.size(), 1,
                                               [&](std::size_t i, std::size_t) { visits[i] = 1; });
                                  halves += visits != std::vector<int>(1000, 1);
                              }),
                 std::runtime_error);
    EXPECT_EQ(halves, 0);
}

TEST(Parallel, EmptyLoopsDoNothing) {
    parallel_for(0, 8, [](std::size_t, std::size_t) { FAIL(); });
}

}  // namespace sinew
