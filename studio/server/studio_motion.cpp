#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/body/names.h"
#include "sinew/growth/gravity_preview.h"
#include "sinew/io/model_files.h"
#include "sinew/io/motion_table.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/muscle_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "studio/server/commands.h"
#include "studio/server/studio_data.h"

namespace sinew::studio {

namespace {

constexpr std::chrono::microseconds kFrame{16667};  // between frames of a motion, at least
constexpr int kSettle = 60;                         // frames that the flesh swings on in a pose
constexpr int kContractIterations = 15;             // shown one by one
constexpr std::size_t kMostCurves = 24;             // of a plot

}  // namespace

Json Studio::Data::move(const std::string& verb, const Json& message) {
    std::shared_ptr<Scene> shown;
    {
        const std::lock_guard lock(mutex);
        shown = scene;
    }
    MotionWish wish{.mode = verb == "stop" ? "rest" : verb};
    if (verb == "pose") {
        bool is_rest = true;
        for (const auto& [name, angles] : read_pose(message)) {
            for (std::size_t k = 0; k < 3; ++k) {
                wish.angles[name][k] = kDegree * angles[k];
                is_rest = is_rest && angles[k] == 0.0;
            }
        }
        pose_from_angles(shown->body, shown->joints, wish.angles);  // refuses unknown joints
        wish.mode = is_rest ? "rest" : "pose";
    } else if (verb == "play") {
        wish.file = optional_text(message, "file");
        wish.file = wish.file.empty() ? "wave" : wish.file;
        wish.loops = truth_field(message, "loop", true);
        const std::vector<std::string> known = built_in_motions();
        if (std::find(known.begin(), known.end(), wish.file) == known.end()) {
            workspace.existing(wish.file);
        }
        wish.activations = optional_text(message, "activations");
        if (!wish.activations.empty()) {
            workspace.existing(wish.activations);
        }
    } else if (verb == "contract") {
        wish.activation.assign(shown->body.muscles.size(), 0.0);
        bool is_rest = true;
        for (const auto& [word, a] : read_activations(message)) {
            is_rest = is_rest && a == 0.0;
            for (const Index m : find_muscles(shown->body.muscles, word, "activations")) {
                wish.activation[static_cast<std::size_t>(m)] = a;
            }
        }
        wish.mode = is_rest ? "rest" : "contract";
    }
    const std::lock_guard lock(mutex);
    wish.number = motion.number + 1;
    const bool is_new_mode = mode != wish.mode;
    mode = wish.mode;
    motion = std::move(wish);
    if (is_new_mode || verb != "pose") {
        overtake_locked();
    }
    if (is_new_mode) {
        broadcast_state_locked();
    }
    wake.notify_all();
    return {{"mode", mode}};
}

// An edit ends what moves.
void Studio::Data::end_motion_locked() {
    if (mode != "rest" && mode != "loading") {
        mode = "rest";
        motion = {.mode = "rest", .number = motion.number + 1};
    }
}

void Studio::Data::return_to_rest(std::uint32_t number) {
    show(session->positions(), true);
    const std::lock_guard lock(mutex);
    motion_done = number;
    frames_left = 0;
    if (motion.number == number) {
        mode = "rest";
        broadcast_state_locked();
    }
}

void Studio::Data::show_moved(double time) {
    std::set<int> layers;
    std::uint32_t revision = 0;
    {
        const std::lock_guard lock(mutex);
        revision = document.revision();
        for (const auto& [client, view] : views) {
            if (view.is_greeted) {
                layers.insert(view.layers.begin(), view.layers.end());
            }
        }
    }
    for (const DisplayLayer layer :
         {DisplayLayer::Skin, DisplayLayer::Muscles, DisplayLayer::Bones}) {
        const int mesh = static_cast<int>(layer);
        if (!layers.contains(mesh)) {
            continue;
        }
        const auto frame = std::make_shared<const std::string>(
            motion_frame({.mesh = static_cast<std::uint32_t>(mesh),
                          .revision = revision,
                          .time_ms = static_cast<std::uint32_t>(1000.0 * time)},
                         mover->points(layer), scene->display->mesh(layer).triangles));
        const std::lock_guard lock(mutex);
        broadcast_frame_locked(mesh, frame, true);
    }
}

const Body& Studio::Data::body_now() const {
    return result ? result->body : scene->body;
}

void Studio::Data::prepare_mover() {
    if (mover && mover_revision == grown_revision) {
        return;
    }
    mover.reset();
    begin_job("Preparing to move");
    const Body& body = body_now();
    Correction fine_part;
    {
        const std::lock_guard lock(mutex);
        fine_part = correction;
    }
    // The meshes as they are shown now, on the tetrahedra of the body as it was grown.
    DisplayMeshes shown;
    for (const DisplayLayer layer :
         {DisplayLayer::Skin, DisplayLayer::Muscles, DisplayLayer::Bones}) {
        shown[layer] = scene->display->mesh(layer);
        if (result) {
            shown[layer].points = shown_points(*scene, fine_part, layer, body.tets.points);
        }
    }
    mover = std::make_unique<BodyInMotion>(body, shown, kStudioMotion);
    mover_revision = grown_revision;
    end_job();
}

// One frame of whatever moves, or all of it where it is one solve.
void Studio::Data::advance_motion() {
    MotionWish wish;
    {
        const std::lock_guard lock(mutex);
        wish = motion;
    }
    const bool is_new = wish.number != motion_done;
    try {
        if (wish.mode == "rest") {
            return_to_rest(wish.number);
        } else if (wish.mode == "jump") {
            jump(wish.number);
        } else if (wish.mode == "contract") {
            contract(wish);
        } else {
            prepare_mover();
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

void Studio::Data::begin_frames(const MotionWish& wish) {
    if (wish.mode == "play") {
        const bool is_file = kind_of_file(wish.file) == "motion";
        PoseTrack poses = read_pose_track(
            body_now(), is_file ? workspace.existing(wish.file) : std::filesystem::path(wish.file));
        is_endless = poses.is_endless;
        ActivationTrack activations;
        if (!wish.activations.empty()) {
            activations =
                ActivationTrack(body_now(), read_motion_table(workspace.existing(wish.activations)),
                                wish.activations);
        }
        mover->begin(std::move(poses), std::move(activations));
        frame = 0;
    }
    const std::lock_guard lock(mutex);
    motion_done = wish.number;
    frames_left = wish.mode == "play" ? 1 : kSettle;
    next_frame = Clock::now();
}

void Studio::Data::advance_frame(const MotionWish& wish) {
    const double time = frame / kStudioMotion.rate;
    if (wish.mode == "pose") {
        const Body& body = body_now();
        mover->step(
            joint_motions(body.skeleton, pose_from_angles(body, scene->joints, wish.angles)));
    } else {
        if (!wish.loops && frame >= mover->frame_count()) {
            return_to_rest(wish.number);
            return;
        }
        if (!is_endless && frame > 0 && frame % mover->frame_count() == 0) {
            mover->rewind();
        }
        mover->next();
        ++frame;
    }
    show_moved(time);
    const std::lock_guard lock(mutex);
    frames_left -= wish.mode == "pose" ? 1 : 0;
    next_frame = std::max(next_frame + kFrame, Clock::now());
}

void Studio::Data::jump(std::uint32_t number) {
    const Progress progress = begin_job("Jumping", true);
    std::vector<Points> frames;
    const Clock::time_point begin = Clock::now();
    const JumpOptions how;
    jump_preview(body_now(), how, progress, [&](int, const Points& points) {
        frames.push_back(points);
        show(points, false);
    });
    // Again, as fast as it is.
    const Clock::time_point replay = Clock::now();
    const double slow = std::chrono::duration<double>(replay - begin).count() / how.seconds;
    for (std::size_t f = 0; f < frames.size() && slow > 1.2; ++f) {
        std::this_thread::sleep_until(
            replay + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(static_cast<double>(f) / how.frames)));
        progress.check_cancelled();
        show(frames[f], true);
    }
    end_job();
    return_to_rest(number);
}

void Studio::Data::contract(const MotionWish& wish) {
    if (!contraction || contraction_revision != grown_revision) {
        const Progress progress = begin_job("Preparing muscles");
        contraction.reset();
        contraction = std::make_unique<MuscleGrowth>(body_now());
        contraction_revision = grown_revision;
        end_job();
    }
    std::vector<double> beta;
    for (const double a : wish.activation) {
        beta.push_back(contraction_of(a));
    }
    contraction->set_contraction(beta);
    const Progress progress = begin_job("Contracting", true);
    const auto shows = [&](int, const Points& points) { show(points, false); };
    contraction->iterate(1, {}, shows);
    {
        const std::lock_guard lock(mutex);
        motion_done = wish.number;
    }
    contraction->iterate(kContractIterations, progress, shows);
    show(contraction->positions(), true);
    end_job();
}

Json Studio::Data::forces(const std::string& file, const std::string& wanted) {
    require_grown();
    const MusculoskeletalModel model =
        file.empty() ? model_from_body(body_now()) : read_model(workspace.existing(file));
    Json names = Json::array();
    Index chosen = -1;
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        const std::string& name = model.coordinates[c].name;
        names.push_back(name);
        const bool is_default = wanted.empty() && name == "elbow_l_flexion";
        if (name == wanted || is_default || (wanted.empty() && chosen < 0)) {
            chosen = static_cast<Index>(c);
        }
    }
    if (chosen < 0) {
        throw InputError({.where = "field 'coordinate'",
                          .found = fmt::format("unknown coordinate '{}'", wanted),
                          .needs = "a coordinate of the model",
                          .remedy = "choose one of the list"});
    }
    MuscleSweep sweep = sweep_coordinate(model, chosen);
    // The strongest about this joint.
    const auto largest_moment = [](const MuscleSweep::Curve& curve) {
        double largest = 0.0;
        for (std::size_t k = 0; k < curve.force.size(); ++k) {
            largest = std::max(largest, std::abs(curve.force[k] * curve.moment_arm[k]));
        }
        return largest;
    };
    std::stable_sort(sweep.muscles.begin(), sweep.muscles.end(),
                     [&](const MuscleSweep::Curve& a, const MuscleSweep::Curve& b) {
                         return largest_moment(a) > largest_moment(b);
                     });
    Json curves = Json::array();
    for (std::size_t m = 0; m < std::min(kMostCurves, sweep.muscles.size()); ++m) {
        const MuscleSweep::Curve& curve = sweep.muscles[m];
        curves.push_back({{"name", curve.muscle},
                          {"label", label_of(curve.muscle)},
                          {"moment_arm_m", curve.moment_arm},
                          {"length_m", curve.length},
                          {"force_n", curve.force}});
    }
    for (double& value : sweep.values) {
        value /= sweep.is_rotation ? kDegree : 1.0;
    }
    return {{"model", model.name},    {"coordinate", sweep.coordinate},
            {"coordinates", names},   {"unit", sweep.is_rotation ? "deg" : "m"},
            {"values", sweep.values}, {"muscles", curves}};
}

}  // namespace sinew::studio
