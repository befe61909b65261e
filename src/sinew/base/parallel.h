#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinew {

/// Limits the worker threads of Sinew (and of the libraries that share its scheduler) while it
/// lives. Results never depend on the number: work is split by its size and reduced in a fixed
/// order.
class ThreadLimit {
public:
    /// @param threads  >= 1; 0 means all cores
    explicit ThreadLimit(int threads);
    ~ThreadLimit();
    ThreadLimit(const ThreadLimit&) = delete;
    ThreadLimit& operator=(const ThreadLimit&) = delete;

private:
    struct Control;
    std::unique_ptr<Control> control_;
};

/// Threads that a parallel loop may use now.
int thread_count();

namespace detail {
/// Calls `body(context, chunk)` for every chunk in [0, chunks), in parallel.
void run_chunks(std::size_t chunks, void (*body)(void*, std::size_t), void* context);
}  // namespace detail

/// Calls body(begin, end) on consecutive pieces of [0, n) of `grain` elements each (the last may be
/// shorter), in parallel. An exception in the body reaches the caller.
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, Body&& body) {
    if (n == 0) {
        return;
    }
    const std::size_t size = grain == 0 ? 1 : grain;
    const std::size_t chunks = (n + size - 1) / size;
    if (chunks == 1) {
        body(std::size_t{0}, n);
        return;
    }
    auto call = [&](std::size_t chunk) {
        const std::size_t begin = chunk * size;
        body(begin, begin + size < n ? begin + size : n);
    };
    using Call = decltype(call);
    detail::run_chunks(
        chunks, [](void* context, std::size_t chunk) { (*static_cast<Call*>(context))(chunk); },
        &call);
}

/// Folds map(begin, end) over the pieces of [0, n), left to right: the same bits on any number of
/// threads.
template <class T, class Map, class Fold>
T parallel_reduce(std::size_t n, std::size_t grain, T start, Map&& map, Fold&& fold) {
    const std::size_t size = grain == 0 ? 1 : grain;
    const std::size_t chunks = (n + size - 1) / size;
    std::vector<T> part(chunks, start);
    parallel_for(n, size,
                 [&](std::size_t begin, std::size_t end) { part[begin / size] = map(begin, end); });
    T result = std::move(start);
    for (T& p : part) {
        result = fold(std::move(result), std::move(p));
    }
    return result;
}

}  // namespace sinew
