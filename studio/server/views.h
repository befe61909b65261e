#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "studio/server/commands.h"
#include "studio/server/monitor.h"
#include "studio/server/outbox.h"
#include "studio/server/workspace.h"

namespace sinew::studio {

inline constexpr int kFibreMesh = 5;
inline constexpr int kFirstBesideMesh = 16;  // of files opened beside the body
inline constexpr int kBeforeMesh = 100;      // added to a mesh's number

/// The pages that look on: which layers each wants, and what all of them are told.
///
/// Any thread may call any function; a `const Lock&` says that the caller holds the lock. Sending
/// only queues (outbox.h), so it is never slow.
class Views {
public:
    /// Adds its fields to the `state` event. Called under the lock.
    using Reporter = std::function<void(const Lock&, Json& state)>;

    /// @param workspace  both outlive the views
    Views(Monitor& monitor, Outbox& outbox, const Workspace& workspace)
        : monitor_(monitor), outbox_(outbox), workspace_(workspace) {}

    /// Of the parts, before the first page comes.
    void add_reporter(Reporter reporter) {
        reporters_.push_back(std::move(reporter));
    }

    void open(ClientId client);
    void close(ClientId client);
    /// From now on this page is told what happens. With `draws` it will say when its first picture
    /// is drawn. @returns  the layers it wants
    std::set<int> greet(const Lock& lock, ClientId client, bool draws);
    /// @returns  those that it did not want before and must be sent; none before it is greeted
    std::set<int> want(const Lock& lock, ClientId client, std::set<int> layers);
    /// Its first picture is drawn.
    void has_drawn(const Lock& lock, ClientId client);
    bool is_drawing(const Lock& lock) const;  ///< any of them

    bool is_open(const Lock& lock, ClientId client) const;
    /// Pages that have been greeted, with the layers they want.
    std::vector<std::pair<ClientId, std::set<int>>> greeted(const Lock& lock) const;
    std::set<int> layers_wanted(const Lock& lock) const;  ///< by any of them

    /// A text that may name files of this machine, as pages are told it.
    std::string told(const std::string& text) const {
        return workspace_.without_folders(text);
    }

    // To one page.
    void send(ClientId client, const Json& message);
    void send_frame(ClientId client, const SharedBytes& frame);

    // To all that have been greeted.
    void broadcast(const Lock& lock, const Json& message);
    /// @param is_motion  a newer frame of this mesh may replace it while it waits
    void broadcast_frame(const Lock& lock, int mesh, const SharedBytes& frame, bool is_motion);
    void broadcast_progress(const Lock& lock, int job, const std::string& what,
                            const Json& fraction, const Json& seconds_left, bool is_done);
    void broadcast_message(const char* level, const std::string& text);

    Json state(const Lock& lock) const;
    void broadcast_state(const Lock& lock);
    /// The same, at most ten times per second: while a slider moves.
    void broadcast_state_now_and_then(const Lock& lock);

private:
    struct View {
        std::set<int> layers = {0};
        bool is_greeted = false;
        bool is_drawing = false;
    };

    Monitor& monitor_;
    Outbox& outbox_;
    const Workspace& workspace_;
    std::vector<Reporter> reporters_ = {};
    // Under the lock.
    std::map<ClientId, View> views_ = {};
    Clock::time_point last_state_ = {};
};

}  // namespace sinew::studio
