#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace sinew::studio {

using Clock = std::chrono::steady_clock;

/// Proof that the caller holds the studio's lock. Functions of the parts that take one neither lock
/// nor wait; functions that take none lock by themselves and must be called without it.
using Lock = std::unique_lock<std::mutex>;

/// The one lock of the studio and what wakes its threads. All fields that more than one thread sees
/// are read and written under it, whichever part they belong to, so that what a page is told about
/// several parts holds at one moment. Any thread may call any function.
class Monitor {
public:
    [[nodiscard]] Lock lock() {
        return Lock(mutex_);
    }
    /// Something has changed that a thread may wait for.
    void notify() {
        wake_.notify_all();
    }

    /// Until something has changed, or for no reason: the caller looks again.
    void wait(Lock& lock) {
        wake_.wait(lock);
    }
    void wait_until(Lock& lock, Clock::time_point end) {
        wake_.wait_until(lock, end);
    }

    /// The studio ends: whoever waits returns, and what runs is cancelled.
    void stop(const Lock&) {
        is_stopping_ = true;
    }
    bool is_stopping(const Lock&) const {
        return is_stopping_;
    }

private:
    std::mutex mutex_ = {};
    std::condition_variable wake_ = {};
    bool is_stopping_ = false;
};

}  // namespace sinew::studio
