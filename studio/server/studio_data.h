#pragma once

#include "sinew/body/posable_joints.h"
#include "sinew/growth/growth_session.h"
#include "sinew/pipeline/body_display.h"
#include "sinew/pipeline/body_in_motion.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "studio/server/access.h"
#include "studio/server/catalogue.h"
#include "studio/server/document.h"
#include "studio/server/geometry_frames.h"
#include "studio/server/studio.h"

namespace sinew::studio {

using Clock = std::chrono::steady_clock;

inline constexpr double kPaintSmoothing = 0.02;  // m: strokes are rounded off by so much
inline constexpr int kFibreMesh = 5;
inline constexpr int kFirstBesideMesh = 16;
inline constexpr int kBeforeMesh = 100;  // added to a mesh's number

/// One page.
struct View {
    std::set<int> layers = {0};
    bool is_greeted = false;
    bool is_waited_for = false;  ///< it will say when its first picture is drawn
};

/// One person, as shown and as solved. Never changes once it is made, but for the fibres.
struct Scene {
    Body body;  ///< at rest, as solved while sliders move
    std::shared_ptr<BodyDisplay> display;
    BodySurfaces surfaces;   ///< the display's meshes on the body's tetrahedra
    SkinValues skin_values;  ///< what is painted on the display, for the body
    std::vector<PosableJoint> joints;
    Json catalogue;
    Json before;                 ///< measures at rest, of the finest body
    Json before_here;            ///< of `body`
    EmbeddedPoints fibres = {};  ///< where the display's are in `body`, once they are made

    Scene(Body b, const TriangleMesh& skin)
        : body(std::move(b)),
          display(std::make_shared<BodyDisplay>(body, skin)),
          surfaces(body, display->meshes()),
          skin_values(display->mesh(DisplayLayer::Skin), body),
          joints(posable_joints(body)),
          catalogue(catalogue_of(body, *display)),
          before(measures_of(body)),
          before_here(before) {}

    /// The same person, shown alike, with another body to solve.
    Scene(const Scene& other, Body b)
        : body(std::move(b)),
          display(other.display),
          surfaces(body, display->meshes()),
          skin_values(display->mesh(DisplayLayer::Skin), body),
          joints(other.joints),
          catalogue(other.catalogue),
          before(other.before),
          before_here(measures_of(body)) {}

    /// Measures of a body grown from `body`, as the finest one would have them: its own at rest,
    /// and the difference that growth made.
    Json measures_like_finest(const Body& grown) const;
};

/// The person at standard resolution, solved when sliders rest.
struct FineScene {
    Body body;
    BodySurfaces surfaces;
    SkinValues skin_values;
    std::unique_ptr<GrowthSession> session = {};

    FineScene(const BodyDisplay& display, Body b)
        : body(std::move(b)),
          surfaces(body, display.meshes()),
          skin_values(display.mesh(DisplayLayer::Skin), body) {}
};

/// What the body is to do, besides being shaped.
struct MotionWish {
    std::string mode = "rest";            ///< "rest", "pose", "play", "jump", "contract"
    PosedAngles angles = {};              ///< of a pose
    std::string file = {};                ///< of a play: a file, or a built-in motion
    bool loops = true;                    ///< of a play
    std::string activations = {};         ///< of a play: a table of muscles over time, or none
    std::vector<double> activation = {};  ///< of a contraction, per muscle
    std::uint32_t number = 0;             ///< rises with every wish
};

/// Displacements of each layer; none where there is nothing.
using Correction = std::array<std::shared_ptr<const Points>, kDisplayLayers>;

/// Where a layer is shown when the scene's tetrahedra have these points.
Points shown_points(const Scene& scene, const Correction& correction, DisplayLayer layer,
                    const Points& x);

struct Studio::Data {
    StudioOptions options;
    Workspace& workspace;
    Outbox& outbox;
    const std::string process_name = random_token().substr(0, 8);  // of this process, for its pages

