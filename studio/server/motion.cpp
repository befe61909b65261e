#include "studio/server/motion.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/body/names.h"
#include "sinew/growth/gravity_preview.h"
#include "sinew/io/motion_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "studio/server/geometry_frames.h"
#include "studio/server/growth.h"
#include "studio/server/jobs.h"
#include "studio/server/stage.h"
#include "studio/server/verbs.h"
#include "studio/server/views.h"

namespace sinew::studio {

namespace {

constexpr double kMostDegrees = 360.0;              // of a pose: once round, either way
constexpr std::chrono::microseconds kFrame{16667};  // between frames of a motion, at least
constexpr int kSettle = 60;                         // frames that the flesh swings on in a pose
constexpr int kContractIterations = 15;             // shown one by one
constexpr std::array kMovedLayers = {DisplayLayer::Skin, DisplayLayer::Muscles,
                                     DisplayLayer::Bones};

}  // namespace

Motion::Motion(Monitor& monitor, Views& views, Jobs& jobs, Stage& stage, Growth& growth,
               Workspace& workspace)
    : monitor_(monitor),
      views_(views),
      jobs_(jobs),
      stage_(stage),
      growth_(growth),
      workspace_(workspace) {
    growth_.when_changed([this](const Lock& lock) { end(lock); });
    stage_.when_replaced([this](const Lock&) {
        wish_ = {};
        done_ = 0;
        frames_left_ = 0;
        mover_.reset();
        contraction_.reset();
    });
    jobs_.quick().add_duty(
        {.due = [this](const Lock& lock) { return due(lock); }, .work = [this] { advance(); }});
}

Json Motion::pose(const Json& message) {
    std::shared_ptr<Scene> scene;
    {
        const Lock lock = monitor_.lock();
        scene = stage_.require_scene(lock);
    }
    Wish wish;
    for (const auto& [name, angles] : read_pose(message)) {
        for (std::size_t k = 0; k < 3; ++k) {
            wish.angles[name][k] = kDegree * angles[k];
            wish.mode = angles[k] == 0.0 ? wish.mode : "pose";
        }
    }
    pose_from_angles(scene->body, scene->joints, wish.angles);  // refuses unknown joints
    return follow(std::move(wish), true);
}

Json Motion::play(const Json& message) {
    Wish wish{.mode = "play"};
    wish.file = optional_text(message, "file");
    wish.file = wish.file.empty() ? "wave" : wish.file;
    wish.loops = truth_field(message, "loop", true);
    const std::vector<std::string> known = built_in_motions();
    if (std::find(known.begin(), known.end(), wish.file) == known.end()) {
        workspace_.existing(wish.file);
    }
    wish.activations = optional_text(message, "activations");
    if (!wish.activations.empty()) {
        workspace_.existing(wish.activations);
    }
    wish.flesh.gravity = truth_field(message, "gravity", kStudioMotion.gravity);
    wish.flesh.collisions = truth_field(message, "collisions", kStudioMotion.collisions);
    wish.flesh.dynamics = truth_field(message, "dynamics", kStudioMotion.dynamics);
    return follow(std::move(wish));
}

Json Motion::contract(const Json& message) {
    std::shared_ptr<Scene> scene;
    {
        const Lock lock = monitor_.lock();
        scene = stage_.require_scene(lock);
    }
    const std::vector<Muscle>& muscles = scene->body.muscles;
    Wish wish;
    wish.activation.assign(muscles.size(), 0.0);
    for (const auto& [word, a] : read_activations(message)) {
        wish.mode = a == 0.0 ? wish.mode : "contract";
        for (const Index m : find_muscles(muscles, word, "activations")) {
            wish.activation[at(m)] = a;
        }
    }
    return follow(std::move(wish));
}

Json Motion::follow(Wish wish, bool goes_on) {
    const Lock lock = monitor_.lock();
    const std::string mode = wish.mode;
    const bool is_new_mode = stage_.mode(lock) != mode;
    stage_.set_mode(lock, mode);
    wish.number = wish_.number + 1;
    wish_ = std::move(wish);
    if (is_new_mode || !goes_on) {
        jobs_.overtake(lock);
    }
    if (is_new_mode) {
        views_.broadcast_state(lock);
    }
    monitor_.notify();
    return {{"mode", mode}};
}

// An edit ends what moves.
void Motion::end(const Lock& lock) {
    if (stage_.mode(lock) != "rest" && stage_.mode(lock) != "loading") {
        stage_.set_mode(lock, "rest");
        wish_ = {.mode = "rest", .number = wish_.number + 1};
    }
}

std::optional<Clock::time_point> Motion::due(const Lock&) const {
    if (!growth_.is_prepared()) {
        return std::nullopt;
    }
    if (wish_.number != done_) {
        return Clock::time_point::min();
    }
    return frames_left_ > 0 ? std::optional(next_frame_) : std::nullopt;
}

void Motion::return_to_rest(std::uint32_t number) {
    stage_.show(growth_.positions(), true);
    const Lock lock = monitor_.lock();
    done_ = number;
    frames_left_ = 0;
    if (wish_.number == number) {
        stage_.set_mode(lock, "rest");
        views_.broadcast_state(lock);
    }
}

void Motion::show_moved(double time) {
    std::set<int> layers;
    std::uint32_t revision = 0;
    {
        const Lock lock = monitor_.lock();
        revision = growth_.revision(lock);
        layers = views_.layers_wanted(lock);
    }
    for (const DisplayLayer layer : kMovedLayers) {
        const int mesh = static_cast<int>(layer);
        if (!layers.contains(mesh)) {
            continue;
        }
        const auto frame = std::make_shared<const std::string>(
            motion_frame({.mesh = static_cast<std::uint32_t>(mesh),
                          .revision = revision,
                          .time_ms = static_cast<std::uint32_t>(1000.0 * time)},
                         mover_->points(layer), stage_.scene()->display->mesh(layer).triangles));
        const Lock lock = monitor_.lock();
        views_.broadcast_frame(lock, mesh, frame, true);
    }
}

void Motion::prepare_mover(const BodyMotionOptions& options) {
    const auto choices = [](const BodyMotionOptions& o) {
        return std::tie(o.gravity, o.collisions, o.dynamics);
    };
    if (mover_ && mover_revision_ == growth_.grown_revision() &&
        choices(mover_options_) == choices(options)) {
        return;
    }
    mover_.reset();
    jobs_.quick().begin("Preparing to move");
    const Body& body = growth_.body();
    // The meshes as they are shown now, on the tetrahedra of the body as it was grown.
    DisplayMeshes shown;
    for (const DisplayLayer layer : kMovedLayers) {
        shown[layer] = stage_.scene()->display->mesh(layer);
        if (growth_.result()) {
            shown[layer].points = stage_.layer_at(layer, body.tets.points);
        }
    }
    mover_ = std::make_unique<BodyInMotion>(body, shown, options);
    mover_options_ = options;
    mover_revision_ = growth_.grown_revision();
    jobs_.quick().end();
}

// One frame of whatever moves, or all of it where it is one solve.
void Motion::advance() {
    Wish wish;
    {
        const Lock lock = monitor_.lock();
        wish = wish_;
    }
    const bool is_new = wish.number != done_;
    try {
        if (wish.mode == "rest") {
            return_to_rest(wish.number);
        } else if (wish.mode == "jump") {
            run_jump(wish.number);
        } else if (wish.mode == "contract") {
            run_contraction(wish);
        } else {
            prepare_mover(wish.flesh);
            if (is_new) {
                begin_frames(wish);
            }
            advance_frame(wish);
        }
    } catch (const InputError&) {
        return_to_rest(wish.number);
        throw;
    }
}

void Motion::begin_frames(const Wish& wish) {
    if (wish.mode == "play") {
        const bool is_file = kind_of_file(wish.file) == "motion";
        PoseTrack poses =
            read_pose_track(growth_.body(), is_file ? workspace_.existing(wish.file)
                                                    : std::filesystem::path(wish.file));
        is_endless_ = poses.is_endless;
        ActivationTrack activations;
        if (!wish.activations.empty()) {
            activations = ActivationTrack(growth_.body(),
                                          read_motion_table(workspace_.existing(wish.activations)),
                                          wish.activations);
        }
        mover_->begin(std::move(poses), std::move(activations));
        frame_ = 0;
    }
    const Lock lock = monitor_.lock();
    done_ = wish.number;
    frames_left_ = wish.mode == "play" ? 1 : kSettle;
    next_frame_ = Clock::now();
}

void Motion::advance_frame(const Wish& wish) {
    const double time = frame_ / kStudioMotion.rate;
    if (wish.mode == "pose") {
        const Body& body = growth_.body();
        mover_->step(joint_motions(body.skeleton,
                                   pose_from_angles(body, stage_.scene()->joints, wish.angles)));
    } else {
        if (!wish.loops && frame_ >= mover_->frame_count()) {
            return_to_rest(wish.number);
            return;
        }
        if (!is_endless_ && frame_ > 0 && frame_ % mover_->frame_count() == 0) {
            mover_->rewind();
        }
        mover_->next();
        ++frame_;
    }
    show_moved(time);
    const Lock lock = monitor_.lock();
    frames_left_ -= wish.mode == "pose" ? 1 : 0;
    next_frame_ = std::max(next_frame_ + kFrame, Clock::now());
}

void Motion::run_jump(std::uint32_t number) {
    const Progress progress = jobs_.quick().begin("Jumping", true);
    std::vector<Points> frames;
    const Clock::time_point begin = Clock::now();
    const JumpOptions how;
    jump_preview(growth_.body(), how, progress, [&](int, const Points& points) {
        frames.push_back(points);
        stage_.show(points, false);
    });
    // Again, as fast as it is.
    const Clock::time_point replay = Clock::now();
    const double slow = std::chrono::duration<double>(replay - begin).count() / how.seconds;
    for (std::size_t f = 0; f < frames.size() && slow > 1.2; ++f) {
        std::this_thread::sleep_until(
            replay + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(static_cast<double>(f) / how.frames)));
        progress.check_cancelled();
        stage_.show(frames[f], true);
    }
    jobs_.quick().end();
    return_to_rest(number);
}

