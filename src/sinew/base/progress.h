#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sinew {

enum class Severity { Info, Warning };

/// Receives what long work reports. Front ends derive from it: a bar on a terminal, lines in a log,
/// a message to a browser. Calls come from the thread that does the work, one at a time.
class ProgressSink {
public:
    virtual ~ProgressSink() = default;
    /// `total` is 0 where the amount of work is not known beforehand.
    virtual void on_begin(std::string_view stage, std::uint64_t total) = 0;
    virtual void on_advance(std::string_view stage, std::uint64_t done, std::uint64_t total) = 0;
    virtual void on_end(std::string_view stage, double seconds) = 0;
    virtual void on_message(Severity severity, std::string_view text) = 0;
};

/// Handed to everything that takes long. Copies share one sink and one cancel flag. A default
/// constructed Progress is silent, so `Progress progress = {}` makes a good last argument.
class Progress {
public:
    Progress();
    explicit Progress(std::shared_ptr<ProgressSink> sink);

    /// One piece of work with a name; ends when it leaves scope.
    class Stage {
    public:
        Stage(Stage&& other) noexcept;
        Stage(const Stage&) = delete;
        Stage& operator=(const Stage&) = delete;
        Stage& operator=(Stage&&) = delete;
        ~Stage();
        /// @throws Cancelled when the work was asked to stop
        void advance(std::uint64_t steps = 1);

    private:
        friend class Progress;
        Stage(const Progress& progress, std::string name, std::uint64_t total);
        struct State;
        std::unique_ptr<State> state_;
    };

    [[nodiscard]] Stage stage(std::string name, std::uint64_t total = 0) const;
    void info(std::string_view text) const;
    void warn(std::string_view text) const;

    /// May be called from any thread, also from a signal handler.
    void cancel() const;
    bool is_cancelled() const;
    /// @throws Cancelled when the work was asked to stop
    void check_cancelled() const;

private:
    std::shared_ptr<ProgressSink> sink_;
    std::shared_ptr<std::atomic<bool>> cancelled_;
};

/// What the callback of `progress_from_callback` is told.
struct ProgressEvent {
    enum class Kind { Begin, Advance, End, Message } kind = Kind::Begin;
    std::string_view text;  ///< name of the stage, or the message
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    double seconds = 0.0;                ///< of the whole stage, at its end
    Severity severity = Severity::Info;  ///< of a message
};

/// A Progress for front ends that prefer a function to a class.
Progress progress_from_callback(std::function<void(const ProgressEvent&)> callback);

}  // namespace sinew
