#include "studio/server/jobs.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "studio/server/job_events.h"
#include "studio/server/verbs.h"
#include "studio/server/views.h"

namespace sinew::studio {

void Worker::start() {
    thread_ = std::thread([this] { work(); });
}

void Worker::join() {
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Worker::post(const Lock&, std::function<void()> task) {
    tasks_.push_back(std::move(task));
    monitor_.notify();
}

void Worker::overtake(const Lock& lock) {
    if (is_overtakable(lock)) {
        running_->cancel();
    }
}

void Worker::cancel(const Lock&) {
    if (running_) {
        running_->cancel();
    }
}

Progress Worker::begin(const std::string& what, bool is_overtakable) {
    const Lock lock = monitor_.lock();
    const bool is_foreground = kind_ == Kind::Foreground;
    is_overtakable_ = is_overtakable;
    what_ = what;
    job_ += is_foreground ? 1 : 0;
    const auto send_event = [this, job = job_, what, is_foreground](const JobEvent& event) {
        // Stages of a solve repeat themselves: only of what is read and made there is a fraction.
        const auto or_null = [&](const std::optional<double>& value) {
            return value && event.what != "local/global" ? Json(*value) : Json(nullptr);
        };
        const Lock inner = monitor_.lock();
        views_.broadcast_progress(inner, job, what, or_null(event.fraction),
                                  is_foreground ? or_null(event.seconds_left) : Json(nullptr),
                                  false);
    };
    running_.emplace(std::make_shared<JobEvents>(send_event, [](std::string_view) {}));
    if (monitor_.is_stopping(lock)) {
        running_->cancel();
    }
    if (is_foreground && !is_overtakable) {  // those take a while, and not all count their steps
        views_.broadcast_progress(lock, job_, what, nullptr, nullptr, false);
    }
    return *running_;
}

void Worker::end() {
    const Lock lock = monitor_.lock();
    if (running_) {
        running_.reset();
        views_.broadcast_progress(lock, job_, what_, 1.0, 0.0, true);
    }
}

// What to do now, waited for; nothing when the studio ends.
std::function<void()> Worker::next_task() {
    Lock lock = monitor_.lock();
    for (;;) {
        if (monitor_.is_stopping(lock)) {
            return {};
        }
        if (!tasks_.empty()) {
            std::function<void()> task = std::move(tasks_.front());
            tasks_.pop_front();
            return task;
        }
        std::optional<Clock::time_point> soonest;
        for (const Duty& duty : duties_) {
            const std::optional<Clock::time_point> due = duty.due(lock);
            if (due && *due <= Clock::now()) {
                return duty.work;
            }
            soonest = due && soonest ? std::min(*due, *soonest) : due ? due : soonest;
        }
        if (soonest) {
            monitor_.wait_until(lock, *soonest);
        } else {
            monitor_.wait(lock);
        }
    }
}

void Worker::work() {
    while (const std::function<void()> task = next_task()) {
        try {
            task();
        } catch (const Cancelled&) {
            // Overtaken: what is wanted now is looked up again.
        } catch (const InputError& e) {
            views_.broadcast_message("error", e.what());
        } catch (const std::exception& e) {
            views_.broadcast_message("error", fmt::format("Internal error: {}", e.what()));
        }
        end();  // where it did not come to its end
    }
}

void Jobs::overtake(const Lock& lock) {
    quick_.overtake(lock);
    fine_.overtake(lock);
}

void Jobs::start(bool has_fine) {
    quick_.start();
    if (has_fine) {
        fine_.start();
    }
}

void Jobs::stop() {
    {
        const Lock lock = monitor_.lock();
        monitor_.stop(lock);
        quick_.cancel(lock);
        fine_.cancel(lock);
    }
    monitor_.notify();
    quick_.join();
    fine_.join();
}

void Jobs::add_verbs(Verbs& verbs) {
    verbs.add({.name = "cancel",
               .fields = {{.name = "job", .kind = FieldKind::Number}},
               .needs_body = false,
               .answer = [this](ClientId, const Json& message) -> Json {
                   const Lock lock = monitor_.lock();
                   const bool is_meant =
                       !message.contains("job") || message["job"] == quick_.job(lock);
                   const bool is_running = quick_.is_overtakable(lock);
                   if (is_meant) {
                       overtake(lock);
                   }
                   return {{"cancelled", is_meant && is_running}};
               }});
}

}  // namespace sinew::studio
