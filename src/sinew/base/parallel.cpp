#include "sinew/base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace sinew {

struct ThreadLimit::Control {
    explicit Control(std::size_t threads)
        : limit(tbb::global_control::max_allowed_parallelism, threads) {}
    tbb::global_control limit;
};

ThreadLimit::ThreadLimit(int threads) {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    control_ = std::make_unique<Control>(threads > 0 ? static_cast<std::size_t>(threads) : cores);
}

ThreadLimit::~ThreadLimit() = default;

int thread_count() {
    const auto allowed =
        tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    return static_cast<int>(std::min<std::size_t>(
        allowed, static_cast<std::size_t>(tbb::this_task_arena::max_concurrency())));
}

void detail::run_chunks(std::size_t chunks, void (*body)(void*, std::size_t), void* context) {
    if (thread_count() == 1) {
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
            body(context, chunk);
        }
        return;
    }
    // The task library never sees an exception: it would cancel all loops that run inside this one,
    // ours and Embree's, which return half done without a word, and their results would be read.
    std::atomic<bool> has_failed = false;
    std::mutex lock;
    std::exception_ptr failure;
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, chunks, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t chunk = range.begin(); chunk != range.end() && !has_failed; ++chunk) {
                try {
                    body(context, chunk);
                } catch (...) {
                    const std::scoped_lock held(lock);
                    failure = failure ? failure : std::current_exception();
                    has_failed = true;
                }
            }
        },
        tbb::auto_partitioner());
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace sinew
