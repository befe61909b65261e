#pragma once

#include "sinew/growth/growth_session.h"
#include "sinew/pipeline/body_display.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "studio/server/catalogue.h"
#include "studio/server/document.h"
#include "studio/server/geometry_frames.h"
#include "studio/server/studio.h"

namespace sinew::studio {

using Clock = std::chrono::steady_clock;

inline constexpr int kFibreMesh = 5;
inline constexpr int kFirstBesideMesh = 16;
inline constexpr int kBeforeMesh = 100;  // added to a mesh's number

/// One page.
struct View {
    std::set<int> layers = {0};
    bool is_greeted = false;
};

/// One person, as shown and as solved. Never changes once it is made, but for the fibres.
struct Scene {
    Body body;  ///< at rest, at preview resolution where there are two
    BodyDisplay display;
    DisplayDriver driver;
    Json catalogue;
    Json before;  ///< measures at rest

    explicit Scene(Body b)
        : body(std::move(b)),
          display(body),
          driver(display, body),
          catalogue(catalogue_of(body, display)),
          before(measures_of(body)) {}
};

struct Studio::Data {
    StudioOptions options;
    Workspace& workspace;
    Outbox& outbox;

    std::mutex mutex = {};  // of everything up to `threads`
    std::condition_variable wake = {};
    bool is_stopping = false;
    std::map<ClientId, View> views = {};
    Document document = {};
    std::shared_ptr<Scene> scene = {};
    std::shared_ptr<const Points> x = {};  // of the scene's tets, as last shown
    std::shared_ptr<const Body> grown = {};
    std::shared_ptr<const GrowthResult> result = {};
    Json measures = nullptr;
    std::vector<std::string> warnings = {};
    std::string mode = "loading";
    std::string resolution = "preview";
    std::uint32_t grown_revision = 0;  // of the document, as solved
    bool is_dragging = false;
    std::deque<std::function<void()>> tasks = {};  // for the worker, before all else
    std::optional<Progress> running = {};          // what a new wish overtakes
    int running_job = 0;
    int last_job = 0;
    std::map<int, SharedBytes> beside = {};  // meshes opened beside the body
    Clock::time_point last_state = {};

    std::unique_ptr<GrowthSession> session = {};  // of the worker only
    Clock::time_point last_shown = {};            // of the worker only
    std::thread worker = {};

    Data(const StudioOptions& o, Workspace& w, Outbox& b) : options(o), workspace(w), outbox(b) {}

    // Messages. `mutex` is held by the caller of those that end in _locked.
    void send(ClientId client, const Json& message);
    void broadcast_locked(const Json& message);
    void broadcast_frame_locked(int mesh, const SharedBytes& frame, bool is_motion);
    void message(const char* level, const std::string& text);
    Json state_locked() const;
    void broadcast_state_locked();
    void send_meshes_locked(ClientId client, const std::set<int>& layers);

    // Commands, on the network's thread.
    void command(ClientId client, const Json& message);
    Json answer(ClientId client, const std::string& verb, const Json& message);
    Json hello(ClientId client, const Json& message);
    Json view(ClientId client, const Json& message);
    Json edit(const Json& message);
    Json paint(const Json& message);
    Json recipe(const Json& message);
    Json step(const std::string& verb);
    Json cancel(const Json& message);
    /// Runs on the worker, which then answers.
    void later(ClientId client, const Json& id, std::function<Json()> work);
    void overtake_locked();

    // Work, on the worker's thread.
    void work();
    void load_first();
    void show_scene(Body body);
    void grow();
    void require_grown();
    void show(const Points& points, bool is_final);
    Json open(const std::string& file);
    Json save(const std::string& file);
    Json export_body(const std::string& file);
    void make_fibres();
    Progress begin_job(const std::string& what);
    void end_job();
};

}  // namespace sinew::studio