void Motion::run_contraction(const Wish& wish) {
    if (!contraction_ || contraction_revision_ != growth_.grown_revision()) {
        const Progress progress = jobs_.quick().begin("Preparing muscles");
        contraction_.reset();
        contraction_ = std::make_unique<MuscleGrowth>(growth_.body());
        contraction_revision_ = growth_.grown_revision();
        jobs_.quick().end();
    }
    std::vector<double> beta;
    for (const double a : wish.activation) {
        beta.push_back(contraction_of(a));
    }
    contraction_->set_contraction(beta);
    const Progress progress = jobs_.quick().begin("Contracting", true);
    const auto shows = [&](int, const Points& points) { stage_.show(points, false); };
    contraction_->iterate(1, {}, shows);
    {
        const Lock lock = monitor_.lock();
        done_ = wish.number;
        frames_left_ = 0;
    }
    contraction_->iterate(kContractIterations, progress, shows);
    stage_.show(contraction_->positions(), true);
    jobs_.quick().end();
}

void Motion::add_verbs(Verbs& verbs) {
    verbs.add({.name = "pose",
               .fields = {{.name = "joints",
                           .kind = FieldKind::NamedTriples,
                           .is_needed = true,
                           .low = -kMostDegrees,
                           .high = kMostDegrees}},
               .answer = [this](ClientId, const Json& message) { return pose(message); }});
    verbs.add({.name = "play",
               .fields = {{.name = "file", .kind = FieldKind::Text},
                          {.name = "loop", .kind = FieldKind::Truth},
                          {.name = "activations", .kind = FieldKind::Text},
                          {.name = "gravity", .kind = FieldKind::Truth},
                          {.name = "collisions", .kind = FieldKind::Truth},
                          {.name = "dynamics", .kind = FieldKind::Truth}},
               .answer = [this](ClientId, const Json& message) { return play(message); }});
    verbs.add({.name = "contract",
               .fields = {{.name = "activations",
                           .kind = FieldKind::NamedNumbers,
                           .is_needed = true,
                           .low = 0.0,
                           .high = 1.0}},
               .answer = [this](ClientId, const Json& message) { return contract(message); }});
    verbs.add({.name = "jump",
               .answer = [this](ClientId, const Json&) { return follow({.mode = "jump"}); }});
    verbs.add({.name = "stop",
               .answer = [this](ClientId, const Json&) { return follow({.mode = "rest"}); }});
}

}  // namespace sinew::studio
