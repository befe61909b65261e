#pragma once

#include "sinew/base/progress.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace sinew::studio {

/// What a job says about itself.
struct JobEvent {
    std::string what;
    std::optional<double> fraction = {};      ///< [0, 1]
    std::optional<double> seconds_left = {};  ///< by the rate so far
};

/// Passes on the progress of a job, a few times per second and not at all for jobs that are done at
/// once.
class JobEvents final : public ProgressSink {
public:
    using Send = std::function<void(const JobEvent&)>;
    using Warn = std::function<void(std::string_view)>;
    JobEvents(Send send, Warn warn);

    void on_begin(std::string_view stage, std::uint64_t total) override;
    void on_advance(std::string_view stage, std::uint64_t done, std::uint64_t total) override;
    void on_end(std::string_view stage, double seconds) override;
    void on_message(Severity severity, std::string_view text) override;

    bool has_sent() const {
        return has_sent_;
    }

private:
    using Clock = std::chrono::steady_clock;
    void pass_on(std::string_view stage, std::uint64_t done, std::uint64_t total);

    Send send_;
    Warn warn_;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point stage_begin_ = Clock::now();
    Clock::time_point last_ = {};
    bool has_sent_ = false;
};

}  // namespace sinew::studio