    std::mutex mutex = {};  // of everything up to `threads`
    std::condition_variable wake = {};
    bool is_stopping = false;
    std::map<ClientId, View> views = {};
    Document document = {};
    std::shared_ptr<Scene> scene = {};
    SharedBytes first_skin = {};           // shown while the first scene is being made
    std::shared_ptr<const Points> x = {};  // of the scene's tets, as last shown
    std::shared_ptr<const GrowthResult> result = {};
    Json measures = nullptr;
    Json bone_ends = Json::object();  // where bones begin and end after edits
    struct Waiting {
        ClientId client;
        Json message;
    };
    std::deque<Waiting> waiting = {};  // commands that came before the body
    bool is_body_lost = false;         // the first one could not be read
    std::vector<std::string> warnings = {};
    std::string mode = "loading";
    std::string resolution = "preview";
    std::uint32_t grown_revision = 0;  // of the document, as solved
    bool is_dragging = false;
    MotionWish motion = {};
    std::uint32_t motion_done = 0;  // number of the wish that is being followed
    int frames_left = 0;            // to be shown without a new wish
    Clock::time_point next_frame = {};
    std::deque<std::function<void()>> tasks = {};  // for the worker, before all else
    std::optional<Progress> running = {};
    bool is_overtakable = false;  // by a new wish; what prepares is not
    int running_job = 0;
    std::string running_what = {};
    int last_job = 0;
    std::map<int, SharedBytes> beside = {};  // meshes opened beside the body
    Clock::time_point last_state = {};
    // The fine body.
    std::optional<Body> fine_body = {};  // read or made, not yet taken up
    std::shared_ptr<FineScene> fine = {};
    std::uint32_t fine_revision = 0;  // of the document, as solved finely
    std::shared_ptr<const GrowthResult> fine_result = {};
    std::optional<Progress> fine_running = {};
    std::string fine_what = {};
    // What the fine solve added to where the coarse one has the meshes; empty: nothing.
    Correction correction = {};
    bool wants_fine_figure = false;  // it is to be made

    // Of the worker only.
    std::unique_ptr<GrowthSession> session = {};
    Clock::time_point last_shown = {};
    std::unique_ptr<BodyInMotion> mover = {};
    std::uint32_t mover_revision = 0;
    bool is_endless = false;  // what is played goes on by itself
    int frame = 0;            // of what is played
    std::unique_ptr<MuscleGrowth> contraction = {};
    std::uint32_t contraction_revision = 0;

    std::thread worker = {};
    std::thread fine_worker = {};

    Data(const StudioOptions& o, Workspace& w, Outbox& b) : options(o), workspace(w), outbox(b) {}

    // Messages. `mutex` is held by the caller of those that end in _locked.
    void send(ClientId client, const Json& message);
    void broadcast_locked(const Json& message);
    void broadcast_frame_locked(int mesh, const SharedBytes& frame, bool is_motion);
    void message(const char* level, const std::string& text);
    Json state_locked() const;
    void broadcast_state_locked();
    void broadcast_progress_locked(int job, const std::string& what, const Json& fraction,
                                   const Json& seconds_left, bool is_done);
    void send_meshes_locked(ClientId client, const std::set<int>& layers);

    // Commands, on the network's thread.
    void command(ClientId client, const Json& message);
    void command_now(ClientId client, const std::string& verb, const Json& message);
    bool waits_for_body_locked(ClientId client, const std::string& verb, const Json& message);
    void answer_waiting();
    Json answer(ClientId client, const std::string& verb, const Json& message);
    Json hello(ClientId client, const Json& message);
    Json view(ClientId client, const Json& message);
    Json edit(const Json& message);
    Json paint(const Json& message);
    Json recipe(const Json& message);
    Json step(const std::string& verb);
    Json cancel(const Json& message);
    Json move(const std::string& verb, const Json& message);
    void end_motion_locked();
    /// Runs on the worker, which then answers.
    void later(ClientId client, const Json& id, std::function<Json()> work);
    void overtake_locked();

    // Work, on the worker's thread.
    void work();
    void load_first();
    void show_first(const TriangleMesh& skin);
    void show_scene(Body body);
    void grow();
    bool is_behind();
    void require_grown();
    void show(const Points& points, bool is_final);
    Json open(const std::string& file);
    Json save(const std::string& file);
    Json export_body(const std::string& file);
    Json forces(const std::string& file, const std::string& wanted);
    void make_fibres();
    SharedBytes fibre_frame(const Points& x, std::uint32_t revision) const;
    void advance_motion();
    void prepare_mover();
    void begin_frames(const MotionWish& wish);
    void advance_frame(const MotionWish& wish);
    void jump(std::uint32_t number);
    void contract(const MotionWish& wish);
    void return_to_rest(std::uint32_t number);
    void show_moved(double time);
    const Body& body_now() const;
    Progress begin_job(const std::string& what, bool overtakable = false);
    void end_job();

    // Work at standard resolution, on a thread of its own.
    void work_finely();
    bool is_fine_wanted_locked() const;
    void make_fine_figure();
    Progress begin_fine_job(const char* what);
    void end_fine_job();
    void take_up_fine_body();
    void grow_finely();
    void require_fine();
};

}  // namespace sinew::studio
