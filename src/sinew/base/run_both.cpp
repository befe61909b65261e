#include "sinew/base/run_both.h"

#include "sinew/base/parallel.h"

#include <tbb/task_group.h>

#include <exception>

namespace sinew {

void run_both(const std::function<void()>& first, const std::function<void()>& second) {
    if (thread_count() == 1) {
        first();
        second();
        return;
    }
    // Caught one by one: the scheduler would cancel the other half's loops and keep any of the two.
    std::exception_ptr of_first, of_second;
    const auto guarded = [](const std::function<void()>& work, std::exception_ptr& error) {
        try {
            work();
        } catch (...) {
            error = std::current_exception();
        }
    };
    tbb::task_group beside;
    beside.run([&] { guarded(second, of_second); });
    guarded(first, of_first);
    beside.wait();
    if (of_first || of_second) {
        std::rethrow_exception(of_first ? of_first : of_second);
    }
}

}  // namespace sinew
