#pragma once

#include <memory>
#include <thread>

#include "studio/server/app.h"

namespace sinew::studio {

/// A server on a thread of its own.
class RunningStudio {
public:
    explicit RunningStudio(const AppOptions& options)
        : app_(std::make_unique<App>(options)), thread_([this] { app_->run(); }) {}
    ~RunningStudio() {
        app_->stop();
        thread_.join();
    }
    RunningStudio(const RunningStudio&) = delete;
    RunningStudio& operator=(const RunningStudio&) = delete;

    int port() const {
        return app_->port();
    }

private:
    std::unique_ptr<App> app_;
    std::thread thread_;
};

}  // namespace sinew::studio
