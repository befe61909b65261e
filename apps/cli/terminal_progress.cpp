#include "cli/terminal_progress.h"

#include "sinew/base/timer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace sinew::cli {

namespace {

constexpr double kBarEvery = 0.1;      // s between two drawings of the bar
constexpr double kLineEvery = 5.0;     // s between two lines in a log
constexpr double kWorthTelling = 0.5;  // s; shorter stages are not mentioned

std::string time_text(double seconds) {
    if (seconds < 60) {
        return fmt::format("{:.1f} s", seconds);
    }
    return fmt::format("{}:{:02d} min", static_cast<int>(seconds) / 60,
                       static_cast<int>(seconds) % 60);
}

std::string rate_text(double per_second) {
    if (per_second >= 1e6) {
        return fmt::format("{:.1f}M/s", per_second * 1e-6);
    }
    if (per_second >= 1e3) {
        return fmt::format("{:.1f}k/s", per_second * 1e-3);
    }
    return fmt::format("{:.1f}/s", per_second);
}

class TerminalProgress final : public ProgressSink {
public:
    explicit TerminalProgress(bool is_quiet)
        : is_quiet_(is_quiet), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

    void on_begin(std::string_view, std::uint64_t) override {
        running_.push_back({});
        last_told_ = 0.0;
    }

    void on_advance(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
        if (is_quiet_ || running_.empty()) {
            return;
        }
        const double elapsed = running_.back().seconds();
        if (elapsed < kWorthTelling ||
            elapsed - last_told_ < (is_terminal_ ? kBarEvery : kLineEvery)) {
            return;
        }
        last_told_ = elapsed;
        const std::string text = status(stage, done, total, elapsed);
        if (is_terminal_) {
            fmt::print(stderr, "\r\x1b[K{}", text);
            has_bar_ = true;
        } else {
            fmt::print(stderr, "{}\n", text);
        }
        std::fflush(stderr);
    }

    void on_end(std::string_view stage, double seconds) override {
        if (!running_.empty()) {
            running_.pop_back();
        }
        clear_bar();
        if (!is_quiet_ && seconds >= kWorthTelling) {
            fmt::print(stderr, "{}: {}\n", stage, time_text(seconds));
        }
    }

    void on_message(Severity severity, std::string_view text) override {
        if (is_quiet_ && severity == Severity::Info) {
            return;
        }
        clear_bar();
        fmt::print(stderr, "{}{}\n", severity == Severity::Warning ? "warning: " : "", text);
    }

private:
    static std::string status(std::string_view stage, std::uint64_t done, std::uint64_t total,
                              double elapsed) {
        const double rate = static_cast<double>(done) / elapsed;
        if (total == 0) {
            return fmt::format("{}: {} ({})", stage, done, rate_text(rate));
        }
        const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
        const double left = share > 0 ? elapsed * (1.0 - share) / share : 0.0;
        constexpr int kWidth = 24;
        const int full = static_cast<int>(share * kWidth);
        return fmt::format("{}: [{}{}] {:3.0f}%  {}  {} left", stage,
                           std::string(static_cast<std::size_t>(full), '#'),
                           std::string(static_cast<std::size_t>(kWidth - full), '.'), 100 * share,
                           rate_text(rate), time_text(left));
    }

    void clear_bar() {
        if (has_bar_) {
            std::fputs("\r\x1b[K", stderr);
            has_bar_ = false;
        }
    }

    bool is_quiet_;
    bool is_terminal_;
    bool has_bar_ = false;
    double last_told_ = 0.0;
    std::vector<Timer> running_;
};

}  // namespace

std::shared_ptr<ProgressSink> make_terminal_progress(bool is_quiet) {
    return std::make_shared<TerminalProgress>(is_quiet);
}

}  // namespace sinew::cli
