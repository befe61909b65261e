#pragma once

#include "sinew/base/progress.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "studio/server/monitor.h"

namespace sinew::studio {

class Verbs;
class Views;

/// What a worker does of its own accord when nothing is posted to it.
struct Duty {
    /// When it is to be done next; nothing: not as things are. Called under the lock.
    std::function<std::optional<Clock::time_point>(const Lock&)> due;
    /// On the worker's thread, without the lock.
    std::function<void()> work;
};

/// A thread that works, one thing at a time, and tells the pages how far it is.
///
/// Any thread may call the functions that take the lock. begin() and end() belong to the worker's
/// own thread. Duties are added before start().
class Worker {
public:
    /// Jobs in the foreground have numbers from 1 and are announced; those in the background are
    /// job 0, and end silently where they do nothing.
    enum class Kind { Foreground, Background };

    Worker(Monitor& monitor, Views& views, Kind kind)
        : monitor_(monitor), views_(views), kind_(kind) {}

    /// Those added first come first.
    void add_duty(Duty duty) {
        duties_.push_back(std::move(duty));
    }
    void start();
    /// Once the monitor has been stopped.
    void join();

    /// To be done before all duties, in order. What it throws is told to all pages.
    void post(const Lock& lock, std::function<void()> task);
    /// A newer wish came: cancels the running job if that job can be superseded.
    void overtake(const Lock& lock);
    /// Cancels the running job, whatever it is.
    void cancel(const Lock& lock);
    /// A job runs that overtake() would end.
    bool is_overtakable(const Lock&) const {
        return running_.has_value() && is_overtakable_;
    }
    int job(const Lock&) const {  ///< the last that was begun
        return job_;
    }

    /// @param is_overtakable  by a newer wish; what prepares is not
    Progress begin(const std::string& what, bool is_overtakable = false);
    void end();

private:
    void work();
    std::function<void()> next_task();

    Monitor& monitor_;
    Views& views_;
    const Kind kind_;
    std::vector<Duty> duties_ = {};
    std::thread thread_ = {};
    // Under the lock.
    std::deque<std::function<void()>> tasks_ = {};
    std::optional<Progress> running_ = {};
    bool is_overtakable_ = false;
    std::string what_ = {};
    int job_ = 0;
};

/// The studio's two workers: the quick one does what is asked for and follows sliders and motions,
/// the fine one refines when all is at rest.
class Jobs {
public:
    Jobs(Monitor& monitor, Views& views)
        : monitor_(monitor),
          quick_(monitor, views, Worker::Kind::Foreground),
          fine_(monitor, views, Worker::Kind::Background) {}

    Worker& quick() {
        return quick_;
    }
    Worker& fine() {
        return fine_;
    }
    void overtake(const Lock& lock);
    void start(bool has_fine);
    /// Cancels what runs and waits for both threads; nothing is done afterwards.
    void stop();

    void add_verbs(Verbs& verbs);  ///< cancel

private:
    Monitor& monitor_;
    Worker quick_;
    Worker fine_;
};

}  // namespace sinew::studio
