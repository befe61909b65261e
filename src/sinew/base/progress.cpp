#include "sinew/base/progress.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"

namespace sinew {

struct Progress::Stage::State {
    Progress progress;
    std::string name;
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    Timer timer;
};

Progress::Progress() : Progress(nullptr) {}

Progress::Progress(std::shared_ptr<ProgressSink> sink)
    : sink_(std::move(sink)), cancelled_(std::make_shared<std::atomic<bool>>(false)) {}

Progress::Stage::Stage(const Progress& progress, std::string name, std::uint64_t total)
    : state_(std::make_unique<State>(State{progress, std::move(name), total, 0, Timer{}})) {
    if (state_->progress.sink_) {
        state_->progress.sink_->on_begin(state_->name, total);
    }
}

Progress::Stage::Stage(Stage&& other) noexcept = default;

Progress::Stage::~Stage() {
    if (state_ && state_->progress.sink_) {
        state_->progress.sink_->on_end(state_->name, state_->timer.seconds());
    }
}

void Progress::Stage::advance(std::uint64_t steps) {
    state_->progress.check_cancelled();
    state_->done += steps;
    if (state_->progress.sink_) {
        state_->progress.sink_->on_advance(state_->name, state_->done, state_->total);
    }
}

Progress::Stage Progress::stage(std::string name, std::uint64_t total) const {
    check_cancelled();
    return Stage(*this, std::move(name), total);
}

void Progress::info(std::string_view text) const {
    if (sink_) {
        sink_->on_message(Severity::Info, text);
    }
}

void Progress::warn(std::string_view text) const {
    if (sink_) {
        sink_->on_message(Severity::Warning, text);
    }
}

void Progress::cancel() const {
    cancelled_->store(true);
}

bool Progress::is_cancelled() const {
    return cancelled_->load(std::memory_order_relaxed);
}

void Progress::check_cancelled() const {
    if (is_cancelled()) {
        throw Cancelled();
    }
}

namespace {

class CallbackSink final : public ProgressSink {
public:
    explicit CallbackSink(std::function<void(const ProgressEvent&)> callback)
        : callback_(std::move(callback)) {}

    void on_begin(std::string_view stage, std::uint64_t total) override {
        callback_({.kind = ProgressEvent::Kind::Begin, .text = stage, .total = total});
    }
    void on_advance(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
        callback_(
            {.kind = ProgressEvent::Kind::Advance, .text = stage, .done = done, .total = total});
    }
    void on_end(std::string_view stage, double seconds) override {
        callback_({.kind = ProgressEvent::Kind::End, .text = stage, .seconds = seconds});
    }
    void on_message(Severity severity, std::string_view text) override {
        callback_({.kind = ProgressEvent::Kind::Message, .text = text, .severity = severity});
    }

private:
    std::function<void(const ProgressEvent&)> callback_;
};

}  // namespace

Progress progress_from_callback(std::function<void(const ProgressEvent&)> callback) {
    return Progress(std::make_shared<CallbackSink>(std::move(callback)));
}

}  // namespace sinew
