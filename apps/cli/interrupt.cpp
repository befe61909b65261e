#include "cli/interrupt.h"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <thread>
#include <utility>

namespace sinew::cli {

namespace {

constexpr long kPatience = 700'000'000;  // ns

// A signal handler reaches nothing but globals.
std::atomic<const Progress*> asked_to_stop = nullptr;
std::atomic<int> last_signal = 0;
sem_t was_interrupted;

std::mutex note_lock;
std::string note;  // under note_lock

void on_signal(int number) {
    const Progress* progress = asked_to_stop;
    if (progress == nullptr || progress->is_cancelled()) {
        std::_Exit(128 + number);  // asked twice
    }
    last_signal = number;
    progress->cancel();
    ::sem_post(&was_interrupted);
}

}  // namespace

struct Interrupts::Watch {
    std::atomic<bool> has_ended = false;  // whoever sets it speaks
    std::atomic<bool> is_over = false;    // nobody is to be watched
    sem_t ended = {};
    std::thread thread = {};
};

Interrupts::Interrupts(const Progress& progress, std::function<void(int code)> say)
    : watch_(std::make_unique<Watch>()) {
    ::sem_init(&was_interrupted, 0, 0);
    ::sem_init(&watch_->ended, 0, 0);
    watch_->thread = std::thread([&watch = *watch_, say = std::move(say)] {
        while (::sem_wait(&was_interrupted) != 0) {
        }
        timespec until = {};
        ::clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += kPatience;
        until.tv_sec += until.tv_nsec / 1'000'000'000;
        until.tv_nsec %= 1'000'000'000;
        while (!watch.is_over && ::sem_timedwait(&watch.ended, &until) != 0) {
            if (errno == ETIMEDOUT && !watch.has_ended.exchange(true)) {
                const int code = 128 + last_signal;
                say(code);
                std::_Exit(code);
            } else if (errno == ETIMEDOUT) {
                return;
            }
        }
    });
    asked_to_stop = &progress;
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
}

Interrupts::~Interrupts() {
    asked_to_stop = nullptr;
    watch_->is_over = true;
    ::sem_post(&watch_->ended);
    ::sem_post(&was_interrupted);
    watch_->thread.join();
}

int Interrupts::code() const {
    return 128 + (last_signal != 0 ? last_signal.load() : SIGINT);
}

void Interrupts::end() {
    if (watch_->has_ended.exchange(true)) {
        for (;;) {
            ::pause();
        }
    }
}

void note_kept(std::string text) {
    const std::lock_guard lock(note_lock);
    note = std::move(text);
}

std::string kept_note() {
    const std::lock_guard lock(note_lock);
    return note.empty() ? "nothing was written" : note;
}

}  // namespace sinew::cli
