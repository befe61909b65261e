#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/run_both.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace sinew {
namespace {

TEST(RunBoth, DoesBothWithAnyNumberOfThreads) {
    for (const int threads : {1, 2, 0}) {
        const ThreadLimit limit(threads);
        std::atomic<int> sum = 0;
        const auto add = [&](int step) {
            parallel_for(1000, 7, [&](std::size_t begin, std::size_t end) {
                sum += step * static_cast<int>(end - begin);
            });
        };
        run_both([&] { add(1); }, [&] { add(1000); });
        EXPECT_EQ(sum, 1001000);
    }
}

// The first waits for a sign of the second: one after the other would never end.
TEST(RunBoth, DoesThemAtTheSameTimeWhereTwoThreadsAreAllowed) {
    const ThreadLimit limit(2);
    std::atomic<bool> has_begun = false;
    bool was_seen = false;
    run_both(
        [&] {
            for (int i = 0; i < 10000 && !was_seen; ++i) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                was_seen = has_begun;
            }
        },
        [&] { has_begun = true; });
    EXPECT_TRUE(was_seen || std::thread::hardware_concurrency() < 2);  // one core has no second
}

TEST(RunBoth, ThrowsWhatTheFirstThrewOnceTheOtherIsDone) {
    const ThreadLimit limit(2);
    std::atomic<int> done = 0;
    const auto slow = [&] {
        parallel_for(50, 1, [&](std::size_t, std::size_t) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            ++done;
        });
    };
    EXPECT_THROW(run_both([] { throw std::logic_error("first"); },
                          [&] {
                              slow();
                              throw Cancelled();
                          }),
                 std::logic_error);
    EXPECT_THROW(run_both(slow, [] { throw Cancelled(); }), Cancelled);
    EXPECT_GE(done, 50);
}

}  // namespace
}  // namespace sinew
