#include "studio/server/job_events.h"

namespace sinew::studio {

namespace {

constexpr std::chrono::milliseconds kSilent{300};    // jobs shorter than this say nothing
constexpr std::chrono::milliseconds kInterval{150};  // between events

}  // namespace

JobEvents::JobEvents(Send send, Warn warn) : send_(std::move(send)), warn_(std::move(warn)) {}

void JobEvents::on_begin(std::string_view stage, std::uint64_t total) {
    stage_begin_ = Clock::now();
    pass_on(stage, 0, total);
}

void JobEvents::on_advance(std::string_view stage, std::uint64_t done, std::uint64_t total) {
    pass_on(stage, done, total);
}

void JobEvents::on_end(std::string_view, double) {}

void JobEvents::on_message(Severity severity, std::string_view text) {
    if (severity == Severity::Warning && warn_) {
        warn_(text);
    }
}

void JobEvents::pass_on(std::string_view stage, std::uint64_t done, std::uint64_t total) {
    const Clock::time_point now = Clock::now();
    if (now - begin_ < kSilent || now - last_ < kInterval) {
        return;
    }
    last_ = now;
    has_sent_ = true;
    JobEvent event{.what = std::string(stage)};
    if (total > 0) {
        const double fraction = static_cast<double>(done) / static_cast<double>(total);
        const double seconds = std::chrono::duration<double>(now - stage_begin_).count();
        event.fraction = fraction;
        if (fraction > 0.05) {
            event.seconds_left = seconds * (1.0 - fraction) / fraction;
        }
    }
    send_(event);
}

}  // namespace sinew::studio
