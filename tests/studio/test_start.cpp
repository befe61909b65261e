// What a page is sent while the first body is read and prepared.

#include "sinew/io/archive.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "studio/server/studio.h"
#include "tests/support/limb_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew::studio {
namespace {

/// Keeps the kinds of what is sent, in order: "frame", "answer", or the event's name.
class Notebook final : public Outbox {
public:
    void send_text(ClientId, std::string text) override {
        const nlohmann::json message = nlohmann::json::parse(text);
        add(message.contains("event") ? message["event"].get<std::string>() : "answer");
    }
    void send_frame(ClientId, SharedBytes, int) override {
        add("frame");
    }
    std::vector<std::string> so_far() {
        const std::lock_guard lock(mutex_);
        return seen_;
    }
    /// Whether a line of this kind comes within so many seconds.
    bool comes(const std::string& kind, double seconds) {
        std::unique_lock lock(mutex_);
        return added_.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
            return std::find(seen_.begin(), seen_.end(), kind) != seen_.end();
        });
    }

private:
    void add(const std::string& kind) {
        const std::lock_guard lock(mutex_);
        seen_.push_back(kind);
        added_.notify_all();
    }
    std::mutex mutex_;
    std::condition_variable added_;
    std::vector<std::string> seen_;
};

// A browser without a graphics card draws with the cores that the sliders are prepared on.
TEST(StudioStart, TheSkinComesFirstAndTheRestWaitsUntilItIsDrawn) {
    const support::TemporaryFolder folder;
    write_archive(folder.path() / "limb.sinew", support::limb_body({.along = 10}));
    Workspace workspace(folder.path() / "work");
    // The greeting must come before the body is read; on a busy machine it may not at first.
    for (int attempt = 0; attempt < 50; ++attempt) {
        Notebook notes;
        Studio studio({.body = folder.path() / "limb.sinew"}, workspace, notes);
        studio.on_open(1);
        studio.on_text(1, R"({"id":1,"do":"hello","protocol":1,"draws":true})");
        const auto seen = notes.so_far();
        if (std::find(seen.begin(), seen.end(), "frame") != seen.end()) {
            continue;
        }
        ASSERT_TRUE(notes.comes("frame", 60.0));
        EXPECT_FALSE(notes.comes("catalogue", 0.15));
        studio.on_text(1, R"({"id":2,"do":"shown"})");
        EXPECT_TRUE(notes.comes("catalogue", 60.0));
        return;
    }
    FAIL() << "no greeting came before its body";
}

}  // namespace
}  // namespace sinew::studio
